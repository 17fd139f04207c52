package import HearthGGUF

extension Vocabulary {
    /// The tokenizer models that follow Gemma's rules.
    private static let models = ["llama", "gemma4"]

    /// Reads the vocabulary of a model file, validating everything.
    ///
    /// Merges by rank if the file has merges, whatever it calls its tokenizer (converters differ), otherwise by score.
    ///
    /// - Throws: ``TokenizerError`` or `FileError`, naming the file and the key.
    package convenience init(gguf: GGUFFile) throws {
        let metadata = gguf.metadata
        let file = gguf.path
        let model = try metadata.string(Key.model)
        guard let model else { throw TokenizerError.missingKey(file: file, key: Key.model) }
        guard Self.models.contains(model) else {
            throw TokenizerError.unsupportedTokenizer(file: file, key: Key.model, name: model)
        }
        let (bytes, offsets) = try Self.tokens(metadata, file)
        let count = offsets.count - 1
        let merges = try Self.merges(metadata, file)
        let scores = try Self.scores(metadata, file, count: count, needed: merges == nil)
        // Nothing is padded, and fine-tuned models are known whose padding token was never added: llama.cpp ignores it as well.
        let padding = try metadata.integer(Key.padding).flatMap { (0..<count).contains($0) ? TokenID($0) : nil }
        let special = SpecialIDs(
            bos: try Self.id(Key.bos, metadata, file, count),
            eos: try Self.id(Key.eos, metadata, file, count),
            endOfTurn: try Self.id(Key.eot, metadata, file, count),
            unknown: try Self.id(Key.unknown, metadata, file, count),
            padding: padding)
        // Gemma 4 was trained with a beginning-of-text token, even if the file says otherwise.
        let addsBOS = try metadata.bool(Key.addBOS) ?? true
        try self.init(
            bytes: bytes, offsets: offsets, kinds: try Self.kinds(metadata, file, count: count), scores: scores,
            merges: merges, special: special, addsBOS: addsBOS || model == "gemma4", file: file)
    }

    private static func tokens(_ metadata: GGUFMetadata, _ file: String) throws -> ([UInt8], [Int32]) {
        guard let strings = try metadata.strings(Key.tokens) else {
            throw TokenizerError.missingKey(file: file, key: Key.tokens)
        }
        guard strings.count > 0 else {
            throw TokenizerError.lengthMismatch(file: file, key: Key.tokens, expected: 1, found: 0)
        }
        try limit(strings.count, TokenizerLimits.vocabularyCount, file, Key.tokens)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(strings.count * 8)
        var offsets: [Int32] = [0]
        offsets.reserveCapacity(strings.count + 1)
        try unsafe strings.forEach { _, piece in
            try limit(piece.count, TokenizerLimits.pieceBytes, file, Key.tokens)
            try limit(bytes.count + piece.count, TokenizerLimits.totalPieceBytes, file, Key.tokens)
            unsafe bytes.append(contentsOf: piece)
            offsets.append(Int32(truncatingIfNeeded: bytes.count))
        }
        return (bytes, offsets)
    }

    private static func kinds(_ metadata: GGUFMetadata, _ file: String, count: Int) throws -> [TokenKind] {
        guard let array = try metadata.array(Key.kinds) else {
            throw TokenizerError.missingKey(file: file, key: Key.kinds)
        }
        guard array.elementType == .int32 || array.elementType == .uint32 else {
            throw TokenizerError.wrongType(
                file: file, key: Key.kinds, expected: "an array of INT32",
                found: "an array of \(array.elementType.name)")
        }
        guard array.count == count else {
            throw TokenizerError.lengthMismatch(file: file, key: Key.kinds, expected: count, found: array.count)
        }
        let values = try metadata.integers(Key.kinds) ?? []
        var kinds: [TokenKind] = []
        kinds.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            guard let kind = UInt8(exactly: value).flatMap(TokenKind.init(rawValue:)) else {
                throw TokenizerError.badValue(file: file, key: Key.kinds, index: index, value: "\(value)")
            }
            kinds.append(kind)
        }
        return kinds
    }

    private static func scores(
        _ metadata: GGUFMetadata, _ file: String, count: Int, needed: Bool
    ) throws -> [Float] {
        guard let array = try metadata.array(Key.scores) else {
            guard needed else { return [] }
            throw TokenizerError.missingKey(file: file, key: Key.scores)
        }
        guard array.count == count else {
            throw TokenizerError.lengthMismatch(file: file, key: Key.scores, expected: count, found: array.count)
        }
        return try metadata.floats(Key.scores) ?? []
    }

    private static func merges(_ metadata: GGUFMetadata, _ file: String) throws -> MergeList? {
        guard let strings = try metadata.strings(Key.merges), strings.count > 0 else { return nil }
        try limit(strings.count, TokenizerLimits.mergeCount, file, Key.merges)
        var merges = MergeList()
        merges.reserve(strings.count)
        try unsafe strings.forEach { index, merge in
            try limit(merge.count, 2 * TokenizerLimits.pieceBytes + 1, file, Key.merges)
            try limit(merges.bytes.count + merge.count, TokenizerLimits.totalPieceBytes, file, Key.merges)
            // In files from other converters a piece may itself begin with a space, so the separator is never the first byte.
            guard let space = unsafe merge.dropFirst().firstIndex(of: UInt8(ascii: " ")), space + 1 < merge.count,
                space <= TokenizerLimits.pieceBytes, merge.count - space - 1 <= TokenizerLimits.pieceBytes
            else {
                throw TokenizerError.badMerge(file: file, key: Key.merges, index: index)
            }
            unsafe merges.append(left: merge[..<space], right: merge[(space + 1)...])
        }
        return merges
    }

    private static func id(
        _ key: String, _ metadata: GGUFMetadata, _ file: String, _ count: Int
    ) throws -> TokenID? {
        guard let value = try metadata.integer(key) else { return nil }
        guard value >= 0, value < count else {
            throw TokenizerError.specialTokenOutOfRange(file: file, key: key, id: value, count: count)
        }
        return TokenID(value)
    }

    private static func limit(_ value: Int, _ limit: Int, _ file: String, _ key: String) throws(TokenizerError) {
        guard value <= limit else { throw .limitExceeded(file: file, key: key, value: value, limit: limit) }
    }
}
