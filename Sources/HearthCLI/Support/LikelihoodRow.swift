import HearthText
import HearthTokenizer

/// The log probability of a token, in the format of `logprobs`.
struct LikelihoodRow: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        var id: TokenID
        /// With invalid UTF-8 replaced: a token may be part of a character.
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
