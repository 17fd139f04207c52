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
/// The JSON schema of the arguments is derived from their type and constrains the output. An error thrown by `call` is passed
/// to the model, which may try again or report it.
public protocol ChatTool: Sendable {
    /// The arguments: a structure or class whose members can be described (``TextSchema``).
    associatedtype Arguments: Decodable

    /// Letters, digits, `_` and `-`, at most 64 characters; unique within a session.
    var name: String { get }
    /// What the function does, written for the model.
    var description: String { get }
    /// Runs the function. Cancelled together with the answer.
    /// - Returns: the result for the model: text, or a JSON object.
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

    /// Calls the function with arguments as the model wrote them.
    func call(json: String) async throws -> String {
        try await call(TextSchema.decode(Arguments.self, json))
    }
}

/// The tools of a conversation, and how often the model may call them before it has to answer.
package struct ChatTools: Sendable {
    private let tools: [any ChatTool]
    /// Maximum number of tool-calling answers per message.
    private let rounds: Int
    /// Checks what is sent to a tool and what it returns, for conversations with children.
    private let review: (@Sendable (String) -> String?)?

    package init(_ tools: [any ChatTool], rounds: Int, review: (@Sendable (String) -> String?)? = nil) {
        (self.tools, self.rounds, self.review) = (tools, rounds, review)
    }

    package var isEmpty: Bool { tools.isEmpty }

    /// - Parameter round: index of the answer to the current message, from 0.
    /// - Throws: `TextError` if a tool's definition is invalid.
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

    /// The result of a call for the model. Errors are returned as text; cancellation is thrown.
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
