import Foundation

/// The time for judging, without input and output; for `hearth filter --statistics`.
struct FilterStatistics {
    private var nanoseconds: [Int64] = []
    private var processorNanoseconds: [Int64] = []
    private var bytes: [Int] = []
    private var actions: [String: Int] = [:]

    /// Judges a text of `bytes` UTF-8 bytes and records the duration.
    mutating func measure<Verdict>(_ bytes: Int, _ judge: () -> Verdict, action: (Verdict) -> String) -> Verdict {
        let start = ContinuousClock.now
        let startOfWork = Self.processorTime()
        let verdict = judge()
        let elapsed = (ContinuousClock.now - start).components
        nanoseconds.append(elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
        processorNanoseconds.append(Self.processorTime() - startOfWork)
        self.bytes.append(bytes)
        actions[action(verdict), default: 0] += 1
        return verdict
    }

    /// CPU time of this thread in nanoseconds, unaffected by other programs.
    private static func processorTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// One JSON object. The first judgement, which includes compiling the lexicon, is listed separately; delays are
    /// wall-clock time, the rate is based on CPU time.
    func report() throws -> String {
        struct Report: Encodable {
            var sentences, bytes, passed, swapped, stopped: Int
            var firstMS, p50MS, p99MS, longestMS, megabytesPerMinute: Double
        }
        let rest = nanoseconds.dropFirst().sorted()
        func milliseconds(_ share: Double) -> Double {
            rest.isEmpty ? 0 : Double(rest[min(rest.count - 1, Int(share * Double(rest.count)))]) / 1e6
        }
        let seconds = Double(processorNanoseconds.dropFirst().reduce(0, +)) / 1e9
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let report = Report(
            sentences: nanoseconds.count, bytes: bytes.reduce(0, +), passed: actions["pass"] ?? 0,
            swapped: actions["swap"] ?? 0,
            stopped: actions["stop"] ?? 0, firstMS: Double(processorNanoseconds.first ?? 0) / 1e6,
            p50MS: milliseconds(0.5),
            p99MS: milliseconds(0.99), longestMS: milliseconds(1),
            megabytesPerMinute: seconds > 0 ? Double(bytes.dropFirst().reduce(0, +)) / 1e6 / seconds * 60 : 0)
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
