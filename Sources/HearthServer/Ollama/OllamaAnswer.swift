internal import Foundation
internal import HearthGrammar
internal import HearthText

/// Responses in Ollama's format: one line of JSON for each piece, or one for the whole.
struct OllamaAnswer: Sendable {
    enum Kind: Sendable { case chat, generate }

    var kind: Kind
    /// The model's name as sent in the request.
    var model: String

    static let streamType = "application/x-ndjson"
    static let wholeType = "application/json; charset=utf-8"
    static let headers = [(name: "Cache-Control", value: "no-store"), (name: "X-Accel-Buffering", value: "no")]
    static var head: ServerResponse { ServerResponse(type: streamType, headers: headers, body: []) }

    private typealias Field = (name: String, value: JSONDocument)

    /// One piece of a response; its tool calls are complete.
    func piece(_ piece: TextWriting.Piece) -> [UInt8] { line(content(piece) + [("done", .bool(false))]) }

    /// The last line: the final piece, the finish reason, token counts and durations.
    func last(
        _ piece: TextWriting.Piece, _ outcome: TextWriting.Outcome,
        _ times: (total: Int, load: Int, prompt: Int, answer: Int)
    ) -> [UInt8] {
        // Ollama reports `stop` for tool calls.
        let reason = outcome.finish == "tool_calls" ? "stop" : outcome.finish
        func number(_ number: Int) -> JSONDocument { .number("\(number)") }
        return line(
            content(piece) + [
                ("done", .bool(true)), ("done_reason", .string(reason)), ("total_duration", number(times.total)),
                ("load_duration", number(times.load)), ("prompt_eval_count", number(outcome.usage.promptTokens)),
                ("prompt_eval_duration", number(times.prompt)), ("eval_count", number(outcome.usage.completionTokens)),
                ("eval_duration", number(times.answer)),
            ])
    }

    /// The response to loading or unloading a model, without text.
    func kept(_ reason: String) -> [UInt8] {
        line(content(TextWriting.Piece()) + [("done", .bool(true)), ("done_reason", .string(reason))])
    }

    private func line(_ fields: [Field]) -> [UInt8] {
        let head: [Field] = [("model", .string(model)), ("created_at", .string(Self.time(Date())))]
        return Array(JSONDocument.object(head + fields).text.utf8) + [UInt8(ascii: "\n")]
    }

    private func content(_ piece: TextWriting.Piece) -> [Field] {
        var fields: [Field] = [(kind == .chat ? "content" : "response", .string(piece.text))]
        if !piece.thought.isEmpty { fields.append(("thinking", .string(piece.thought))) }
        if kind == .chat {
            fields.insert(("role", .string("assistant")), at: 0)
            let calls = Self.calls(piece.calls)
            if !calls.isEmpty { fields.append(("tool_calls", .array(calls))) }
            fields = [("message", .object(fields))]
        }
        if let logprobs = piece.logprobs, !logprobs.isEmpty,
            let told = try? JSONDocument(JSONText.bytes(logprobs))
        {
            fields.append(("logprobs", told))
        }
        return fields
    }

    private static func calls(_ events: [ToolCallReader.Event]) -> [JSONDocument] {
        var calls: [(number: Int, name: String, arguments: String)] = []
        for event in events {
            switch event {
            case .began(let number, let name): calls.append((number, name, ""))
            case .arguments(_, let text): if !calls.isEmpty { calls[calls.count - 1].arguments += text }
            case .text, .ended: break
            }
        }
        return calls.map { call in
            let arguments = (try? JSONDocument(call.arguments.utf8)) ?? .object([])
            return .object([
                ("id", .string("call_" + Identifier.random().prefix(24))),
                (
                    "function",
                    .object([
                        ("index", .number("\(call.number)")), ("name", .string(call.name)), ("arguments", arguments),
                    ])
                ),
            ])
        }
    }

    /// A date in RFC 3339 format.
    static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

/// Turns pieces into lines: a tool call is held back until it is complete, and dropped if it never is.
struct OllamaTaker: Sendable {
    /// The whole response so far; nil when streaming.
    var whole: TextWriting.Piece?
    private var open: [ToolCallReader.Event] = []

    init(whole: TextWriting.Piece?) { self.whole = whole }

    /// - Returns: the piece to send now; nil if there is none.
    mutating func take(_ piece: TextWriting.Piece) -> TextWriting.Piece? {
        var ready = piece
        ready.calls = []
        for event in piece.calls {
            open.append(event)
            guard case .ended = event else { continue }
            ready.calls += open
            open = []
        }
        guard var all = whole else { return ready.isEmpty ? nil : ready }
        all.text += ready.text
        all.thought += ready.thought
        all.calls += ready.calls
        if let logprobs = ready.logprobs { all.logprobs = (all.logprobs ?? []) + logprobs }
        whole = all
        return nil
    }
}
