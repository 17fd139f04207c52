package import Foundation
package import HearthRuntime

/// What the starts of a log have in common, and where they became slower. Pure: samples in, rows and regressions out.
package struct StartupReport: Sendable, Equatable {
    /// Starts of one model, device, system, profile and kind.
    package struct Row: Sendable, Equatable {
        /// The model's name.
        package var model: String
        /// The device's model.
        package var device: String
        /// The system's name and version.
        package var osVersion: String
        /// What was started.
        package var profile: RuntimeProfile
        /// Fields that changed against the profile with which the same device started the model before; empty for its
        /// first.
        package var driftedFields: [String]
        /// How cold.
        package var kind: StartupSample.Kind
        /// Starts.
        package var count: Int
        /// Milliseconds of compiling, or of finding what was compiled.
        package var compileMS: Spread
        /// Milliseconds of mapping.
        package var loadMS: Spread
        /// Milliseconds of the first inference.
        package var firstInferenceMS: Spread
        /// From the first step to a model that answers.
        package var startMS: Spread
        /// nil where no start measured it.
        package var steadyMS: Spread?
        /// The most memory, mapped files included.
        package var peakResidentBytes: Spread
        /// Memory that the system cannot take back.
        package var dirtyBytes: Spread
        /// The earliest.
        package var first: Date
        /// The latest.
        package var last: Date
    }

    /// Sorted by model, device, system, age of the profile and kind.
    package var rows: [Row]
    /// Latest first.
    package var regressions: [StartupRegression]
    /// How many starts there are in all.
    package var count: Int

    /// - Parameter samples: in the order in which they were logged.
    package init(_ samples: [StartupSample]) {
        count = samples.count
        regressions = StartupRegression.all(in: samples)
        rows = Self.rows(samples)
    }

    private struct Key: Hashable {
        var device: String
        var osVersion: String
        var profile: RuntimeProfile
        var kind: StartupSample.Kind

        init(_ sample: StartupSample) {
            (device, osVersion) = (sample.device, sample.osVersion)
            (profile, kind) = (sample.profile, sample.kind)
        }
    }

    private struct Pair: Hashable {
        var device: String
        var profile: RuntimeProfile
    }

    private struct Model: Hashable {
        var name: String
        var device: String
    }

    private static func rows(_ samples: [StartupSample]) -> [Row] {
        var ages: [RuntimeProfile: Int] = [:]
        var drifts: [Pair: [String]] = [:]
        var latest: [Model: RuntimeProfile] = [:]
        for sample in samples {
            if ages[sample.profile] == nil { ages[sample.profile] = ages.count }
            let model = Model(name: sample.profile.model, device: sample.device)
            let pair = Pair(device: sample.device, profile: sample.profile)
            // A row tells how its profile came about, not of each way back to it.
            if drifts[pair] == nil { drifts[pair] = latest[model].map { sample.profile.drift(from: $0) } ?? [] }
            latest[model] = sample.profile
        }
        let groups = Dictionary(grouping: samples, by: Key.init)
        return groups.compactMap { key, samples in
            row(key, samples, drift: drifts[Pair(device: key.device, profile: key.profile)] ?? [])
        }.sorted {
            ($0.model, $0.device, $0.osVersion, ages[$0.profile] ?? 0, $0.kind)
                < ($1.model, $1.device, $1.osVersion, ages[$1.profile] ?? 0, $1.kind)
        }
    }

    private static func row(_ key: Key, _ samples: [StartupSample], drift: [String]) -> Row? {
        guard let compile = Spread(samples.map(\.compileMS)), let load = Spread(samples.map(\.loadMS)),
            let first = Spread(samples.map(\.firstInferenceMS)), let start = Spread(samples.map(\.totalMS)),
            let peak = Spread(samples.map { Double($0.peakResidentBytes) }),
            let dirty = Spread(samples.map { Double($0.dirtyBytes) }), let earliest = samples.map(\.time).min(),
            let latest = samples.map(\.time).max()
        else { return nil }
        return Row(
            model: key.profile.model, device: key.device, osVersion: key.osVersion, profile: key.profile,
            driftedFields: drift, kind: key.kind, count: samples.count, compileMS: compile, loadMS: load,
            firstInferenceMS: first, startMS: start,
            steadyMS: Spread(samples.compactMap(\.steadyMS)), peakResidentBytes: peak, dirtyBytes: dirty,
            first: earliest, last: latest)
    }
}
