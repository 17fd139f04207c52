/// Writes a recording in Chrome's trace event format.
///
/// Work that moved between threads gets separate tracks ("work 1", "work 2"…): an interval goes to the first track on which it
/// is completely inside, or completely after, the others. So the intervals of every track are nested.
struct ChromeTrace {
    private struct Event {
        var phase: Character
        var name: String
        var begin: Int64  // nanoseconds
        var duration: Int64 = 0
        var track: Int
        var arguments: [(String, String)]
    }

    let text: String

    init(_ recording: TraceRecording) {
        let process = ThreadIdentity.process
        func time(_ instant: ContinuousClock.Instant) -> Int64 { Self.nanoseconds(instant - recording.origin) }

        var tracks = recording.threads
        var events: [Event] = []
        var wanderers: [Event] = []
        for interval in recording.intervals {
            var arguments = interval.arguments.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            if interval.isUnfinished { arguments.append(("unfinished", "true")) }
            let event = Event(
                phase: "X", name: interval.name, begin: time(interval.begin),
                duration: time(interval.end) - time(interval.begin), track: interval.thread ?? 0,
                arguments: arguments)
            if interval.thread == nil { wanderers.append(event) } else { events.append(event) }
        }
        for instant in recording.instants {
            events.append(
                Event(
                    phase: "i", name: instant.name, begin: time(instant.time), track: instant.thread,
                    arguments: instant.arguments.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
        }
        // Numbers that no thread has: thread identifiers are positive.
        for event in Self.assignTracks(wanderers) {
            tracks[event.track] = "work \(-event.track)"
            events.append(event)
        }
        // A parent comes before children that begin at the same time.
        events.sort { ($0.begin, -$0.duration) < ($1.begin, -$1.duration) }

        var lines = tracks.sorted { $0.key < $1.key }.map { id, name in
            #"{"ph":"M","name":"thread_name","pid":\#(process),"tid":\#(id),"args":{"name":\#(Self.quoted(name))}}"#
        }
        lines.reserveCapacity(lines.count + events.count)
        for event in events { lines.append(Self.line(event, process: process)) }
        text =
            "{\"traceEvents\":[\n" + lines.joined(separator: ",\n")
            + "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{\"dropped\":\"\(recording.dropped)\"}}\n"
    }

    private static func assignTracks(_ events: [Event]) -> [Event] {
        var openEnds: [[Int64]] = []  // for each track, the ends of what is open, outermost first
        return events.sorted { ($0.begin, -$0.duration) < ($1.begin, -$1.duration) }.map { event in
            var event = event
            let end = event.begin + event.duration
            var chosen = openEnds.count
            for track in openEnds.indices {
                while let last = openEnds[track].last, last <= event.begin { openEnds[track].removeLast() }
                if openEnds[track].last.map({ end <= $0 }) ?? true {
                    chosen = track
                    break
                }
            }
            if chosen == openEnds.count { openEnds.append([]) }
            openEnds[chosen].append(end)
            event.track = -(chosen + 1)
            return event
        }
    }

    private static func line(_ event: Event, process: Int) -> String {
        var line = #"{"ph":"\#(event.phase)","name":\#(quoted(event.name)),"cat":"hearth","ts":\#(micros(event.begin))"#
        if event.phase == "X" { line += #","dur":\#(micros(event.duration))"# }
        if event.phase == "i" { line += #","s":"t""# }
        line += #","pid":\#(process),"tid":\#(event.track)"#
        if !event.arguments.isEmpty {
            line += ",\"args\":{"
            line += event.arguments.map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",") + "}"
        }
        return line + "}"
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        max(0, duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000)
    }

    /// Microseconds with three decimals, from nanoseconds.
    private static func micros(_ nanoseconds: Int64) -> String {
        let fraction = String(nanoseconds % 1000)
        return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// A JSON string (RFC 8259, section 7).
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
