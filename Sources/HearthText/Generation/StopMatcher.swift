/// Ends a text at the first stop string, however the text is split into pieces. Text that may be the beginning of a stop string
/// is held back; the stop string itself is never emitted.
package struct StopMatcher {
    private let stops: [[UInt8]]
    private var held: [UInt8] = []
    /// Whether a stop string has appeared; nothing more is emitted then.
    package private(set) var isStopped = false

    package init(_ stops: [String]) { self.stops = stops.filter { !$0.isEmpty }.map { Array($0.utf8) } }

    /// Whether `text` would complete a stop string if it were the next piece.
    package func wouldStop(at text: String) -> Bool {
        guard !stops.isEmpty, !text.isEmpty else { return false }
        var probe = self
        _ = probe.feed(text)
        return probe.isStopped
    }

    /// Takes a piece and returns the text that can be emitted.
    package mutating func feed(_ piece: String) -> String {
        if isStopped { return "" }
        if stops.isEmpty { return piece }
        held += piece.utf8
        // The match that ends first; of those, the one that begins first.
        if let found = earliest() {
            isStopped = true
            defer { held = [] }
            return String(decoding: held[..<found], as: UTF8.self)
        }
        let keep = stops.map { Self.overlap(held, $0) }.max() ?? 0
        var cut = held.count - keep
        // Never cut within a character: UTF-8 continuation bytes begin with the bits 10.
        while cut > 0, cut < held.count, held[cut] & 0xC0 == 0x80 { cut -= 1 }
        defer { held.removeFirst(cut) }
        return String(decoding: held[..<cut], as: UTF8.self)
    }

    /// Returns the text held back, at the end of the text.
    package mutating func finish() -> String {
        defer { held = [] }
        return isStopped ? "" : String(decoding: held, as: UTF8.self)
    }

    private func earliest() -> Int? {
        var best: (end: Int, start: Int)?
        for stop in stops where stop.count <= held.count {
            for start in 0...(held.count - stop.count) where held[start..<start + stop.count].elementsEqual(stop) {
                let found = (end: start + stop.count, start: start)
                if best.map({ (found.end, found.start) < ($0.end, $0.start) }) ?? true { best = found }
                break
            }
        }
        return best?.start
    }

    /// Length of the longest suffix of the text that is a prefix of the stop string.
    private static func overlap(_ text: [UInt8], _ stop: [UInt8]) -> Int {
        let most = min(text.count, stop.count - 1)
        return (0...max(0, most)).last { text.suffix($0).elementsEqual(stop.prefix($0)) } ?? 0
    }
}
