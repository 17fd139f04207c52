package import Foundation
package import HearthRuntime

/// A rise in startup time or memory that noise does not explain (`ShiftRule`), and what had changed.
package struct StartupRegression: Sendable, Equatable {
    /// The metric that rose.
    package enum Metric: String, Sendable, Codable, CaseIterable {
        /// Time to ready, in milliseconds.
        case startMS
        /// Time for one token or inference in steady state, in milliseconds.
        case steadyMS
        /// Memory that the system cannot reclaim, in bytes.
        case dirtyBytes

        func value(_ sample: StartupSample) -> Double? {
            switch self {
            case .startMS: sample.totalMS
            case .steadyMS: sample.steadyMS
            case .dirtyBytes: Double(sample.dirtyBytes)
            }
        }

        var rule: ShiftRule {
            switch self {
            case .startMS: ShiftRule(smallestShift: 5)
            case .steadyMS: ShiftRule(smallestShift: 0.02)
            case .dirtyBytes: ShiftRule(smallestShift: 4 * 1024 * 1024)
            }
        }
    }

    /// The cause of a regression.
    package enum Cause: String, Sendable, Codable {
        /// Fields of the profile changed, such as the model file, kernel set or system.
        case drift
        /// The profile did not change, but nothing was compiled, or nothing was in the page cache.
        case trulyCold
        /// Same profile and kind: something outside of the profile changed over time.
        case unexplained
    }

    /// The profile of the later starts.
    package var profile: RuntimeProfile
    /// The device of all starts.
    package var device: String
    /// The kind of the later starts.
    package var kind: StartupSample.Kind
    /// The metric that rose.
    package var metric: Metric
    /// The cause.
    package var cause: Cause
    /// Median of the earlier starts, in the metric's unit.
    package var before: Double
    /// Median of the later starts, in the metric's unit.
    package var after: Double
    /// Fields that differ between the profiles; empty unless the cause is drift.
    package var driftedFields: [String]
    /// p-value of the shift (`RankTest`); nil if the change of kind itself is the evidence.
    package var probability: Double?
    /// When the later starts began.
    package var since: Date

    /// The comparison in one line: "kernelSet drifted: avx512 → portable" or "no drift: truly cold".
    package var explanation: String

    /// All regressions in a log, latest first. Within one model and device, these starts are compared:
    /// - for each kind, those before and after each change of the profile;
    /// - for each kind and profile, the latest with as many before them, five to twenty each;
    /// - the latest starts in normal use, if they are cold, with the warm ones before them.
    /// - Parameter samples: in the order logged.
    package static func all(in samples: [StartupSample]) -> [StartupRegression] {
        struct Key: Hashable {
            var model: String
            var device: String
        }
        return Dictionary(grouping: samples) { Key(model: $0.profile.model, device: $0.device) }.values
            .flatMap { samples in
                StartupSample.Kind.allCases.flatMap { kind -> [StartupRegression] in
                    let starts = samples.filter { $0.kind == kind }
                    return betweenProfiles(starts) + betweenWindows(starts)
                } + turnedCold(samples)
            }
            .sorted { ($0.since, $0.kind, $0.metric.rawValue) > ($1.since, $1.kind, $1.metric.rawValue) }
    }

    /// Starts grouped by profile, in the order of each profile's first start.
    private static func byProfile(_ samples: [StartupSample]) -> [[StartupSample]] {
        var places: [RuntimeProfile: Int] = [:]
        var groups: [[StartupSample]] = []
        for sample in samples {
            if let place = places[sample.profile] {
                groups[place].append(sample)
            } else {
                places[sample.profile] = groups.count
                groups.append([sample])
            }
        }
        return groups
    }

    private static let longestWindow = 20
    private static let shortestWindow = 5

    /// Maximum number of profile changes that are examined, latest first.
    private static let mostChanges = 200

    /// Compares the starts before and after each change of profile; for repeated changes between the same two profiles,
    /// only the latest with enough starts on both sides.
    private static func betweenProfiles(_ starts: [StartupSample]) -> [StartupRegression] {
        struct Pair: Hashable {
            var old: RuntimeProfile
            var new: RuntimeProfile
        }
        var seen: Set<Pair> = []
        let changes = starts.indices.dropFirst().filter { starts[$0].profile != starts[$0 - 1].profile }
        return changes.suffix(mostChanges).reversed().flatMap { place -> [StartupRegression] in
            let pair = Pair(old: starts[place - 1].profile, new: starts[place].profile)
            guard !seen.contains(pair) else { return [] }
            // Only starts close to the change, so that old ones do not distort the comparison.
            let before = starts[..<place].reversed().lazy.filter { $0.profile == pair.old }.prefix(longestWindow)
            let after = starts[place...].lazy.filter { $0.profile == pair.new }.prefix(longestWindow)
            guard min(before.count, after.count) >= ShiftRule.smallestCount else { return [] }
            seen.insert(pair)
            let drifted = pair.new.drift(from: pair.old)
            return compare(
                Array(before), Array(after), cause: .drift, drifted: drifted,
                explanation: explanation(drifted, from: pair.old, to: pair.new))
        }
    }

    private static func explanation(
        _ drifted: [String], from old: RuntimeProfile, to new: RuntimeProfile
    ) -> String {
        zip(old.fields, new.fields).filter { drifted.contains($1.name) }
            .map { "\($1.name) drifted: \(brief($0.value)) → \(brief($1.value))" }.joined(separator: ", ")
    }

    private static func betweenWindows(_ starts: [StartupSample]) -> [StartupRegression] {
        byProfile(starts).flatMap { samples -> [StartupRegression] in
            let size = min(longestWindow, samples.count / 2)
            guard size >= shortestWindow else { return [] }
            let after = Array(samples.suffix(size))
            let before = Array(samples.dropLast(size).suffix(size))
            return compare(
                before, after, cause: .unexplained, drifted: [],
                explanation: "no drift: same profile, same kind of start")
        }
    }

    private static func compare(
        _ before: [StartupSample], _ after: [StartupSample], cause: Cause, drifted: [String], explanation: String
    ) -> [StartupRegression] {
        guard let first = after.first else { return [] }
        return Metric.allCases.compactMap { metric in
            let shift = metric.rule.shift(from: before.compactMap(metric.value), to: after.compactMap(metric.value))
            return shift.map {
                StartupRegression(
                    profile: first.profile, device: first.device, kind: first.kind, metric: metric, cause: cause,
                    before: $0.before, after: $0.after, driftedFields: drifted, probability: $0.probability,
                    since: first.time, explanation: explanation)
            }
        }
    }

    /// Cold starts in normal use after warm ones are slower by nature, so their number does not matter; the shift only
    /// has to exceed the noise of the warm starts, three robust standard deviations.
    private static func turnedCold(_ samples: [StartupSample]) -> [StartupRegression] {
        let wanted = samples.filter { !$0.isMeasured }
        guard let latest = wanted.last, latest.kind != .warm else { return [] }
        let streak = Array(wanted.reversed().prefix { $0.kind == latest.kind && $0.profile == latest.profile })
        let earlier = samples.filter { $0.kind == .warm && $0.time <= latest.time }.suffix(longestWindow)
        guard let first = streak.last, let previous = earlier.last, earlier.count >= ShiftRule.smallestCount,
            let old = Spread(earlier.map(\.totalMS)), let new = Spread(streak.map(\.totalMS)),
            new.median >= old.median * ShiftRule.smallestRatio,
            new.median - old.median
                >= max(Metric.startMS.rule.smallestShift, 3 * Spread.robustDeviation(earlier.map(\.totalMS)))
        else { return [] }
        let drifted = first.profile.drift(from: previous.profile)
        let found = first.kind == .coldCompile ? "nothing compiled" : "nothing in the page cache"
        return [
            StartupRegression(
                profile: first.profile, device: first.device, kind: first.kind, metric: .startMS,
                cause: drifted.isEmpty ? .trulyCold : .drift, before: old.median, after: new.median,
                driftedFields: drifted, probability: nil, since: first.time,
                explanation: drifted.isEmpty
                    ? "no drift: truly cold (the start found \(found))"
                    : "cold, because \(drifted.joined(separator: ", ")) drifted")
        ]
    }

    /// Digests are shortened to a prefix.
    private static func brief(_ value: String) -> String {
        value.utf8.count > 24 ? value.prefix(8) + "…" : value
    }
}
