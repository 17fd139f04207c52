package import Foundation
package import HearthRuntime

/// Starts that became slower, or took more memory, than noise explains (`ShiftRule`), and what had changed.
package struct StartupRegression: Sendable, Equatable {
    /// What rose.
    package enum Metric: String, Sendable, Codable, CaseIterable {
        /// From the first step to a model that answers, in milliseconds.
        case startMS
        /// One token or inference in steady state, in milliseconds.
        case steadyMS
        /// Memory that the system cannot take back, in bytes.
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

    /// Why.
    package enum Cause: String, Sendable, Codable {
        /// Fields of the profile changed: another model file, kernel set, system…
        case drift
        /// Nothing in the profile changed, but the starts found nothing compiled, or nothing in the page cache.
        case trulyCold
        /// Same profile, same kind: something outside of the profile changed between two spans of time.
        case unexplained
    }

    /// The profile of the later starts.
    package var profile: RuntimeProfile
    /// The device of both.
    package var device: String
    /// The kind of the later starts.
    package var kind: StartupSample.Kind
    /// What rose.
    package var metric: Metric
    /// Why.
    package var cause: Cause
    /// The median of the earlier starts, in the metric's unit, as is the later one.
    package var before: Double
    /// The median of the later starts.
    package var after: Double
    /// Fields that changed between the two; empty unless the cause is drift.
    package var driftedFields: [String]
    /// Of seeing such a shift between equal starts (`RankTest`); nil where the change of the kind itself is the evidence.
    package var probability: Double?
    /// When the later starts began.
    package var since: Date

    /// What was compared, in one line: "kernelSet drifted: avx512 → portable" or "no drift: truly cold".
    package var explanation: String

    /// All that a log shows, latest first. Within one model and device, these are compared:
    /// - of each kind, the starts on both sides of each change of the profile;
    /// - of each kind and profile, the latest starts with as many before them, five to twenty of each;
    /// - the latest starts that somebody wanted, where they are cold, with the warm ones before them.
    /// - Parameter samples: in the order in which they were logged.
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

    /// Starts of one profile, in order of their first.
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

    /// Most changes of the profile that are looked at, latest first.
    private static let mostChanges = 200

    /// Where the profile changes, the starts before with those after; of several changes between the same two profiles,
    /// the latest that enough starts surround.
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
            // Next to the change: what an old log says of last year does not blur it.
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

    /// A wanted start that is cold after warm ones is slower by what it is, whatever their number; the shift has only to
    /// stand out from the warm starts' own noise, by three robust standard deviations.
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

    /// Digests are told apart by their beginning.
    private static func brief(_ value: String) -> String {
        value.utf8.count > 24 ? value.prefix(8) + "…" : value
    }
}
