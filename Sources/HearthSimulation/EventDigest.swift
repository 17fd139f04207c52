internal import HearthRuntime

/// An event, and the state observed after it.
struct TraceEntry: Sendable {
    var event: LifeEvent
    /// The number of jobs run after it.
    var jobs = 0
    var state = ModelState.cold
    var now = Duration.zero

    var line: String {
        let state =
            switch state {
            case .warming(let progress): "warming \(Int(progress * 100)) %"
            default: state.name
            }
        return "\(event) (\(jobs) did) -> \(state) at \(now.wholeMilliseconds) ms"
    }
}

/// The last events, and a digest of the whole history.
struct EventDigest: Sendable {
    private var last: [TraceEntry] = []
    private var next = 0
    private let kept: Int
    /// FNV-1a over all events and observations: equal runs give equal digests, in every process.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Creates an empty digest.
    /// - Parameter kept: the number of last events kept.
    init(kept: Int = 20) { self.kept = kept }

    mutating func append(_ entry: TraceEntry, tally: Tally, ran: Int) {
        if last.count < kept { last.append(entry) } else { last[next] = entry }
        next = (next + 1) % kept
        mix(UInt64(entry.event.number))
        for byte in entry.event.action.kind.rawValue.utf8 { mix(UInt64(byte)) }
        mix(entry.event.seed)
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

    /// The last events, oldest first.
    var lines: [String] {
        (last.count < kept ? last : Array(last[next...] + last[..<next])).map(\.line)
    }
}
