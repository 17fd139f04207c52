internal import Foundation

/// A function of the app that a model may call while it answers.
///
///     struct Weather: ChatTool {
///         struct Arguments: Decodable { var city: String }
///         let name = "weather"
///         let description = "Tells the weather of a city."
///         func call(_ arguments: Arguments) async throws -> String { "sunny in \(arguments.city)" }
///     }
///
/// The schema of the arguments is derived from their type, and the model can write nothing else. What `call` throws is told to the
/// model, which may try again or say so.
public protocol ChatTool: Sendable {
    /// What the model gives: a structure, or a class, whose members can be described (``TextSchema``).
    associatedtype Arguments: Decodable

    /// Letters, digits, `_` and `-`, at most 64; no two tools of a session share one.
    var name: String { get }
    /// What the function does, for the model.
    var description: String { get }
    /// Does it. Cancelled where the answer is.
    /// - Returns: what the model is told: text, or an object of JSON.
    func call(_ arguments: Arguments) async throws -> String
}

extension ChatTool {
    var definition: ToolDefinition {
        get throws(TextError) {
            guard ToolDefinition.isName(name) else {
                throw .invalidOption(
                    name: "a tool's name", value: name, allowed: "letters, digits, '_' and '-', at most 64")
            }
            return ToolDefinition(
                name: name, description: description, parameters: try TextSchema(of: Arguments.self).json)
        }
    }

    /// Calls it with arguments as the model wrote them.
    func call(json: String) async throws -> String {
        try await call(TextSchema.decode(Arguments.self, json))
    }
}

/// The tools of a conversation, and how often the model may call them before it has to answer.
package struct ChatTools: Sendable {
    private let tools: [any ChatTool]
    /// Most answers that call functions, of one message.
    private let rounds: Int
    /// Sees what goes to a tool and what comes from it, where a child reads the answer.
    private let review: (@Sendable (String) -> String?)?

    package init(_ tools: [any ChatTool], rounds: Int, review: (@Sendable (String) -> String?)? = nil) {
        (self.tools, self.rounds, self.review) = (tools, rounds, review)
    }

    package var isEmpty: Bool { tools.isEmpty }

    /// - Parameter round: of the message's answers, from 0.
    /// - Throws: `TextError` for a tool that cannot be offered.
    func rules(round: Int) throws(TextError) -> ToolRules? {
        if tools.isEmpty { return nil }
        var definitions: [ToolDefinition] = []
        for tool in tools {
            let definition = try tool.definition
            guard !definitions.contains(where: { $0.name == definition.name }) else {
                throw .invalidOption(name: "a tool's name", value: definition.name, allowed: "different from others'")
            }
            definitions.append(definition)
        }
        return ToolRules(definitions, choice: round < rounds ? .auto : .none)
    }

    /// What the model is told of a call. Errors are told as well; cancellation is thrown.
    func result(of call: ToolCall) async throws -> String {
        guard let tool = tools.first(where: { $0.name == call.name }) else {
            return Self.failure("there is no function of this name")
        }
        guard review.map({ $0(call.arguments) != nil }) ?? true else {
            return Self.failure("the arguments are refused")
        }
        do {
            let result = try await tool.call(json: call.arguments)
            try Task.checkCancellation()
            guard let review else { return result }
            return review(result) ?? Self.failure("the result is not for children")
        } catch {
            try Task.checkCancellation()
            let reason = error.localizedDescription
            return Self.failure(review.map { $0(reason) ?? "it failed" } ?? reason)
        }
    }

    private static func failure(_ reason: String) -> String { JSONText.object(["error": reason]) }
}
