internal import Foundation
internal import HearthGrammar
internal import HearthText

/// `/api/tags`, `/api/show`, `/api/ps`, `/api/version`: the served models, in the form that Ollama's clients query.
struct OllamaModels: Sendable {
    var shelf: ModelShelf

    /// The version of Ollama's API that is implemented; clients check it for supported features.
    static let interface = "0.12.11"

    private static let count = "general.parameter_count"

    private typealias Field = (name: String, value: JSONDocument)

    // MARK: - Names

    /// Resolves the model name of a text request.
    /// - Throws: `HTTPFailure` if the name is not served, not installed yet, or names a model that generates no text.
    func name(_ wanted: String) throws(HTTPFailure) -> String {
        do {
            return try shelf.name(OllamaName.served(wanted, shelf.offers.map(\.model.name)))
        } catch {
            throw Self.named(error, wanted)
        }
    }

    /// Resolves the model name of an embedding request.
    func embeddingName(_ wanted: String) throws(HTTPFailure) -> String {
        do {
            return try shelf.embeddingName(OllamaName.served(wanted, shelf.offers.map(\.model.name)))
        } catch {
            throw Self.named(error, wanted)
        }
    }

    /// Uses Ollama's wording, which clients match.
    private static func named(_ failure: HTTPFailure, _ wanted: String) -> HTTPFailure {
        guard failure == .noModel else { return failure }
        return HTTPFailure(404, "model_not_found", "model '\(wanted.prefix(200))' not found", field: "model")
    }

    // MARK: - Answers

    func version() -> ServerResponse { Self.answer([("version", .string(Self.interface))]) }

    func tags() -> ServerResponse {
        let models = shelf.offers.compactMap { offer -> JSONDocument? in
            guard let card = try? ModelCard(path: offer.model.path) else { return nil }
            return .object(Self.head(offer, card))
        }
        return Self.answer([("models", .array(models))])
    }

    func running() async -> ServerResponse {
        let names = await shelf.loaded()
        let models = shelf.offers.compactMap { offer -> JSONDocument? in
            guard names.contains(offer.model.name), let card = try? ModelCard(path: offer.model.path) else {
                return nil
            }
            let context = min(card.contextLength ?? .max, TextGenerator.defaultContextLength)
            // A model stays loaded until its memory is needed, so it practically never expires.
            let end = Date(timeIntervalSinceNow: 100 * 365 * 86_400)
            return .object(
                Self.head(offer, card).filter { $0.name != "modified_at" } + [
                    ("expires_at", .string(OllamaAnswer.time(end))), ("size_vram", .number("0")),
                    ("context_length", .number("\(context)")),
                ])
        }
        return Self.answer([("models", .array(models))])
    }

    private struct ShowRequest: Decodable {
        var model: String?
        var name: String?
        var verbose: Bool?
    }

    func show(_ request: ServerRequest, _ limits: ServerLimits) throws -> ServerResponse {
        let sent = try JSONGuard(limits: limits).decode(ShowRequest.self, from: request.body)
        let wanted = sent.model ?? sent.name ?? ""
        guard !wanted.isEmpty else { throw HTTPFailure(400, "invalid_value", "model is required", field: "model") }
        guard sent.verbose != true else {
            throw HTTPFailure.field("verbose", "asks for full vocabularies, which are not supported. Leave it out.")
        }
        let name = OllamaName.served(wanted, shelf.offers.map(\.model.name))
        guard let offer = shelf.offers.first(where: { $0.model.name == name }) else {
            throw Self.named(.noModel, wanted)
        }
        let card: ModelCard
        do { card = try ModelCard(path: offer.model.path) } catch {
            throw HTTPFailure(
                500, "model_failed", "The model's file cannot be read. Run 'hearth inspect' on the server.")
        }
        var capabilities = [card.givesEmbeddings ? "embedding" : "completion"]
        if card.chats { capabilities.append("tools") }
        if card.thinks { capabilities.append("thinking") }
        return Self.answer([
            ("license", .string(card.license)), ("modelfile", .string("FROM \(OllamaName.tagged(name))\n")),
            ("template", .string(card.chatTemplate)), ("details", Self.details(card)),
            (
                "model_info",
                .object(
                    card.metadata.filter { $0.name != Self.count } + [(Self.count, .number("\(card.parameters)"))])
            ),
            ("capabilities", .array(capabilities.map(JSONDocument.string))),
            ("modified_at", .string(Self.time(offer))),
        ])
    }

    private static func head(_ offer: ModelShelf.Offer, _ card: ModelCard) -> [Field] {
        let name = JSONDocument.string(OllamaName.tagged(offer.model.name))
        return [
            ("name", name), ("model", name), ("modified_at", .string(time(offer))), ("size", .number("\(card.bytes)")),
            ("digest", .string(card.identity)), ("details", details(card)),
        ]
    }

    private static func details(_ card: ModelCard) -> JSONDocument {
        .object([
            ("parent_model", .string("")), ("format", .string("gguf")), ("family", .string(card.architecture)),
            ("families", .array([.string(card.architecture)])),
            ("parameter_size", .string(size(card.parameters))), ("quantization_level", .string(card.quantization)),
        ])
    }

    /// A parameter count in Ollama's format: `270.10M`, `4.3B`.
    static func size(_ count: Int) -> String {
        func text(_ unit: Double, _ digits: Int, _ letter: String) -> String {
            let number = Double(count) / unit
            let isWhole = number == number.rounded(.down)
            return number.formatted(
                .number.locale(Locale(identifier: "en_US_POSIX")).grouping(.never)
                    .precision(.fractionLength(isWhole ? 0 : digits))) + letter
        }
        switch count {
        case 1_000_000_000...: return text(1e9, 1, "B")
        case 1_000_000...: return text(1e6, 2, "M")
        case 1000...: return text(1e3, 0, "K")
        default: return "\(count)"
        }
    }

    private static func time(_ offer: ModelShelf.Offer) -> String {
        OllamaAnswer.time(Date(timeIntervalSince1970: Double(offer.created)))
    }

    private static func answer(_ fields: [Field]) -> ServerResponse {
        ServerResponse(
            type: OllamaAnswer.wholeType, headers: [("Cache-Control", "no-store")],
            body: Array(JSONDocument.object(fields).text.utf8))
    }
}
