import Foundation
import HearthSystem
import Testing

@Suite("Trace", .timeLimit(.minutes(20)))
struct TraceTests {
    struct Event {
        var phase: String
        var name: String
        var begin: Double
        var duration: Double
        var track: Int
        var arguments: [String: String]
    }

    static func events(_ recording: TraceRecording) throws -> [Event] {
        let object = try JSONSerialization.jsonObject(with: Data(recording.chromeTrace().utf8)) as? [String: Any]
        let list = try #require(object?["traceEvents"] as? [[String: Any]])
        return try list.filter { $0["ph"] as? String != "M" }.map { entry in
            #expect(entry["pid"] as? Int == Int(getpid()))
            return Event(
                phase: try #require(entry["ph"] as? String), name: try #require(entry["name"] as? String),
                begin: try #require(entry["ts"] as? Double), duration: entry["dur"] as? Double ?? 0,
                track: try #require(entry["tid"] as? Int), arguments: entry["args"] as? [String: String] ?? [:])
        }
    }

    /// Stated rule: on one track two intervals are disjoint, or one lies inside the other; times never go back.
    static func expectSound(_ events: [Event]) {
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.begin <= $1.begin })
        for (_, track) in Dictionary(grouping: events.filter { $0.phase == "X" }, by: \.track) {
            var open: [Double] = []
            for event in track {
                #expect(event.duration >= 0)
                // Nanoseconds are exact; doubles of microseconds are not quite.
                while let end = open.last, end <= event.begin + 1e-4 { open.removeLast() }
                if let end = open.last { #expect(event.begin + event.duration <= end + 1e-4, "\(event)") }
                open.append(event.begin + event.duration)
            }
        }
    }

    @Test("Off, nothing is recorded and arguments are not computed")
    func off() {
        let trace = Trace()
        var computed = false
        func arguments() -> [String: String] {
            computed = true
            return [:]
        }
        #if !canImport(Darwin)
        #expect(trace.interval("a", arguments()) { 7 } == 7)
        #expect(!computed)
        #endif
        trace.end(trace.begin("b"))
        trace.event("c")
        #expect(trace.stop().intervals.isEmpty)
    }

    @Test("Intervals nest on their thread, errors end them, names and arguments are escaped")
    func nesting() throws {
        struct Failure: Error {}
        let trace = Trace()
        trace.start()
        trace.interval("outer", ["file": "a \"b\"\n\u{1}\\ñ火"]) {
            trace.interval("inner") { trace.event("moment") }
            #expect(throws: Failure.self) { try trace.interval("failing") { throw Failure() } }
        }
        let events = try Self.events(trace.stop())
        Self.expectSound(events)
        #expect(events.map(\.name) == ["outer", "inner", "moment", "failing"])
        #expect(events.first?.arguments == ["file": "a \"b\"\n\u{1}\\ñ火"])
        #expect(Set(events.map(\.track)).count == 1)
    }

    @Test("Many tasks and threads at once: every track is sound and nothing is lost")
    func concurrent() async throws {
        let trace = Trace()
        trace.start()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<20 {
                group.addTask {
                    for _ in 0..<20 {
                        await trace.interval("task", ["n": "\(task)"]) {
                            await Task.yield()
                            await trace.interval("part") { await Task.yield() }
                            trace.interval("step") { trace.event("tick") }
                        }
                    }
                }
            }
        }
        let events = try Self.events(trace.stop())
        Self.expectSound(events)
        let counts = Dictionary(grouping: events, by: \.name).mapValues(\.count)
        #expect(counts == ["task": 400, "part": 400, "step": 400, "tick": 400])
    }

    @Test("What has no end yet ends with the recording; a late end and a foreign one do nothing")
    func unfinished() throws {
        let trace = Trace()
        trace.start()
        let late = trace.begin("late")
        let first = try Self.events(trace.stop())
        #expect(first.map(\.name) == ["late"])
        #expect(first.first?.arguments["unfinished"] == "true")
        trace.start()
        let token = trace.begin("once")
        trace.end(late)
        trace.end(token)
        trace.end(token)
        #expect(try Self.events(trace.stop()).map(\.name) == ["once"])
    }

    @Test("A recording has a bound, and says what it dropped")
    func bound() throws {
        let trace = Trace()
        trace.start()
        for _ in 0..<(TraceRecording.limit + 5) { trace.event("x") }
        let recording = trace.stop()
        #expect(recording.instants.count == TraceRecording.limit)
        #expect(recording.dropped == 5)
        #expect(recording.chromeTrace().contains(#""dropped":"5""#))
    }

    @Test("The file is the trace, whole")
    func file() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let trace = Trace()
        trace.start()
        trace.interval("x") {}
        let recording = trace.stop()
        try recording.write(to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == recording.chromeTrace())
        #expect(throws: (any Error).self) { try recording.write(to: "/nonexistent/trace.json") }
    }
}
