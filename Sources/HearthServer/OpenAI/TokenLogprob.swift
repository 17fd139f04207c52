internal import HearthText
internal import HearthTokenizer

/// The log probability of a token, in OpenAI's format.
struct TokenLogprob: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        /// With invalid UTF-8 replaced: a token may be part of a character.
        var token: String
        var logprob: Float
        var bytes: [UInt8]

        init(_ entry: TokenLikelihood.Entry, _ tokenizer: TextTokenizer) {
            bytes = (try? tokenizer.decode([entry.id], showSpecial: true)) ?? []
            token = String(decoding: bytes, as: UTF8.self)
            logprob = entry.logProbability
        }
    }

    var chosen: Entry
    var top: [Entry]

    init(_ likelihood: TokenLikelihood, _ tokenizer: TextTokenizer) {
        chosen = Entry(likelihood.chosen, tokenizer)
        top = likelihood.top.map { Entry($0, tokenizer) }
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
            position += token.chosen.token.unicodeScalars.count
        }
        try fields.encode(tokens.map(\.chosen.token), forKey: .tokens)
        try fields.encode(tokens.map(\.chosen.logprob), forKey: .logprobs)
        try fields.encode(
            tokens.map { Dictionary($0.top.map { ($0.token, $0.logprob) }, uniquingKeysWith: max) }, forKey: .top)
        try fields.encode(offsets, forKey: .offsets)
    }
}
