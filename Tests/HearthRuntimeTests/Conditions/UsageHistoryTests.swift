import Foundation
import HearthRuntime
import Testing

@Suite("Usage history", .timeLimit(.minutes(20)))
struct UsageHistoryTests {
    static let day = 86400.0
    static let now = Date(timeIntervalSince1970: 1_750_000_000)

    static func daysAgo(_ days: Double...) -> UsageHistory {
        UsageHistory(sessions: days.map { now - $0 * day })
    }

    @Test("Counts what lies within the window, on either side of a clock that was set back")
    func window() {
        #expect(Self.daysAgo().sessions(within: 7 * Self.day, of: Self.now) == 0)
        #expect(Self.daysAgo(0, 1, 6.99, 7, 7.01, 30).sessions(within: 7 * Self.day, of: Self.now) == 4)
        #expect(Self.daysAgo(-2, -400).sessions(within: 7 * Self.day, of: Self.now) == 1)
        #expect(Self.daysAgo(1, 2).sessions(within: 0, of: Self.now) == 0)
    }

    @Test("Remembers the latest, and no more than it may")
    func capacity() {
        var history = UsageHistory()
        for index in 0..<200 { history.record(Self.now + Double(index)) }
        #expect(history.sessions.count == UsageHistory.capacity)
        #expect(history.sessions.last == Self.now + 199)
        #expect(history.sessions == history.sessions.sorted())
        history.record(Date(timeIntervalSince1970: .nan))
        #expect(history.sessions.count == UsageHistory.capacity)
    }

    @Test("Survives storing; a stored list of any length stays small")
    func coding() throws {
        let history = Self.daysAgo(3, 1)
        #expect(try JSONDecoder().decode(UsageHistory.self, from: JSONEncoder().encode(history)) == history)
        let long = "{\"sessions\":[" + (0..<5000).map(String.init).joined(separator: ",") + "]}"
        #expect(try JSONDecoder().decode(UsageHistory.self, from: Data(long.utf8)).sessions.count == 64)
    }
}
