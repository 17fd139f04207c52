internal import HearthText
internal import HearthTokenizer

/// The log probability of a token, in OpenAI's format.
struct TokenLogprob: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        /// With invalid UTF-8 replaced: a token may be part of a character.
        var token: String
        /// nil for a text's first token, which nothing predicts.
        var logprob: Float?
        var bytes: [UInt8]

        init(_ entry: TokenLikelihood.Entry, _ tokenizer: TextTokenizer) {
            self.init(entry.id, entry.logProbability, tokenizer)
        }
        init(_ id: TokenID, _ logprob: Float?, _ tokenizer: TextTokenizer) {
            bytes = (try? tokenizer.decode([id], showSpecial: true)) ?? []
            token = String(decoding: bytes, as: UTF8.self)
            self.logprob = logprob
        }
    }

    var chosen: Entry
    var top: [Entry]
    /// Characters of the text that begin in it: none in a control token, nor in the rest of a character that is spread
    /// over several tokens.
    var width: Int

    init(_ likelihood: TokenLikelihood, _ tokenizer: TextTokenizer) {
        self.init(Entry(likelihood.chosen, tokenizer), likelihood.chosen.id, tokenizer)
        top = likelihood.top.map { Entry($0, tokenizer) }
    }

    /// A text's first token.
    init(first id: TokenID, _ tokenizer: TextTokenizer) { self.init(Entry(id, nil, tokenizer), id, tokenizer) }

    private init(_ chosen: Entry, _ id: TokenID, _ tokenizer: TextTokenizer) {
        (self.chosen, top) = (chosen, [])
        let isControl = (try? tokenizer.decode([id], showSpecial: false))?.isEmpty ?? true
        width = isControl ? 0 : chosen.bytes.count { $0 & 0xC0 != 0x80 }
    }

    private enum Keys: String, CodingKey {
        case token, logprob, bytes
        case top = "top_logprobs"
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(chosen.token, forKey: .token)
        try fields.encode(chosen.logprob, forKey: .logprob)
        try fields.encode(chosen.bytes, forKey: .bytes)
        try fields.encode(top, forKey: .top)
    }
}

/// `logprobs` of a choice: `{"content":[…]}` in chats, parallel lists in completions.
struct LogprobsField: Encodable, Sendable {
    var tokens: [TokenLogprob]
    var isChat: Bool
    /// Characters of the answer before the first token.
    var offset = 0

    private enum Keys: String, CodingKey {
        case content, refusal, tokens
        case logprobs = "token_logprobs"
        case top = "top_logprobs"
        case offsets = "text_offset"
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        guard !isChat else {
            try fields.encode(tokens, forKey: .content)
            return try fields.encodeNil(forKey: .refusal)
        }
        var offsets: [Int] = []
        var position = offset
        for token in tokens {
            offsets.append(position)
            position += token.width
        }
        try fields.encode(tokens.map(\.chosen.token), forKey: .tokens)
        try fields.encode(tokens.map(\.chosen.logprob), forKey: .logprobs)
        try fields.encode(
            tokens.map { token -> [String: Float]? in
                guard token.chosen.logprob != nil else { return nil }
                return Dictionary(token.top.map { ($0.token, $0.logprob ?? 0) }, uniquingKeysWith: max)
            }, forKey: .top)
        try fields.encode(offsets, forKey: .offsets)
    }
}
