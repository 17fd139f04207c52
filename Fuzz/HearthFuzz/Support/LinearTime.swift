import Foundation

/// Whether work grows with its input and no faster, by processor time: eight times the text may cost eight times the work,
/// three times over for luck, and a few milliseconds.
enum LinearTime {
    private static let short = 2 << 10
    private static let factor = 8
    private static let slack = 0.08

    /// Repeats `unit` to two lengths and compares.
    static func check(_ what: String, _ unit: String, _ work: (String) -> Void) {
        guard !unit.isEmpty else { return }
        let small = text(unit, short), large = text(unit, short * factor)
        var figures = (0.0, 0.0)
        // Twice: the first time may have met a table that was not there yet.
        for _ in 0..<2 {
            figures = (seconds { work(small) }, seconds { work(large) })
            if figures.1 <= 3 * Double(factor) * figures.0 + slack { return }
        }
        require(false, "\(what): \(figures.0) s for \(short) bytes, \(figures.1) s for \(factor) times as many")
    }

    private static func text(_ unit: String, _ bytes: Int) -> String {
        String(repeating: unit, count: max(1, bytes / unit.utf8.count))
    }

    private static func seconds(_ work: () -> Void) -> Double {
        let start = now()
        work()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
