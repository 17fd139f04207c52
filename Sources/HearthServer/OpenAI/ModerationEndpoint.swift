internal import HearthSafety

/// `/v1/moderations`: the story filter's verdict on texts. The filter is made for stories for young children: a score
/// is 1 if a lexicon entry matched, however disguised, and otherwise the sentence classifier's confidence in the theme.
package struct ModerationEndpoint: Sendable {
    var limits: ServerLimits

    package init(limits: ServerLimits) { self.limits = limits }

    /// Maximum number of texts in one request.
    static let mostTexts = 64

    private struct Request: Decodable {
        var inputs: [String]
        var language: FilterLanguage

        private enum Keys: String, CodingKey { case input, language }

        package init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Keys.self)
            switch try fields.value(.input) {
            case .null: throw HTTPFailure.field("input", "is missing.")
            case .string(let text): inputs = [text]
            case .array(let values) where values.first.map(Self.isPart) == true:
                inputs = [try values.enumerated().map { try Self.part($0, $1) }.joined(separator: "\n")]
            case .array(let values):
                inputs = try values.enumerated().map { index, value in
                    if case .string(let text) = value { return text }
                    throw HTTPFailure.field("input[\(index)]", "must be a string, but is \(value.kind).")
                }
            case let value:
                throw HTTPFailure.field("input", "must be a string or an array of strings, but is \(value.kind).")
            }
            guard (1...ModerationEndpoint.mostTexts).contains(inputs.count) else {
                throw HTTPFailure.field("input", "must contain from 1 to \(ModerationEndpoint.mostTexts) texts.")
            }
            let tag = try fields.decodeIfPresent(String.self, forKey: .language)
            guard let language = tag.map({ FilterLanguage(tag: $0) }) ?? FilterLanguage.guessed(from: inputs) else {
                throw FilterLanguage.unknown("language")
            }
            self.language = language
        }

        private static func isPart(_ value: JSONValue) -> Bool {
            if case .object = value { true } else { false }
        }

        /// The text of a part of one input: `{"type": "text", "text": …}`, as OpenAI takes it beside pictures.
        private static func part(_ index: Int, _ value: JSONValue) throws -> String {
            let field = "input[\(index)]"
            guard case .object(let fields) = value else {
                throw HTTPFailure.field(field, "must be an object, but is \(value.kind).")
            }
            guard case .string("text") = fields["type"] else {
                throw HTTPFailure.field(field + ".type", "must be \"text\": the filter reads no pictures.")
            }
            guard case .string(let text) = fields["text"] else {
                throw HTTPFailure.field(field + ".text", "must be a string.")
            }
            return text
        }
    }

    private struct Result: Encodable {
        var flagged: Bool
        var categories: [String: Bool]
        var category_scores: [String: Double]
        var category_applied_input_types: [String: [String]]
        /// The filter's action, and the text it would show instead.
        var action: String
        var text: String
    }
    private struct Answer: Encodable {
        var id: String
        var model = "hearth-filter"
        var results: [Result]
    }

    package func answer(_ request: ServerRequest) throws -> ServerResponse {
        let wanted = try JSONGuard(limits: limits).decode(Request.self, from: request.body)
        let filter = OutputFilter()
        let results = try wanted.inputs.map { text in
            Self.result(filter.judge(text, in: wanted.language), try MeaningGuard().scores(of: text))
        }
        return ServerResponse(json: Answer(id: "modr-" + Identifier.random(), results: results))
    }

    /// OpenAI's names for the filter's themes; themes without one keep their own.
    private static let names = [
        "bullying": "harassment", "undressing": "sexual/minors", "violence": "violence", "death": "violence/graphic",
        "weapons": "illicit/violent", "drugs-alcohol": "illicit",
        "hate": "hate", "profanity": "harassment", "self-harm": "self-harm", "sexual": "sexual",
    ]
    private static let all = [
        "harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent", "self-harm",
        "self-harm/instructions", "self-harm/intent", "sexual", "sexual/minors", "violence", "violence/graphic",
    ]

    /// - Parameter meaning: the classifier's confidence by theme, 0 to 1.
    private static func result(_ verdict: Verdict, _ meaning: [String: Double]) -> Result {
        // Themes are listed under both names, so that no detail is lost.
        let found = Set(verdict.themes).union(verdict.themes.compactMap { names[$0] })
        var scores = Dictionary(Set(all).map { ($0, 0.0) }) { first, _ in first }
        for (theme, score) in meaning {
            for name in [theme, names[theme]].compactMap(\.self) { scores[name] = max(scores[name] ?? 0, score) }
        }
        // A lexicon match is certain; an objection of the classifier keeps its score.
        for name in found where verdict.objection == nil { scores[name] = 1 }
        let categories = Dictionary(uniqueKeysWithValues: scores.keys.map { ($0, found.contains($0)) })
        return Result(
            flagged: verdict.action != .pass, categories: categories,
            category_scores: scores,
            category_applied_input_types: categories.mapValues { $0 ? ["text"] : [] }, action: verdict.action.rawValue,
            text: verdict.text)
    }
}

extension FilterLanguage {
    /// The failure for a field that does not name a language of the filter.
    static func unknown(_ field: String) -> HTTPFailure {
        .field(field, "must be one of \(allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    /// Guesses the language by the script of most letters; English for Latin letters.
    static func guessed(from texts: [String]) -> FilterLanguage {
        var counts: [FilterLanguage: Int] = [:]
        for scalar in texts.joined().unicodeScalars.prefix(4096) {
            switch scalar.value {
            case 0x41...0x24F: counts[.english, default: 0] += 1
            case 0x400...0x52F: counts[.russian, default: 0] += 1
            case 0x600...0x6FF: counts[.arabic, default: 0] += 1
            // Kana occur only in Japanese, so that a few of them outweigh the characters that it shares with Chinese.
            case 0x3040...0x30FF: counts[.japanese, default: 0] += 3
            case 0x4E00...0x9FFF: counts[.simplifiedChinese, default: 0] += 2
            case 0xAC00...0xD7AF: counts[.korean, default: 0] += 2
            default: break
            }
        }
        return counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key ?? .english
    }
}
