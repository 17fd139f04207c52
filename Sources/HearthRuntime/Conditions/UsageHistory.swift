public import Foundation

/// When the user had sessions: what tells a policy whether a model is likely to be wanted. Time is handed in.
public struct UsageHistory: Sendable, Equatable, Codable {
    /// The most sessions that are remembered: a policy asks whether there were any lately, not how many there ever were.
    package static let capacity = 64

    /// When sessions began, earliest first; the latest `capacity` of them.
    package private(set) var sessions: [Date]

    /// Times in any order; those that are no time at all are left out.
    public init(sessions: [Date] = []) {
        self.sessions = sessions.filter { $0.timeIntervalSince1970.isFinite }.sorted().suffix(Self.capacity)
    }

    /// Remembers that a session began.
    package mutating func record(_ date: Date) {
        self = UsageHistory(sessions: sessions + [date])
    }

    /// How many sessions began within `window` seconds of `now`.
    ///
    /// A session that seems to lie ahead happened before the clock was set back, so it counts, by its distance; one far
    /// ahead does not, or a wrong clock would count as use for years.
    package func sessions(within window: TimeInterval, of now: Date) -> Int {
        sessions.count { abs($0.timeIntervalSince(now)) <= window }
    }

    /// Reads a history; one of any length is cut to `capacity`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(sessions: try container.decode([Date].self, forKey: .sessions))
    }

    private enum CodingKeys: String, CodingKey { case sessions }
}
