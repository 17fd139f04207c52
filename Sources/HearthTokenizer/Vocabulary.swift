package import HearthGrammar
package import HearthSystem
internal import Synchronization

/// The id of a token: its index in the vocabulary.
public typealias TokenID = Int32

/// What a token is for; the values are those of `tokenizer.ggml.token_type`.
package enum TokenKind: UInt8, Sendable {
    /// A piece of text, with U+2581 in place of a space.
    case normal = 1
    /// Stands for what cannot be written otherwise.
    case unknown = 2
    /// Steers the model (begin, end, turn markers); never made from plain text.
    case control = 3
    /// Text that is always cut out whole; stored with real spaces.
    case userDefined = 4
    /// Reserved.
    case unused = 5
    /// One byte, written `<0xXX>`.
    case byte = 6
}

/// The pieces of a model and all that is known about them, in flat arrays.
///
/// Nothing here is a dictionary of strings: a vocabulary of 262,144 pieces is made in tens of milliseconds, can be
/// written to disk as it is (``flatFile()``), and is then mapped in none. Source of the fields: GGUF keys `tokenizer.ggml.*`.
///
/// Immutable, and a class only so that holding it costs one reference instead of one for each array: as a structure,
/// half of the time of encoding went into counting references.
package final class Vocabulary: Sendable {
    /// Ids that have a role, where the file names them.
    package struct SpecialIDs: Equatable, Sendable {
        /// Begins every text.
        package var bos: TokenID?
        /// Ends a text.
        package var eos: TokenID?
        /// Ends a turn.
        package var endOfTurn: TokenID?
        /// Stands for what has no token.
        package var unknown: TokenID?
        /// Fills up batches.
        package var padding: TokenID?

        /// Collects the ids; all are optional.
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

    /// Pieces that end generation in every Gemma, whatever the file names as its end token. `</s>` is not one of
    /// them: in these vocabularies it is an HTML tag.
    static let stopPieces = ["<eos>", "<end_of_turn>", "<turn|>", "<|tool_response>", "<start_function_response>"]

    let pieces: ByteStringTable
    /// `TokenKind`s.
    let kinds: FlatArray<UInt8>
    /// Order in which pieces are merged, smallest first; `UInt32.max` where a piece must not come out of merging.
    let priorities: FlatArray<UInt32>
    /// Merges by rank, when the file has them; its entry `i` is left and right joined, salted with left's length.
    let merges: ByteStringTable?
    /// The token of each byte.
    package let byteTokens: [TokenID]
    /// Where no merge can cross; see ``MergeBoundaries``.
    let boundaries: MergeBoundaries
    /// Tokens to cut out of text before merging.
    let splitter: SpecialTokenSplitter
    /// Where the arrays lie, if they were not made by the program.
    package let file: MappedFile?

    /// Ids with a role.
    package let special: SpecialIDs
    /// Whether texts begin with ``SpecialIDs/bos``.
    package let addsBOS: Bool
    /// Tokens after which the model has finished: end ids of the file and the known end pieces, ascending.
    package let stopIDs: [TokenID]

    private let trie = Mutex<TokenTrie?>(nil)
    /// The bytes of all tokens as a tree, for constraints; made when it is first wanted.
    package var tokenTrie: TokenTrie {
        trie.withLock { known in
            if let known { return known }
            let made = makeTokenTrie()
            known = made
            return made
        }
    }

    /// How many tokens there are.
    package var count: Int { kinds.count }

    /// Makes a vocabulary of flat arrays, checking all of it.
    ///
    /// - Parameters:
    ///   - bytes: all pieces, one after another.
    ///   - offsets: piece `i` is `bytes[offsets[i] ..< offsets[i + 1]]`.
    ///   - kinds: one a piece.
    ///   - scores: one a piece, higher is merged first; may be empty when there are merges.
    ///   - merges: rank order, or nil for merging by score.
    ///   - file: the name in errors.
    /// - Throws: ``TokenizerError`` naming the GGUF key of the array that is at fault.
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
        // Real Gemma 4 files call <eos> "normal"; plain text must not be able to end a generation.
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

    /// Takes a vocabulary that was built before, all arrays checked to go together.
    /// - Parameter file: where they lie.
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

    /// Makes a small vocabulary of whole pieces; see the other initializer.
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

    /// The bytes of a token as they stand in the file.
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    package func bytes(of id: TokenID) throws(TokenizerError) -> [UInt8] {
        try check(id)
        return Array(pieces.bytes[pieces.range(Int(id))])
    }

    /// What a token is for.
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``.
    package func kind(of id: TokenID) throws(TokenizerError) -> TokenKind {
        try check(id)
        return kind(at: Int(id))
    }

    /// The kind of a token that exists. A value that is none, in a damaged artifact, is a token that text cannot make.
    func kind(at index: Int) -> TokenKind { TokenKind(rawValue: kinds[index]) ?? .control }

    /// The token that is written exactly so, if there is one; the first of several.
    package func id(of piece: String) -> TokenID? {
        let text = Array(piece.utf8)
        let found = pieces.index(of: text, 0, text.count)
        return found < 0 ? nil : found
    }

    func check(_ id: TokenID) throws(TokenizerError) {
        guard id >= 0, id < count else { throw .tokenOutOfRange(id: Int(id), count: count) }
    }
}
