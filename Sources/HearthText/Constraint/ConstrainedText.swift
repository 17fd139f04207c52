package import HearthGrammar
package import HearthTokenizer

/// Constrained decoding state: the tokens allowed next, and the text so far.
package struct ConstrainedText: Sendable {
    private let tokenizer: TextTokenizer
    private let markers: ToolMarkers?
    private var masker: TokenMasker
    private var bytes: [UInt8] = []
    /// Logits with those of disallowed tokens masked.
    private var restricted: [Float] = []
    /// Progress through an optional leading thought, which is not constrained.
    private enum Thought { case mayBegin, open, over }
    private var thought = Thought.over
    private let channel: (open: TokenID, close: TokenID)?

    /// - Parameter thinks: whether the text may begin with a thought, if the model has tokens for it.
    package init(_ grammar: Grammar, _ tokenizer: TextTokenizer, thinks: Bool = false) {
        self.tokenizer = tokenizer
        channel = thinks ? tokenizer.vocabulary.channelMarkers : nil
        if channel != nil { thought = .mayBegin }
        markers = tokenizer.vocabulary.toolMarkers
        masker = TokenMasker(grammar, trie: tokenizer.vocabulary.tokenTrie, endTokens: tokenizer.vocabulary.stopIDs)
    }

    /// Whether the text may end.
    package var isComplete: Bool { thought != .open && masker.isComplete }
    /// Whether only an end-of-text token may follow.
    package var mustEnd: Bool { thought == .over && masker.mustEnd }

    /// Advances by a token.
    /// - Returns: how many of its bytes the grammar accepts, and whether that is all of them; if not, the state is unchanged.
    /// - Throws: `TextError`, `TokenizerError.tokenOutOfRange`.
    package mutating func advance(_ token: TokenID) throws -> (taken: Int, all: Bool) {
        bytes.removeAll(keepingCapacity: true)
        switch (thought, channel) {
        case (.mayBegin, let channel?) where token == channel.open:
            thought = .open
            return (0, true)
        case (.open, let channel?):
            if token == channel.close { thought = .over }
            return (0, true)
        default: thought = .over
        }
        if let reserved = markers?.bytes(of: token) {
            bytes += reserved
        } else {
            try tokenizer.append(token, showSpecial: false, to: &bytes)
        }
        do {
            return try masker.advance(bytes)
        } catch {
            throw TextError(error)
        }
    }

    /// The tokens that come next whatever the model prefers: the usual spelling of the bytes that the grammar leaves no choice
    /// about, such as the names of required members. It ends before a token that could also be a longer one.
    mutating func forcedTokens() throws -> [TokenID] {
        guard thought == .over else { return [] }
        let forced: TokenMasker.ForcedBytes
        do { forced = try masker.forcedBytes(most: Self.mostForced) } catch { throw TextError(error) }
        guard !forced.bytes.isEmpty else { return [] }
        var tokens: [TokenID] = []
        var ends: [Int] = []
        for run in forced.bytes.split(around: markers) {
            switch run {
            case .marker(let token, let count):
                tokens.append(token)
                ends.append((ends.last ?? 0) + count)
            case .text(let text):
                for token in tokenizer.spelling(of: Array(text)) {
                    bytes.removeAll(keepingCapacity: true)
                    try tokenizer.append(token, showSpecial: false, to: &bytes)
                    tokens.append(token)
                    ends.append((ends.last ?? 0) + bytes.count)
                }
            }
        }
        var kept = tokens.count
        for index in tokens.indices.reversed() {
            let count = forced.bytes.count - (index == 0 ? 0 : ends[index - 1])
            guard count < masker.longestToken else { break }
            if masker.spansEnd(of: forced, last: count) { kept = index }
        }
        return Array(tokens[..<kept])
    }

    /// Maximum number of bytes that `forcedTokens` looks ahead.
    private static let mostForced = 1024

    /// Computes the set of tokens allowed next, for `allows`.
    package mutating func update() throws(TextError) {
        do { try masker.update() } catch { throw TextError(error) }
    }

    /// Whether a token is an end-of-text token.
    package func isEnd(_ token: TokenID) -> Bool { tokenizer.vocabulary.stopIDs.contains(token) }

    /// Tests a text against a grammar token by token; the result equals `Grammar.verdict(of:)`.
    package static func verdict(
        of text: String, _ grammar: Grammar, _ tokenizer: TextTokenizer
    ) throws -> Grammar.Verdict {
        var reading = ConstrainedText(grammar, tokenizer)
        var count = 0
        for token in tokenizer.spelling(of: Array(text.utf8)) {
            try reading.update()
            let isAllowed = reading.allows(token)
            let (taken, all) = try reading.advance(token)
            guard isAllowed == all else { throw TextError.nothingToSample }
            guard all else { return .rejected(at: count + taken) }
            count += taken
        }
        try reading.update()
        let mayEnd = tokenizer.vocabulary.stopIDs.contains { reading.allows($0) }
        return reading.isComplete && (mayEnd || tokenizer.vocabulary.stopIDs.isEmpty) ? .accepted : .rejected(at: count)
    }

    /// Whether a token is allowed next, as of the last `update()`.
    package func allows(_ token: TokenID) -> Bool {
        switch thought {
        case .over: masker.allows(token)
        case .mayBegin: token == channel?.open || masker.allows(token)
        // A thought has its own closing marker, and the text goes on after it.
        case .open: !isEnd(token)
        }
    }

    /// Calls `body` with logits in which disallowed tokens are masked. The buffer is reused by the next call.
    /// - Throws: `TextError.nothingToSample` if no token in the vocabulary fits the grammar.
    mutating func withRestricted<R>(
        _ logits: Span<Float>, _ body: (Span<Float>, _ allows: (TokenID) -> Bool) throws(TextError) -> R
    ) throws(TextError) -> R {
        if thought != .open { try update() }
        let count = logits.count
        if restricted.count != count { restricted = [Float](repeating: 0, count: count) }
        guard restrict(logits) else { throw .nothingToSample }
        let row = restricted
        return try row.withSpan { values throws(TextError) in try body(values) { allows($0) } }
    }

    /// - Returns: whether any token is allowed.
    private mutating func restrict(_ logits: Span<Float>) -> Bool {
        let count = restricted.count
        if thought == .open {
            for index in 0..<count { restricted[index] = logits[index] }
            for token in tokenizer.vocabulary.stopIDs where Int(token) < count {
                restricted[Int(token)] = -.greatestFiniteMagnitude
            }
            return true
        }
        var any = false
        var index = 0
        for word in masker.words {
            let end = min(index + 64, count)
            if word == 0 {
                while index < end {
                    restricted[index] = -.greatestFiniteMagnitude
                    index += 1
                }
            } else {
                any = true
                var bits = word
                while index < end {
                    restricted[index] = bits & 1 == 1 ? logits[index] : -.greatestFiniteMagnitude
                    bits >>= 1
                    index += 1
                }
            }
        }
        if thought == .mayBegin, let open = channel.map({ Int($0.open) }), open < count {
            restricted[open] = logits[open]
            any = true
        }
        return any
    }
}

extension Sampler {
    /// Samples among the allowed tokens.
    mutating func sample(_ logits: Span<Float>, of text: inout ConstrainedText) throws(TextError) -> TokenID {
        try text.withRestricted(logits) { (restricted, allows) throws(TextError) in
            let token = try sample(restricted)
            // If rounding leaves no allowed token with a nonzero probability, take the most likely allowed one.
            if allows(token) { return token }
            var best: Int?
            for index in restricted.indices where allows(TokenID(index)) {
                if best.map({ restricted[index] > restricted[$0] }) ?? true { best = index }
            }
            guard let best else { throw .nothingToSample }
            return TokenID(best)
        }
    }
}

/// A part of the text of a grammar: a control token, or bytes between them.
private enum ForcedRun {
    case marker(TokenID, count: Int)
    case text(ArraySlice<UInt8>)
}

extension [UInt8] {
    /// Splits at the reserved bytes that stand for control tokens.
    fileprivate func split(around markers: ToolMarkers?) -> [ForcedRun] {
        guard let markers else { return [.text(self[...])] }
        var runs: [ForcedRun] = []
        var rest = self[...]
        var index = startIndex
        while index < endIndex {
            let marker = [markers.start, markers.end, markers.quote].compactMap { token in
                markers.bytes(of: token).flatMap { self[index...].starts(with: $0) ? (token, $0.count) : nil }
            }.first
            guard let (token, count) = marker else {
                index += 1
                continue
            }
            if rest.startIndex < index { runs.append(.text(rest[..<index])) }
            runs.append(.marker(token, count: count))
            index += count
            rest = self[index...]
        }
        if !rest.isEmpty { runs.append(.text(rest)) }
        return runs
    }
}

extension TextTokenizer {
    /// Tokens that decode to exactly these bytes. Falls back to byte tokens if ordinary encoding does not round-trip (such as
    /// the vocabulary's own space symbol) or yields an end-of-text token.
    func spelling(of bytes: [UInt8]) -> [TokenID] {
        let tokens = encode(bytes: bytes)
        let isText = !tokens.contains { vocabulary.stopIDs.contains($0) }
        if isText, (try? decode(tokens)) == bytes { return tokens }
        return bytes.map { vocabulary.byteTokens[Int($0)] }
    }
}
