package import HearthGrammar
package import HearthSystem
internal import Synchronization

/// The id of a token: its index in the vocabulary.
public typealias TokenID = Int32

/// The kind of a token; the values are those of `tokenizer.ggml.token_type`.
package enum TokenKind: UInt8, Sendable {
    /// A piece of text, with U+2581 in place of a space.
    case normal = 1
    /// Represents text that has no other token.
    case unknown = 2
    /// A control token (begin, end, turn markers); never produced from plain text.
    case control = 3
    /// Text that is always kept as one token; stored with real spaces.
    case userDefined = 4
    /// Reserved.
    case unused = 5
    /// One byte, written `<0xXX>`.
    case byte = 6
}

/// The pieces of a model with their properties, in flat arrays.
///
/// There are no dictionaries of strings: a vocabulary of 262,144 pieces is built in tens of milliseconds, can be written to
/// disk as it is (``flatFile()``), and is mapped from there instantly. Source of the fields: GGUF keys `tokenizer.ggml.*`.
///
/// Immutable. It is a class so that retaining it costs one reference count instead of one per array: as a structure, half of
/// the encoding time was spent on reference counting.
package final class Vocabulary: Sendable {
    /// Ids of tokens with a special role, if the file names them.
    package struct SpecialIDs: Equatable, Sendable {
        /// Beginning of text.
        package var bos: TokenID?
        /// End of text.
        package var eos: TokenID?
        /// End of a turn.
        package var endOfTurn: TokenID?
        /// Represents text that has no token.
        package var unknown: TokenID?
        /// Padding of batches.
        package var padding: TokenID?

        /// Creates a set of ids; all are optional.
        package init(
            bos: TokenID? = nil, eos: TokenID? = nil, endOfTurn: TokenID? = nil, unknown: TokenID? = nil,
            padding: TokenID? = nil
        ) {
            self.bos = bos
            self.eos = eos
            self.endOfTurn = endOfTurn
            self.unknown = unknown
            self.padding = padding
        }
    }

    /// Pieces that end generation in every Gemma, whatever end token the file names. `</s>` is not included: in these
    /// vocabularies it is an HTML tag.
    static let stopPieces = ["<eos>", "<end_of_turn>", "<turn|>", "<|tool_response>", "<start_function_response>"]

    let pieces: ByteStringTable
    /// Raw values of `TokenKind`.
    let kinds: FlatArray<UInt8>
    /// Merge priority of each piece, smallest first; `UInt32.max` for pieces that merging must not produce.
    let priorities: FlatArray<UInt32>
    /// Merges by rank, if the file has them; entry `i` is the left and right side joined, salted with the length of the left.
    let merges: ByteStringTable?
    /// The token of each byte.
    package let byteTokens: [TokenID]
    /// The boundaries that no merge can cross.
    let boundaries: MergeBoundaries
    /// Splits text at special tokens before merging.
    let splitter: SpecialTokenSplitter
    /// The file that the arrays are mapped from; nil if they were built in memory.
    package let file: MappedFile?

    /// Ids of tokens with a special role.
    package let special: SpecialIDs
    /// Whether texts begin with ``SpecialIDs/bos``.
    package let addsBOS: Bool
    /// Tokens that end generation: the file's end ids and the known end pieces, in ascending order.
    package let stopIDs: [TokenID]

    private let trie = Mutex<TokenTrie?>(nil)
    /// A trie of the bytes of all tokens, for constraints; built on first use.
    package var tokenTrie: TokenTrie {
        trie.withLock { known in
            if let known { return known }
            let made = makeTokenTrie()
            known = made
            return made
        }
    }

    /// Number of tokens.
    package var count: Int { kinds.count }

    /// Creates a vocabulary from flat arrays, validating all of them.
    ///
    /// - Parameters:
    ///   - bytes: all pieces, concatenated.
    ///   - offsets: piece `i` is `bytes[offsets[i] ..< offsets[i + 1]]`.
    ///   - kinds: one per piece.
    ///   - scores: one per piece, higher ones are merged first; may be empty if there are merges.
    ///   - merges: merges in order of rank, or nil for merging by score.
    ///   - file: the file name for errors.
    /// - Throws: ``TokenizerError`` naming the GGUF key of the invalid array.
    package init(
        bytes: [UInt8], offsets: [Int32], kinds: [TokenKind], scores: [Float], merges: MergeList? = nil,
        special: SpecialIDs = SpecialIDs(), addsBOS: Bool = true, file: String = "vocabulary"
    ) throws(TokenizerError) {
        let count = kinds.count
        try Self.check(bytes: bytes, offsets: offsets, count: count, file: file)
        if !scores.isEmpty || merges == nil {
            guard scores.count == count else {
                throw .lengthMismatch(file: file, key: Key.scores, expected: count, found: scores.count)
            }
            if let index = scores.firstIndex(where: { !$0.isFinite }) {
                throw .nonFiniteValue(file: file, key: Key.scores, index: index)
            }
        }
        for (key, id) in [
            (Key.bos, special.bos), (Key.eos, special.eos), (Key.eot, special.endOfTurn),
            (Key.unknown, special.unknown), (Key.padding, special.padding),
        ] {
            guard let id else { continue }
            guard id >= 0, id < count else {
                throw .specialTokenOutOfRange(file: file, key: key, id: Int(id), count: count)
            }
        }

        let pieces = ByteStringTable(bytes: bytes, offsets: offsets)
        var kinds = kinds
        // Published Gemma 4 files declare <eos> as "normal"; plain text must not be able to end a generation.
        let eos = pieces.index(of: Array("<eos>".utf8), 0, 5)
        if eos >= 0 { kinds[Int(eos)] = .control }
        var special = special
        if special.unknown == nil {
            special.unknown = kinds.firstIndex(of: .unknown).map { TokenID($0) }
        }

        self.pieces = pieces
        byteTokens = try Self.byteTokens(pieces, kinds, unknown: special.unknown, file: file)
        priorities = FlatArray(merges == nil ? Self.priorities(scores, kinds) : [])
        self.merges = merges.map { ByteStringTable(bytes: $0.bytes, offsets: $0.offsets, salts: $0.splits) }
        boundaries =
            if let merges {
                MergeBoundaries(merges: merges)
            } else {
                MergeBoundaries(bytes: bytes, offsets: offsets, kinds: kinds)
            }
        splitter = SpecialTokenSplitter(pieces: pieces, kinds: kinds)
        var stops = Set([special.eos, special.endOfTurn].compactMap { $0 })
        for name in Self.stopPieces {
            let name = Array(name.utf8)
            let id = pieces.index(of: name, 0, name.count)
            if id >= 0 { stops.insert(id) }
        }
        stopIDs = stops.sorted()
        self.file = nil
        self.kinds = FlatArray(kinds.map(\.rawValue))
        self.special = special
        self.addsBOS = addsBOS
    }

    /// Uses arrays built earlier, which have been checked to be consistent.
    /// - Parameter file: the file that the arrays are mapped from.
    init(
        file: MappedFile, pieces: ByteStringTable, kinds: FlatArray<UInt8>, priorities: FlatArray<UInt32>,
        merges: ByteStringTable?,
        byteTokens: [TokenID], boundaries: MergeBoundaries, splitter: SpecialTokenSplitter, special: SpecialIDs,
        addsBOS: Bool, stopIDs: [TokenID]
    ) {
        self.file = file
        self.pieces = pieces
        self.kinds = kinds
        self.priorities = priorities
        self.merges = merges
        self.byteTokens = byteTokens
        self.boundaries = boundaries
        self.splitter = splitter
        self.special = special
        self.addsBOS = addsBOS
        self.stopIDs = stopIDs
    }

    /// Creates a small vocabulary from whole pieces; see the other initializer.
    package convenience init(
        pieces: [String], kinds: [TokenKind], scores: [Float], merges: [(String, String)]? = nil,
        special: SpecialIDs = SpecialIDs(), addsBOS: Bool = true
    ) throws(TokenizerError) {
        var bytes: [UInt8] = []
        var offsets: [Int32] = [0]
        for piece in pieces {
            bytes += piece.utf8
            offsets.append(Int32(clamping: bytes.count))
        }
        guard pieces.count == kinds.count else {
            throw .lengthMismatch(
                file: "vocabulary", key: Key.kinds, expected: pieces.count, found: kinds.count)
        }
        var list: MergeList?
        if let merges {
            var built = MergeList()
            for (left, right) in merges { built.append(left: Array(left.utf8), right: Array(right.utf8)) }
            list = built
        }
        try self.init(
            bytes: bytes, offsets: offsets, kinds: kinds, scores: scores, merges: list, special: special,
            addsBOS: addsBOS)
    }

    /// The bytes of a token as stored in the file.
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    package func bytes(of id: TokenID) throws(TokenizerError) -> [UInt8] {
        try check(id)
        return Array(pieces.bytes[pieces.range(Int(id))])
    }

    /// The kind of a token.
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    package func kind(of id: TokenID) throws(TokenizerError) -> TokenKind {
        try check(id)
        return kind(at: Int(id))
    }

    /// The kind of an existing token. An invalid value, in a damaged artifact, counts as a control token.
    func kind(at index: Int) -> TokenKind { TokenKind(rawValue: kinds[index]) ?? .control }

    /// The token with exactly this text, if there is one; the first of several.
    package func id(of piece: String) -> TokenID? {
        let text = Array(piece.utf8)
        let found = pieces.index(of: text, 0, text.count)
        return found < 0 ? nil : found
    }

    func check(_ id: TokenID) throws(TokenizerError) {
        guard id >= 0, id < count else { throw .tokenOutOfRange(id: Int(id), count: count) }
    }
}
