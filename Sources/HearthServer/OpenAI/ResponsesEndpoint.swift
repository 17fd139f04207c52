internal import Foundation
internal import HearthGrammar
internal import HearthText

/// `/v1/responses`: the same texts as chat completions, in the format of OpenAI's newer API.
struct ResponsesEndpoint: Sendable {
    var texts: TextEndpoints

    func response(_ request: ServerRequest, _ exchange: HTTPExchange) async throws {
        let sent = try JSONGuard(limits: texts.limits).decode(ResponsesRequest.self, from: request.body)
        let options = sent.options
        var gate = try texts.gate(options) { sent.messages.map(\.content) }
        let messages = gate?.admit(sent.messages) ?? sent.messages
        try await texts.check(options, isFlat: true)
        let name = try texts.shelf.name(options.model)
        let writer = ResponseWriter(
            model: name, created: Int(Date().timeIntervalSince1970), instructions: sent.instructions,
            echo: try OrderedBody(bytes: request.body).value([]), stream: options.stream ? exchange : nil)
        let limit = texts.limits.generationTime
        try await texts.perform(
            name, options, gate, exchange, start: TextEndpoints.start(messages, options)
        ) { writings in
            for writing in writings {
                let outcome = try await writing.write(within: limit) { try await writer.take($0) }
                let whole = try await writer.end(outcome)
                guard !options.stream else { continue }
                exchange.answer(
                    ServerResponse(
                        type: "application/json", headers: [("Cache-Control", "no-store")], body: Array(whole.text.utf8)
                    ))
            }
            if options.stream { exchange.finish() }
        }
    }
}

/// A response in progress: its output items, and the events that report them.
private actor ResponseWriter {
    /// An output item: a message, or a function call.
    private struct Item {
        var id: String
        /// Name of the called function; nil for a message.
        var function: String?
        var call = ""
        /// The message's text, or the call's arguments.
        var text = ""
    }

    private let id = "resp_" + Identifier.random()
    private let model: String
    private let created: Int
    private let instructions: String?
    /// The request; some of its fields are repeated in the response.
    private let echo: JSONDocument
    private let stream: HTTPExchange?
    private var items: [Item] = []
    private var isOpen = false
    private var hasBegun = false
    private var sequence = 0

    init(model: String, created: Int, instructions: String?, echo: JSONDocument, stream: HTTPExchange?) {
        (self.model, self.created, self.instructions) = (model, created, instructions)
        (self.echo, self.stream) = (echo, stream)
    }

    func take(_ piece: TextWriting.Piece) async throws {
        try await begin()
        if !piece.text.isEmpty {
            try await open(nil)
            try await add(piece.text)
        }
        for event in piece.calls {
            switch event {
            case .text: break
            case .began(_, let name): try await open(name)
            case .arguments(_, let text): try await add(text)
            case .ended: try await close("completed")
            }
        }
    }

    /// - Returns: the whole response.
    func end(_ outcome: TextWriting.Outcome) async throws -> JSONDocument {
        try await begin()
        let isCut = outcome.finish == "length" || outcome.finish == SentenceGate.finish
        if items.isEmpty { try await open(nil) }
        try await close(isCut ? "incomplete" : "completed")
        let whole = response(isCut ? "incomplete" : "completed", outcome)
        try await send(isCut ? "response.incomplete" : "response.completed", [("response", whole)])
        return whole
    }

    // MARK: - Items

    private func begin() async throws {
        guard !hasBegun else { return }
        hasBegun = true
        stream?.begin(ServerEvent.head)
        for name in ["created", "in_progress"] {
            try await send("response." + name, [("response", response("in_progress", nil))])
        }
    }

    /// Opens an item: text continues an open message, and each call is a new item.
    private func open(_ function: String?) async throws {
        if isOpen, function == nil, items.last?.function == nil { return }
        try await close("completed")
        var item = Item(id: (function == nil ? "msg_" : "fc_") + Identifier.random(), function: function)
        if function != nil { item.call = "call_" + Identifier.random().prefix(24) }
        items.append(item)
        isOpen = true
        try await send("response.output_item.added", [place, ("item", document(item, "in_progress", isEmpty: true))])
        if function == nil {
            try await send("response.content_part.added", [itemID, place, part, ("part", Self.content(""))])
        }
    }

    private func add(_ text: String) async throws {
        items[items.count - 1].text += text
        if items.last?.function == nil {
            try await send(
                "response.output_text.delta",
                [itemID, place, part, ("delta", .string(text)), ("logprobs", .array([]))])
        } else {
            try await send("response.function_call_arguments.delta", [itemID, place, ("delta", .string(text))])
        }
    }

    private func close(_ status: String) async throws {
        guard isOpen, let item = items.last else { return }
        isOpen = false
        if let function = item.function {
            try await send(
                "response.function_call_arguments.done",
                [itemID, place, ("name", .string(function)), ("arguments", .string(item.text))])
        } else {
            try await send(
                "response.output_text.done",
                [itemID, place, part, ("text", .string(item.text)), ("logprobs", .array([]))])
            try await send("response.content_part.done", [itemID, place, part, ("part", Self.content(item.text))])
        }
        try await send("response.output_item.done", [place, ("item", document(item, status))])
    }

    private typealias Field = (name: String, value: JSONDocument)
    private var place: Field { ("output_index", .number("\(items.count - 1)")) }
    private var itemID: Field { ("item_id", .string(items.last?.id ?? "")) }
    private var part: Field { ("content_index", .number("0")) }

    private func send(_ type: String, _ fields: [Field]) async throws {
        guard let stream else { return }
        let event = JSONDocument.object(
            [("type", .string(type)), ("sequence_number", .number("\(sequence)"))] + fields)
        sequence += 1
        try await stream.send(Array("event: \(type)\ndata: \(event.text)\n\n".utf8))
    }

    // MARK: - Documents

    private static func content(_ text: String) -> JSONDocument {
        .object([
            ("type", .string("output_text")), ("text", .string(text)), ("annotations", .array([])),
            ("logprobs", .array([])),
        ])
    }

    private func document(_ item: Item, _ status: String, isEmpty: Bool = false) -> JSONDocument {
        let head: [Field] = [("id", .string(item.id)), ("status", .string(status))]
        guard let function = item.function else {
            return .object(
                head + [
                    ("type", .string("message")), ("role", .string("assistant")),
                    ("content", .array(isEmpty ? [] : [Self.content(item.text)])),
                ])
        }
        return .object(
            head + [
                ("type", .string("function_call")), ("call_id", .string(item.call)), ("name", .string(function)),
                ("arguments", .string(item.text)),
            ])
    }

    private func response(_ status: String, _ outcome: TextWriting.Outcome?) -> JSONDocument {
        func told(_ name: String, _ other: JSONDocument) -> Field {
            let value = echo[name] ?? .null
            return (name, value == .null ? other : value)
        }
        let reason = outcome?.finish == "length" ? "max_output_tokens" : "content_filter"
        var fields: [Field] = [
            ("id", .string(id)), ("object", .string("response")), ("created_at", .number("\(created)")),
            ("status", .string(status)), ("error", .null),
            (
                "incomplete_details",
                status == "incomplete" ? .object([("reason", .string(reason))]) : .null
            ),
            ("instructions", instructions.map(JSONDocument.string) ?? .null), told("max_output_tokens", .null),
            ("model", .string(model)),
            (
                "output",
                .array(
                    outcome == nil
                        ? []
                        : items.enumerated().map { index, item in
                            document(item, index == items.count - 1 ? status : "completed")
                        })
            ),
            told("parallel_tool_calls", .bool(true)), ("previous_response_id", .null),
            told("temperature", .number("1")), told("top_p", .number("1")),
            told("text", .object([("format", .object([("type", .string("text"))]))])),
            told("tool_choice", .string("auto")), told("tools", .array([])), told("metadata", .object([])),
            ("truncation", .string("disabled")), ("usage", .null),
        ]
        if let usage = outcome?.usage {
            func number(_ count: Int) -> JSONDocument { .number("\(count)") }
            fields[fields.count - 1].value = .object([
                ("input_tokens", number(usage.promptTokens)),
                (
                    "input_tokens_details",
                    .object([("cached_tokens", number(usage.cachedTokens)), ("cache_write_tokens", number(0))])
                ),
                ("output_tokens", number(usage.completionTokens)),
                ("output_tokens_details", .object([("reasoning_tokens", number(0))])),
                ("total_tokens", number(usage.promptTokens + usage.completionTokens)),
            ])
        }
        return .object(fields)
    }
}
