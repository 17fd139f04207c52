/// The GGUF keys that a vocabulary is read from.
package enum Key {
    package static let model = "tokenizer.ggml.model"
    package static let tokens = "tokenizer.ggml.tokens"
    package static let scores = "tokenizer.ggml.scores"
    package static let kinds = "tokenizer.ggml.token_type"
    package static let merges = "tokenizer.ggml.merges"
    static let bos = "tokenizer.ggml.bos_token_id"
    static let eos = "tokenizer.ggml.eos_token_id"
    static let eot = "tokenizer.ggml.eot_token_id"
    static let unknown = "tokenizer.ggml.unknown_token_id"
    package static let padding = "tokenizer.ggml.padding_token_id"
    static let addBOS = "tokenizer.ggml.add_bos_token"
}

/// Merges in order of rank, in flat arrays.
package struct MergeList: Sendable {
    /// The left and right side of each merge, all concatenated.
    private(set) var bytes: [UInt8] = []
    private(set) var offsets: [Int32] = [0]
    /// Length of the left side of each merge.
    private(set) var splits: [UInt16] = []

    /// An empty list.
    package init() {}

    /// Appends the merge of the next rank; neither side may exceed ``TokenizerLimits/pieceBytes``.
    package mutating func append(left: some Collection<UInt8>, right: some Collection<UInt8>) {
        bytes.append(contentsOf: left)
        bytes.append(contentsOf: right)
        offsets.append(Int32(clamping: bytes.count))
        splits.append(UInt16(clamping: left.count))
    }

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count * 8)
        offsets.reserveCapacity(count + 1)
        splits.reserveCapacity(count)
    }
}

extension Vocabulary {
    /// Checks everything that later code relies on in the flat arrays.
    static func check(bytes: [UInt8], offsets: [Int32], count: Int, file: String) throws(TokenizerError) {
        guard count > 0 else {
            throw .lengthMismatch(file: file, key: Key.tokens, expected: 1, found: 0)
        }
        guard count <= TokenizerLimits.vocabularyCount else {
            throw .limitExceeded(
                file: file, key: Key.tokens, value: count, limit: TokenizerLimits.vocabularyCount)
        }
        guard bytes.count <= TokenizerLimits.totalPieceBytes else {
            throw .limitExceeded(
                file: file, key: Key.tokens, value: bytes.count, limit: TokenizerLimits.totalPieceBytes)
        }
        guard offsets.count == count + 1, offsets[0] == 0, Int(offsets[count]) == bytes.count else {
            throw .lengthMismatch(file: file, key: Key.tokens, expected: count, found: offsets.count - 1)
        }
        for index in 0..<count {
            let length = Int(offsets[index + 1]) - Int(offsets[index])
            guard length >= 0 else {
                throw .badValue(file: file, key: Key.tokens, index: index, value: "length \(length)")
            }
            guard length <= TokenizerLimits.pieceBytes else {
                throw .limitExceeded(
                    file: file, key: Key.tokens, value: length, limit: TokenizerLimits.pieceBytes)
            }
        }
    }

    /// The token of each byte: its byte token, else the piece that consists of that byte, else the unknown token.
    static func byteTokens(
        _ pieces: ByteStringTable, _ kinds: [TokenKind], unknown: TokenID?, file: String
    ) throws(TokenizerError) -> [TokenID] {
        var tokens = [TokenID](repeating: -1, count: 256)
        for index in kinds.indices where kinds[index] == .byte {
            let text = pieces.bytes[pieces.range(index)]
            guard let value = byteValue(text) else {
                throw .badByteToken(
                    file: file, key: Key.tokens, index: index, text: String(decoding: text, as: UTF8.self))
            }
            if tokens[Int(value)] < 0 { tokens[Int(value)] = TokenID(index) }
        }
        for byte in 0..<256 where tokens[byte] < 0 {
            let written = Array("<0x\(hex(UInt8(byte)))>".utf8)
            for candidate in [
                pieces.index(of: written, 0, written.count), pieces.index(of: [UInt8(byte)], 0, 1), unknown ?? -1,
            ] where candidate >= 0 {
                tokens[byte] = candidate
                break
            }
            guard tokens[byte] >= 0 else {
                throw .unencodableByte(file: file, key: Key.tokens, byte: UInt8(byte))
            }
        }
        return tokens
    }

    /// The byte that `<0xXX>` represents; nil for any other spelling (`<0x-1>`, `<0xZZ>`, `<0xf>`).
    static func byteValue<Text: RandomAccessCollection<UInt8>>(_ text: Text) -> UInt8? where Text.Index == Int {
        guard text.count == 6, text.starts(with: "<0x".utf8), text.last == UInt8(ascii: ">") else { return nil }
        let first = text.startIndex + 3
        guard let high = hexDigit(text[first]), let low = hexDigit(text[first + 1]) else { return nil }
        return high << 4 | low
    }

    /// A byte as two upper-case hexadecimal digits.
    package static func hex(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }

    private static func hexDigit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Converts scores to integers in ascending order, best first. Control, unknown and byte tokens are excluded from merging,
    /// so that plain text cannot become one of them.
    static func priorities(_ scores: [Float], _ kinds: [TokenKind]) -> [UInt32] {
        zip(scores, kinds).map { score, kind in
            switch kind {
            case .control, .unknown, .byte: return .max
            case .normal, .userDefined, .unused:
                // Adding zero makes -0 equal to +0, as they compare.
                let bits = (score + 0).bitPattern
                let ascending = bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
                return ~ascending
            }
        }
    }
}
