package import HearthGrammar
package import HearthTokenizer

/// A function that a model may call.
package struct ToolDefinition: Sendable, Equatable, Codable {
    /// Letters, digits, `_` and `-`, at most 64 characters.
    package var name: String
    package var description: String
    /// JSON Schema of the arguments, which must be an object.
    package var parameters: String

    package init(name: String, description: String, parameters: String) {
        (self.name, self.description, self.parameters) = (name, description, parameters)
    }

    package static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
                default: false
                }
            }
    }
}

/// A function call by a model.
package struct ToolCall: Sendable, Equatable, Codable {
    package var id: String
    package var name: String
    /// A JSON object.
    package var arguments: String

    package init(id: String, name: String, arguments: String) {
        (self.id, self.name, self.arguments) = (id, name, arguments)
    }
}

/// The notation in which a model writes calls.
package enum ToolFormat: String, Sendable, Codable {
    /// Gemma 1 to 3: a JSON object and nothing else.
    case json
    /// FunctionGemma: between control tokens, after declarations in a developer turn.
    case functionGemma
    /// Gemma 4: between control tokens, after declarations in the system turn.
    case gemma4

    package init(_ template: ChatTemplate, _ vocabulary: Vocabulary) {
        guard vocabulary.toolMarkers != nil else {
            self = .json
            return
        }
        self = template.family.isGemma4 ? .gemma4 : .functionGemma
    }
}

/// The functions that a model may call in an answer, and the constraint that results for its text.
package struct ToolRules: Sendable, Equatable, Codable {
    package enum Choice: Sendable, Equatable, Codable {
        /// Text only, although the functions are declared.
        case none
        /// Text or calls, chosen by the model.
        case auto
        /// At least one call.
        case required
        /// A call of this function.
        case named(String)
    }

    package var tools: [ToolDefinition]
    package var choice: Choice
    /// Whether an answer may contain several calls.
    package var allowsSeveral: Bool
    package var format: ToolFormat
    /// With `auto`, the constraint on an answer without calls; nil for any text.
    package var answer: TextConstraint?

    /// Maximum number of calls in an answer.
    package static let mostCalls = 16

    package init(_ tools: [ToolDefinition], choice: Choice, allowsSeveral: Bool = true, format: ToolFormat = .json) {
        (self.tools, self.choice, self.allowsSeveral, self.format) = (tools, choice, allowsSeveral, format)
    }

    /// Compiles the constraint on the answer.
    /// - Throws: `TextError.invalidConstraint`, `.unsupportedConstraint`.
    package func compiled() throws(TextError) -> Grammar {
        try GrammarCache.shared.grammar(self) { () throws(GrammarError) in try Grammar(try expression()) }
    }

    private var several: Bool { if case .named = choice { false } else { allowsSeveral } }

    private func expression() throws(GrammarError) -> GrammarExpression {
        var calls: [GrammarExpression] = []
        for tool in tools {
            if case .named(let name) = choice, name != tool.name { continue }
            let schema = try SchemaNarrowing.arguments(JSONDocument(tool.parameters.utf8))
            calls.append(
                format == .json
                    ? .sequence([
                        .regex(#"\{ ?"name": ?"\#(tool.name)", ?"parameters": ?"#), .schema(schema, .json), .text("}"),
                    ])
                    : .sequence([
                        .bytes(ReservedBytes.callStart), .text("call:\(tool.name)"), .schema(schema, .gemma),
                        .bytes(ReservedBytes.callEnd),
                    ]))
        }
        if let answer, choice == .auto { return .choice([called(.choice(calls)), try form(answer, calls)]) }
        if choice == .none { return .regex(format == .json ? Self.otherText : #"[\s\S]*"#) }
        let call = GrammarExpression.choice(calls)
        return format == .json ? json(call) : native(call)
    }

    /// One call, or several if allowed, and nothing else.
    private func called(_ call: GrammarExpression) -> GrammarExpression {
        let most = several ? Self.mostCalls : 1
        guard format == .json else { return .repetition(call, least: 1, most: most) }
        guard several else { return call }
        let more = GrammarExpression.repetition(.sequence([.regex(", ?"), call]), least: 0, most: most - 1)
        return .choice([call, .sequence([.text("["), call, more, .text("]")])])
    }

    private func json(_ call: GrammarExpression) -> GrammarExpression {
        guard choice == .auto else { return called(call) }
        return .choice([.sequence([.regex(#"\s{0,2}"#), called(call)]), .regex(Self.otherText)])
    }

    /// - Throws: `GrammarError.malformed` if the beginning of an answer could also be that of a call.
    private func form(_ answer: TextConstraint, _ calls: [GrammarExpression]) throws(GrammarError) -> GrammarExpression
    {
        let form: GrammarExpression
        switch answer {
        case .jsonSchema(let text): form = .schema(try JSONDocument(text.utf8), .json)
        case .regularExpression(let text): form = .regex(text)
        case .choices(let texts): form = .choice(texts.map(GrammarExpression.text))
        case .grammar: throw .unsupported(["a grammar together with functions"])
        }
        if format == .json {
            var machine = try Grammar(form).machine
            for head in callHeads {
                var state = machine.start
                for byte in head.utf8 where state != GrammarMachine.dead { state = machine.next(state, byte) }
                if state != GrammarMachine.dead {
                    throw .malformed(
                        place: head,
                        problem: "an answer could begin like a call of a function; use a schema that lists its members")
                }
            }
        }
        return form
    }

    /// The possible beginnings of a call, up to its arguments, for models without tool call tokens.
    package var callHeads: [String] {
        let blanks = ["", " "]
        var heads: [String] = []
        for tool in tools {
            for first in several ? ["{", "[{"] : ["{"] {
                for (a, b) in blanks.flatMap({ a in blanks.map { (a, $0) } }) {
                    for (c, d) in blanks.flatMap({ c in blanks.map { (c, $0) } }) {
                        heads.append(#"\#(first)\#(a)"name":\#(b)"\#(tool.name)",\#(c)"parameters":\#(d)"#)
                    }
                }
            }
        }
        return heads
    }

    /// Text that does not begin like a call: its first one or two characters after white space tell it apart.
    private static let otherText = #"\s*(?:\[(?:[^{][\s\S]*)?|[^\s{[][\s\S]*)?"#

    private func native(_ call: GrammarExpression) -> GrammarExpression {
        guard choice == .auto else { return called(call) }
        return .sequence([
            .regex(#"[\s\S]*"#), .repetition(call, least: 0, most: several ? Self.mostCalls : 1),
        ])
    }
}
