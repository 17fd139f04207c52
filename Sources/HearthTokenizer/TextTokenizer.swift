import HearthSystem

/// Converts text to tokens and tokens to text.
///
///     let tokenizer = model.tokenizer
///     let ids = tokenizer.encode("The kettle sings.", addBOS: true)
///     let text = try tokenizer.text(of: ids)
///
/// The vocabulary determines the merge rule: by score (SentencePiece BPE: Gemma 1, 2, 3, 3n) or by rank in a list of merges
/// (Gemma 4). Encoding takes O(n log n) for any text. Text is not normalised: decoding returns exactly the bytes that were
/// encoded, except that U+2581, which represents a space in pieces, comes back as one.
public struct TextTokenizer: Sendable {
    /// The vocabulary.
    package let vocabulary: Vocabulary

    /// Creates a tokenizer for a vocabulary.
    package init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

    /// Encodes a text to token ids.
    ///
    /// - Parameters:
    ///   - text: any text.
    ///   - addBOS: whether to begin with the beginning-of-text token, if the vocabulary has one.
    ///   - parseSpecial: whether text such as `<end_of_turn>` becomes that control token. Must not be true for text from users.
    ///     User-defined tokens are recognised in any case.
    public func encode(_ text: String, addBOS: Bool = false, parseSpecial: Bool = false) -> [TokenID] {
        encode(bytes: Array(text.utf8), addBOS: addBOS, parseSpecial: parseSpecial)
    }

    /// Encodes bytes to token ids; invalid UTF-8 becomes byte tokens.
    package func encode(bytes: [UInt8], addBOS: Bool = false, parseSpecial: Bool = false) -> [TokenID] {
        var tokens: [TokenID] = []
        if addBOS, let bos = vocabulary.special.bos { tokens.append(bos) }
        append(bytes, matching: parseSpecial ? .all : .userDefined, to: &tokens)
        return tokens
    }

    /// Decodes tokens to bytes, which need not be valid UTF-8.
    ///
    /// - Parameters:
    ///   - ids: token ids.
    ///   - showSpecial: whether control and unknown tokens are written; otherwise they are skipped.
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    public func decode(_ ids: some Sequence<TokenID>, showSpecial: Bool = false) throws(TokenizerError) -> [UInt8] {
        var bytes: [UInt8] = []
        for id in ids { try append(id, showSpecial: showSpecial, to: &bytes) }
        return bytes
    }

    /// Decodes tokens to text. Invalid UTF-8 is replaced with U+FFFD (one for each maximal subpart, as Unicode recommends).
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    public func text(of ids: some Sequence<TokenID>, showSpecial: Bool = false) throws(TokenizerError) -> String {
        String(decoding: try decode(ids, showSpecial: showSpecial), as: UTF8.self)
    }

    /// A token in readable form: its text with real spaces, byte tokens as `<0xXX>`, control tokens by name.
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    package func piece(_ id: TokenID) throws(TokenizerError) -> String {
        if try vocabulary.kind(of: id) == .byte {
            return String(decoding: try vocabulary.bytes(of: id), as: UTF8.self)
        }
        return try text(of: CollectionOfOne(id), showSpecial: true)
    }

    /// ``piece(_:)`` of every token.
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    package func pieces(_ ids: some Sequence<TokenID>) throws(TokenizerError) -> [String] {
        var pieces: [String] = []
        for id in ids { pieces.append(try piece(id)) }
        return pieces
    }
}

extension TextTokenizer {
    /// Appends the bytes of one token.
    package func append(_ id: TokenID, showSpecial: Bool, to bytes: inout [UInt8]) throws(TokenizerError) {
        try vocabulary.check(id)
        let pieces = vocabulary.pieces
        let range = pieces.range(Int(id))
        switch vocabulary.kind(at: Int(id)) {
        case .byte:
            if let value = Vocabulary.byteValue(pieces.bytes[range]) { bytes.append(value) }
        case .userDefined:
            bytes.append(contentsOf: pieces.bytes[range])
        case .control, .unknown:
            if showSpecial { bytes.append(contentsOf: pieces.bytes[range]) }
        case .normal, .unused:
            var index = range.lowerBound
            while index < range.upperBound {
                if UTF8Scan.isSpaceSymbol(pieces.bytes, index, range.upperBound) {
                    bytes.append(UInt8(ascii: " "))
                    index += 3
                } else {
                    bytes.append(pieces.bytes[index])
                    index += 1
                }
            }
        }
    }

    /// Encodes without a beginning-of-text token, and returns the number of pair lookups.
    @discardableResult
    package func append(_ text: [UInt8], matching: SpecialMatching, to tokens: inout [TokenID]) -> Int {
        var merger = PieceMerger(vocabulary)
        vocabulary.splitter.split(text, matching: matching) { range, token in
            if let token {
                tokens.append(token)
            } else {
                append(text, range, &merger, to: &tokens)
            }
        }
        return merger.lookups
    }

    /// Encodes a range without special tokens.
    private func append(
        _ text: [UInt8], _ range: Range<Int>, _ merger: inout PieceMerger, to tokens: inout [TokenID]
    ) {
        let byRank = vocabulary.merges != nil
        var position = range.lowerBound
        while position < range.upperBound {
            if byRank, text[position] == UInt8(ascii: "\n") {
                merger.flush(into: &tokens)
                position = appendNewlines(text, position, range.upperBound, &merger, to: &tokens)
                continue
            }
            let length = UTF8Scan.length(text, position, range.upperBound)
            merger.append(text, position, length, into: &tokens)
            position += length
        }
        merger.flush(into: &tokens)
    }

    /// A run of newlines is one token if the vocabulary has it; otherwise it is merged separately.
    private func appendNewlines(
        _ text: [UInt8], _ start: Int, _ limit: Int, _ merger: inout PieceMerger, to tokens: inout [TokenID]
    ) -> Int {
        var end = start
        while end < limit, text[end] == UInt8(ascii: "\n") { end += 1 }
        if end - start <= TokenizerLimits.pieceBytes {
            let id = vocabulary.pieces.index(of: text, start, end)
            if id >= 0 {
                tokens.append(id)
                return end
            }
        }
        for index in start..<end { merger.append(text, index, 1, into: &tokens) }
        merger.flush(into: &tokens)
        return end
    }
}
