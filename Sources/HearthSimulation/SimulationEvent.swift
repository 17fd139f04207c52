internal import HearthRuntime

/// What may happen next in the life of a model.
public enum EventKind: String, Sendable, CaseIterable, Codable {
    case prepare, use, cancel, release, suspend, resume
    /// The engine's next step fails; the next step is slow or hangs.
    case failure, slow
    /// An observer comes, or goes.
    case observe, leave
    /// Waiting jobs get to run; time passes.
    case work, time
    /// The device and the user change, where a store watches them.
    case heat, memory, battery, phase, activity
}

/// One event, and what was seen after it.
struct TraceEntry {
    var number: Int
    var kind: EventKind
    /// Which caller, policy or amount.
    var argument = 0
    var jobs = 0
    var state = ModelState.cold
    var now = Duration.zero

    var line: String {
        let state =
            switch state {
            case .warming(let progress): "warming \(Int(progress * 100)) %"
            default: state.name
            }
        return "#\(number) \(kind.rawValue) \(argument), \(jobs) jobs -> \(state) at \(now / .milliseconds(1)) ms"
    }
}

/// The last events, and a number that stands for all of them.
struct Trace {
    private var last: [TraceEntry] = []
    private var next = 0
    /// FNV-1a over everything that was done and seen: equal for equal lives, in every process.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    static let kept = 20

    mutating func append(_ entry: TraceEntry, tally: Tally, ran: Int) {
        if last.count < Self.kept { last.append(entry) } else { last[next] = entry }
        next = (next + 1) % Self.kept
        mix(UInt64(entry.number))
        for byte in entry.kind.rawValue.utf8 { mix(UInt64(byte)) }
        mix(UInt64(bitPattern: Int64(entry.argument)))
        mix(UInt64(ran))
        mix(UInt64(bitPattern: Int64(entry.now / .microseconds(1))))
        switch entry.state {
        case .cold: mix(0)
        case .warming(let progress): mix(progress.bitPattern)
        case .ready: mix(2)
        case .failed: mix(3)
        case .unavailable: mix(4)
        }
        for count in [tally.loads, tally.failures, tally.uses, tally.interrupts, tally.unloads] { mix(UInt64(count)) }
    }

    private mutating func mix(_ word: UInt64) { digest = (digest ^ word) &* 0x100_0000_01B3 }

    /// Oldest first.
    var lines: [String] {
        (last.count < Self.kept ? last : Array(last[next...] + last[..<next])).map(\.line)
    }
}
