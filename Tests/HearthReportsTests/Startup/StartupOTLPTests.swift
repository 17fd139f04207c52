import Foundation
import HearthReports
import HearthRuntime
import HearthTestSupport
import Testing

/// Starts as OpenTelemetry has them (opentelemetry-proto 1.x, `MetricsData` in the JSON Protobuf encoding).
@Suite("Starts as OTLP", .timeLimit(.minutes(20)))
struct StartupOTLPTests {
    private func objects(_ samples: [StartupSample]) throws -> [[String: Any]] {
        try StartupOTLP.lines(samples).split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func attributes(_ object: [String: Any]?) -> [String: String] {
        let list = object?["attributes"] as? [[String: Any]] ?? []
        return Dictionary(
            list.compactMap { entry in
                guard let key = entry["key"] as? String,
                    let value = (entry["value"] as? [String: Any])?["stringValue"] as? String
                else { return nil }
                return (key, value)
            }
        ) { first, _ in first }
    }

    @Test("A line a start, with all of its figures")
    func lines() throws {
        let samples = [StartupSamples.sample(.coldCompile, number: 2), StartupSamples.sample(.warm, number: 3)]
        let objects = try objects(samples)
        #expect(objects.count == 2)
        for (object, sample) in zip(objects, samples) {
            let resource = try #require((object["resourceMetrics"] as? [[String: Any]])?.first)
            #expect(attributes(resource["resource"] as? [String: Any])["service.name"] == "hearth")
            let scope = try #require((resource["scopeMetrics"] as? [[String: Any]])?.first)
            let metrics = try #require(scope["metrics"] as? [[String: Any]])
            var values: [String: Double] = [:]
            for metric in metrics {
                let points = try #require((metric["gauge"] as? [String: Any])?["dataPoints"] as? [[String: Any]])
                for point in points {
                    // 64-bit integers are text in this encoding.
                    #expect(point["timeUnixNano"] as? String == "\(1_700_000_000 + (sample.dirtyBytes))000000000")
                    let own = attributes(point)
                    #expect(own["hearth.startup.kind"] == sample.kind.rawValue)
                    #expect(own["hearth.profile.digest"] == sample.profile.digest)
                    let name = [metric["name"] as? String, own["hearth.startup.phase"]].compactMap(\.self).joined(
                        separator: "/")
                    values[name] = point["asDouble"] as? Double
                }
            }
            var expected = [
                "hearth.startup.duration": sample.totalMS / 1000,
                "hearth.startup.phase.duration/compile": sample.compileMS / 1000,
                "hearth.startup.phase.duration/load": sample.loadMS / 1000,
                "hearth.startup.phase.duration/first_inference": sample.firstInferenceMS / 1000,
                "hearth.startup.memory.peak": Double(sample.peakResidentBytes),
                "hearth.startup.memory.dirty": Double(sample.dirtyBytes),
            ]
            expected["hearth.inference.duration"] = sample.steadyMS.map { $0 / 1000 }
            #expect(values == expected)
        }
    }

    @Test("No starts, no lines")
    func none() throws { #expect(try StartupOTLP.lines([]).isEmpty) }
}
