public import Foundation

/// What the starts of a log have in common, and where they became slower. Pure: samples in, rows and regressions out.
public struct StartupReport: Sendable, Equatable {
    /// Starts of one model, device, system, profile and kind.
    public struct Row: Sendable, Equatable {
        /// The model's name.
        public var model: String
        /// The device's model.
        public var device: String
        /// The system's name and version.
        public var osVersion: String
        /// What was started.
        public var profile: RuntimeProfile
        /// How cold.
        public var kind: StartupSample.Kind
        /// Starts.
        public var count: Int
        /// Milliseconds of compiling, or of finding what was compiled.
        public var compileMS: Spread
        /// Milliseconds of mapping.
        public var loadMS: Spread
        /// Milliseconds of the first inference.
        public var firstInferenceMS: Spread
        /// From the first step to a model that answers.
        public var startMS: Spread
        /// nil where no start measured it.
        public var steadyMS: Spread?
        /// The most memory, mapped files included.
        public var peakResidentBytes: Spread
        /// Memory that the system cannot take back.
        public var dirtyBytes: Spread
        /// The earliest.
        public var first: Date
        /// The latest.
        public var last: Date
    }

    /// Sorted by model, device, system, age of the profile and kind.
    public var rows: [Row]
    /// Latest first.
    public var regressions: [StartupRegression]
    /// How many starts there are in all.
    public var count: Int

    /// - Parameter samples: in the order in which they were logged.
    public init(_ samples: [StartupSample]) {
        count = samples.count
        regressions = StartupRegression.all(in: samples)
        rows = Self.rows(samples)
    }

    private struct Key: Hashable {
        var device: String
        var osVersion: String
        var profile: RuntimeProfile
        var kind: StartupSample.Kind
    }

    private static func rows(_ samples: [StartupSample]) -> [Row] {
        var ages: [RuntimeProfile: Int] = [:]
        for sample in samples where ages[sample.profile] == nil { ages[sample.profile] = ages.count }
        let groups = Dictionary(grouping: samples) {
            Key(device: $0.device, osVersion: $0.osVersion, profile: $0.profile, kind: $0.kind)
        }
        return groups.compactMap { key, samples in row(key, samples) }.sorted {
            ($0.model, $0.device, $0.osVersion, ages[$0.profile] ?? 0, $0.kind)
                < ($1.model, $1.device, $1.osVersion, ages[$1.profile] ?? 0, $1.kind)
        }
    }

    private static func row(_ key: Key, _ samples: [StartupSample]) -> Row? {
        guard let compile = Spread(samples.map(\.compileMS)), let load = Spread(samples.map(\.loadMS)),
            let first = Spread(samples.map(\.firstInferenceMS)), let start = Spread(samples.map(\.totalMS)),
            let peak = Spread(samples.map { Double($0.peakResidentBytes) }),
            let dirty = Spread(samples.map { Double($0.dirtyBytes) }), let earliest = samples.map(\.time).min(),
            let latest = samples.map(\.time).max()
        else { return nil }
        return Row(
            model: key.profile.model, device: key.device, osVersion: key.osVersion, profile: key.profile,
            kind: key.kind,
            count: samples.count, compileMS: compile, loadMS: load, firstInferenceMS: first, startMS: start,
            steadyMS: Spread(samples.compactMap(\.steadyMS)), peakResidentBytes: peak, dirtyBytes: dirty,
            first: earliest, last: latest)
    }
}
