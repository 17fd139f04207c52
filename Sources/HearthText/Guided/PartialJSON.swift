/// Completes a truncated JSON value: closes what is open, and leaves out what is not yet certain.
package struct PartialJSON {
    /// Possible completions, most complete first. The first includes a string in progress as far as it came, but not a number
    /// or literal, which may continue; each further one leaves out what is in progress at another level.
    package let values: [String]

    private struct Container {
        var closer: UInt8
        /// End of its last complete member.
        var end: Int
        /// Whether the next string is a member's name.
        var awaitsName: Bool
    }

    package init(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        reader.read()
        values = reader.values()
    }

    private struct Reader {
        let bytes: [UInt8]
        var open: [Container] = []
        /// Start of the string in progress, if there is one.
        var string: Int?
        var isName = false
        /// End of that string's last complete character.
        var safeEnd = 0
        /// Whether the value is complete.
        var isWhole = false

        mutating func read() {
            var at = 0
            var isScalar = false
            while at < bytes.count, !isWhole {
                let byte = bytes[at]
                if string != nil {
                    at = readString(at)
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""):
                    string = at
                    isName = open.last?.awaitsName ?? false
                    at += 1
                    safeEnd = at
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    let isObject = byte == UInt8(ascii: "{")
                    open.append(Container(closer: byte + 2, end: at + 1, awaitsName: isObject))
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    open.removeLast(open.isEmpty ? 0 : 1)
                    isScalar = false
                    end(at + 1)
                case UInt8(ascii: ","):
                    if isScalar { end(at) }
                    isScalar = false
                    if let last = open.indices.last { open[last].awaitsName = open[last].closer == UInt8(ascii: "}") }
                case UInt8(ascii: ":"):
                    if let last = open.indices.last { open[last].awaitsName = false }
                case 0x20, 0x09, 0x0A, 0x0D: break
                default: isScalar = true
                }
                at += 1
            }
        }

        /// Notes that a value of the innermost container ends.
        private mutating func end(_ at: Int) {
            if let last = open.indices.last { open[last].end = at } else { isWhole = true }
        }

        /// - Returns: the index to continue at.
        private mutating func readString(_ at: Int) -> Int {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                string = nil
                if !isName { end(at + 1) }
                return at + 1
            case UInt8(ascii: "\\"):
                guard at + 1 < bytes.count else { return bytes.count }
                guard bytes[at + 1] == UInt8(ascii: "u") else {
                    safeEnd = at + 2
                    return at + 2
                }
                guard at + 6 <= bytes.count else { return bytes.count }
                let unit = UInt16(String(decoding: bytes[at + 2..<at + 6], as: UTF8.self), radix: 16) ?? 0
                // A leading surrogate alone is not a complete character.
                if !UTF16.isLeadSurrogate(unit) { safeEnd = at + 6 }
                return at + 6
            default:
                if at == safeEnd { safeEnd = at + 1 }
                return at + 1
            }
        }

        func values() -> [String] {
            if isWhole { return [String(decoding: bytes, as: UTF8.self)] }
            var values: [String] = []
            let closers = open.map(\.closer)
            func add(_ content: [UInt8], _ closers: ArraySlice<UInt8>) {
                values.append(String(decoding: content + closers.reversed(), as: UTF8.self))
            }
            if string != nil, !isName { add(bytes[..<safeEnd] + [UInt8(ascii: "\"")], closers[...]) }
            for level in open.indices.reversed() { add(Array(bytes[..<open[level].end]), closers[...level]) }
            return values
        }
    }
}
