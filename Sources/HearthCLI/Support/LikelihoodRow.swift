import HearthText
import HearthTokenizer

/// How likely a model found a token, as `logprobs` has it.
struct LikelihoodRow: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        var id: TokenID
        /// Broken UTF-8 repaired: a token may be part of a character.
        var text: String
        var bytes: [UInt8]
        var logprob: Float

        init(_ entry: TokenLikelihood.Entry, _ tokenizer: TextTokenizer) {
            id = entry.id
            bytes = (try? tokenizer.decode([entry.id], showSpecial: true)) ?? []
            text = String(decoding: bytes, as: UTF8.self)
            logprob = entry.logProbability
        }
    }

    var chosen: Entry
    var top: [Entry]

    init(_ likelihood: TokenLikelihood, _ tokenizer: TextTokenizer) {
        chosen = Entry(likelihood.chosen, tokenizer)
        top = likelihood.top.map { Entry($0, tokenizer) }
    }

    private enum Keys: CodingKey { case id, text, bytes, logprob, top }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(chosen.id, forKey: .id)
        try fields.encode(chosen.text, forKey: .text)
        try fields.encode(chosen.bytes, forKey: .bytes)
        try fields.encode(chosen.logprob, forKey: .logprob)
        try fields.encode(top, forKey: .top)
    }
}
