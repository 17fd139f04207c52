package import Foundation
package import HearthRuntime

/// Statistics of the starts in a log, and their regressions. Pure: samples in, rows and regressions out.
package struct StartupReport: Sendable, Equatable {
    /// Starts of one model, device, system, profile and kind.
    package struct Row: Sendable, Equatable {
        /// The model's name.
        package var model: String
        /// The device's model.
        package var device: String
        /// The system's name and version.
        package var osVersion: String
        /// The profile of the starts.
        package var profile: RuntimeProfile
        /// Fields that differ from the profile with which the same device started the model before; empty for the
        /// first.
        package var driftedFields: [String]
        /// How cold the starts were.
        package var kind: StartupSample.Kind
        /// Number of starts.
        package var count: Int
        /// Time for compiling, or for finding the compiled artifact, in milliseconds.
        package var compileMS: Spread
        /// Time for mapping the model, in milliseconds.
        package var loadMS: Spread
        /// Time of the first inference, in milliseconds.
        package var firstInferenceMS: Spread
        /// Time to ready, in milliseconds.
        package var startMS: Spread
        /// Time for one token or inference in steady state, in milliseconds; nil if no start measured it.
        package var steadyMS: Spread?
        /// Peak memory in bytes, including mapped files.
        package var peakResidentBytes: Spread
        /// Memory that the system cannot reclaim, in bytes.
        package var dirtyBytes: Spread
        /// Time of the earliest start.
        package var first: Date
        /// Time of the latest start.
        package var last: Date
    }

    /// Sorted by model, device, system, age of the profile and kind.
    package var rows: [Row]
    /// Latest first.
    package var regressions: [StartupRegression]
    /// Number of all starts.
    package var count: Int

    /// - Parameter samples: in the order logged.
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
            // A row shows the drift at the profile's first use, not at later returns to it.
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
