internal import HearthSafety
internal import HearthText

/// Every field of Ollama's requests that changes a response. docs/server.md has the same tables, and a test compares
/// them.
package enum OllamaFields {
    /// Fields of chat and generate requests.
    package static let supported: Set<String> = [
        "model", "messages", "prompt", "system", "raw", "stream", "format", "options", "tools", "think", "keep_alive",
        "logprobs", "top_logprobs", "hearth_filter", "hearth_language",
    ]
    /// Refused fields, with the values that have no effect and are accepted.
    package static let refused: [String: [JSONValue]] = [
        "suffix": [""], "template": [""], "context": [[]], "images": [[]], "width": [0], "height": [0], "steps": [0],
    ]
    package static let refusedInMessages: [String: [JSONValue]] = ["images": [[]]]

    /// Fields of `options`.
    package static let options: Set<String> = [
        "temperature", "top_k", "top_p", "min_p", "typical_p", "seed", "num_predict", "stop", "repeat_penalty",
        "repeat_last_n", "presence_penalty", "frequency_penalty",
    ]
    package static let refusedOptions: [String: [JSONValue]] = [
        "mirostat": [0], "tfs_z": [1], "penalize_newline": [false],
    ]

    /// Maximum number of stop strings.
    static let mostStops = 16
}

/// The `options` object of a request.
private struct OllamaSettings: Decodable {
    var choice: SamplingFields
    var maximumTokens: Int?
    var stop: [String]

    private enum Keys: String, CodingKey {
        case stop
        case tokens = "num_predict"
    }

    init(from decoder: any Decoder) throws {
        do {
            let fields = try decoder.container(keyedBy: Keys.self)
            choice = try SamplingFields(from: decoder)
            // Zero and negative values mean as many tokens as fit.
            maximumTokens = try fields.number(.tokens, in: -2...1_000_000).flatMap { $0 > 0 ? $0 : nil }
            stop = try TextOptions.stops(fields.value(.stop))
            guard stop.count <= OllamaFields.mostStops else {
                throw HTTPFailure.field("stop", "has too many strings. Send at most \(OllamaFields.mostStops).")
            }
            try RequestFields.check(
                try decoder.container(keyedBy: JSONValue.Name.self), OllamaFields.refusedOptions)
        } catch let failure as HTTPFailure {
            throw failure.inside("options")
        }
    }
}

extension TextOptions {
    /// Reads the fields that `POST /api/chat` and `POST /api/generate` share.
    init(ollama decoder: any Decoder) throws {
        enum Keys: String, CodingKey {
            case model, stream, options, format, think, logprobs
            case topLogprobs = "top_logprobs"
            case filter = "hearth_filter"
            case language = "hearth_language"
        }
        let fields = try decoder.container(keyedBy: Keys.self)
        guard let name = try fields.decodeIfPresent(String.self, forKey: .model), !name.isEmpty else {
            throw HTTPFailure(400, "invalid_value", "model is required", field: "model")
        }
        model = name
        stream = try fields.decodeIfPresent(Bool.self, forKey: .stream) ?? true
        includesUsage = true
        let settings: OllamaSettings
        if let sent = try fields.decodeIfPresent(OllamaSettings.self, forKey: .options) {
            settings = sent
        } else {
            // An empty object, for the defaults.
            settings = try JSONGuard(limits: ServerLimits()).decode(OllamaSettings.self, from: Array("{}".utf8))
        }
        (choice, maximumTokens, stop) = (settings.choice, settings.maximumTokens, settings.stop)
        let wantsLikelihoods = try fields.decodeIfPresent(Bool.self, forKey: .logprobs) ?? false
        let top = try fields.number(.topLogprobs, in: 0...20) ?? 0
        if !wantsLikelihoods, top > 0 {
            throw HTTPFailure.field("top_logprobs", "requires \"logprobs\": true.")
        }
        likelihoods = wantsLikelihoods ? top : nil
        answers = 1
        thinks = try Self.thinks(ollama: fields.value(.think))
        filters = try fields.decodeIfPresent(Bool.self, forKey: .filter)
        if let tag = try fields.decodeIfPresent(String.self, forKey: .language) {
            guard let language = FilterLanguage(tag: tag) else { throw FilterLanguage.unknown("hearth_language") }
            self.language = language
        }
        constraint = try ConstraintFields.ollama(fields.value(.format), OrderedBody.of(decoder))
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), OllamaFields.refused)
    }

    /// `think` may be a Boolean or a level; every level means true, since models either think or do not.
    private static func thinks(ollama value: JSONValue) throws(HTTPFailure) -> Bool {
        switch value {
        case .null, .bool(false), .string(""): false
        case .bool(true), .string("low"), .string("medium"), .string("high"): true
        default: throw .field("think", #"must be true, false, "low", "medium" or "high"."#)
        }
    }
}

extension HTTPFailure {
    /// The same failure, with its field nested in another one.
    func inside(_ outer: String) -> HTTPFailure {
        guard let field else { return self }
        var failure = self
        failure.field = "\(outer).\(field)"
        let told = "'\(field)'"
        if message.hasPrefix(told) { failure.message = "'\(outer).\(field)'" + message.dropFirst(told.count) }
        return failure
    }
}
