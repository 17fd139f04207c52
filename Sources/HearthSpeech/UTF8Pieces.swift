/// Decodes UTF-8 that arrives in pieces: an incomplete character is kept until the rest arrives; invalid bytes become U+FFFD.
struct UTF8Pieces: Sendable {
    private var tail: [UInt8] = []

    mutating func decode(_ bytes: some Sequence<UInt8>) -> String {
        tail.append(contentsOf: bytes)
        let whole = tail.count - incomplete
        defer { tail.removeFirst(whole) }
        return String(decoding: tail[..<whole], as: UTF8.self)
    }

    mutating func finish() -> String {
        defer { tail = [] }
        return String(decoding: tail, as: UTF8.self)
    }

    /// The number of bytes at the end that start a character and may still be completed.
    private var incomplete: Int {
        for length in 1...3 where length <= tail.count {
            let byte = tail[tail.count - length]
            if byte & 0b1100_0000 == 0b1000_0000 { continue }
            let wanted =
                byte >= 0xF0 && byte < 0xF5 ? 4 : byte >= 0xE0 && byte < 0xF0 ? 3 : byte >= 0xC2 && byte < 0xE0 ? 2 : 1
            return wanted > length ? length : 0
        }
        return 0
    }
}
