internal import Foundation
package import HearthRuntime

/// All starts in the format of OpenTelemetry's file exporter, which its collector reads: one `MetricsData` object per
/// line and start (OTLP 1.x, JSON Protobuf encoding: lower camel case names, 64-bit integers as strings).
package enum StartupOTLP {
    /// - Parameter samples: in the order logged.
    package static func lines(_ samples: [StartupSample]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try samples.map { String(decoding: try encoder.encode(MetricsData($0)), as: UTF8.self) + "\n" }.joined()
    }
}

private struct MetricsData: Encodable {
    var resourceMetrics: [ResourceMetrics]

    init(_ sample: StartupSample) {
        let resource = Resource(attributes: [
            Attribute("service.name", "hearth"), Attribute("service.version", sample.processVersion),
            Attribute("device.model.identifier", sample.device), Attribute("os.description", sample.osVersion),
        ])
        let scope = Scope(name: "hearth.startup", version: sample.processVersion)
        resourceMetrics = [
            ResourceMetrics(
                resource: resource, scopeMetrics: [ScopeMetrics(scope: scope, metrics: Metric.all(of: sample))])
        ]
    }
}

private struct ResourceMetrics: Encodable {
    var resource: Resource
    var scopeMetrics: [ScopeMetrics]
}

private struct Resource: Encodable {
    var attributes: [Attribute]
}

private struct ScopeMetrics: Encodable {
    var scope: Scope
    var metrics: [Metric]
}

private struct Scope: Encodable {
    var name: String
    var version: String
}

private struct Metric: Encodable {
    var name: String
    var description: String
    /// In UCUM notation.
    var unit: String
    var gauge: Gauge

    struct Gauge: Encodable {
        var dataPoints: [DataPoint]
    }

    static func all(of sample: StartupSample) -> [Metric] {
        let time = String(UInt64(max(0, sample.time.timeIntervalSince1970) * 1e6) * 1000)
        let profile = sample.profile
        let attributes = [
            Attribute("hearth.startup.kind", sample.kind.rawValue),
            Attribute("hearth.startup.measured", sample.isMeasured ? "true" : "false"),
            Attribute("hearth.profile.digest", profile.digest), Attribute("hearth.model.name", profile.model),
            Attribute("hearth.model.sha256", profile.modelSHA256),
            Attribute("hearth.model.quantization", profile.quantization),
            Attribute("hearth.context_length", String(profile.contextLength)),
            Attribute("hearth.compute_units", profile.computeUnits), Attribute("hearth.kernel_set", profile.kernelSet),
            Attribute("hearth.runtime.version", profile.runtimeVersion), Attribute("os.build_id", profile.osBuild),
        ]
        func metric(_ name: String, _ description: String, _ unit: String, _ points: [(String?, Double)]) -> Metric {
            Metric(
                name: name, description: description, unit: unit,
                gauge: Gauge(
                    dataPoints: points.map { phase, value in
                        let own = phase.map { [Attribute("hearth.startup.phase", $0)] } ?? []
                        return DataPoint(attributes: attributes + own, timeUnixNano: time, asDouble: value)
                    }))
        }
        var metrics = [
            metric(
                "hearth.startup.duration", "From the first step to a model that answers.", "s",
                [(nil, sample.totalMS / 1000)]),
            metric(
                "hearth.startup.phase.duration", "One step of a start.", "s",
                [
                    ("compile", sample.compileMS / 1000), ("load", sample.loadMS / 1000),
                    ("first_inference", sample.firstInferenceMS / 1000),
                ]),
            metric(
                "hearth.startup.memory.peak", "The most memory, mapped files included.", "By",
                [(nil, Double(sample.peakResidentBytes))]),
            metric(
                "hearth.startup.memory.dirty", "Memory that the system cannot take back.", "By",
                [(nil, Double(sample.dirtyBytes))]),
        ]
        if let steady = sample.steadyMS {
            metrics.append(
                metric(
                    "hearth.inference.duration", "One token, or one inference, in steady state.", "s",
                    [(nil, steady / 1000)]))
        }
        return metrics
    }
}

private struct DataPoint: Encodable {
    var attributes: [Attribute]
    /// Nanoseconds since 1970, as a string.
    var timeUnixNano: String
    var asDouble: Double
}

private struct Attribute: Encodable {
    struct Value: Encodable {
        var stringValue: String
    }
    var key: String
    var value: Value

    init(_ key: String, _ text: String) {
        self.key = key
        value = Value(stringValue: text)
    }
}
