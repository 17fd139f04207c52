public import Foundation

/// The dates of past sessions, from which a policy estimates whether a model will be needed soon.
public struct UsageHistory: Sendable, Equatable, Codable {
    /// The most sessions that are remembered: a policy asks whether there were any lately, not how many there ever were.
    package static let capacity = 64

    /// When sessions began, earliest first; the latest `capacity` of them.
    package private(set) var sessions: [Date]

    /// A history with these dates, in any order. Dates that are not finite are ignored.
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

    /// Decodes a history; the oldest dates of a long one are dropped.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(sessions: try container.decode([Date].self, forKey: .sessions))
    }

    private enum CodingKeys: String, CodingKey { case sessions }
}
