package import HearthGrammar
package import HearthTokenizer

/// A function that a model may call.
package struct ToolDefinition: Sendable, Equatable, Codable {
    /// Letters, digits, `_` and `-`, at most 64.
    package var name: String
    package var description: String
    /// JSON Schema of the arguments, an object.
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

/// A call of a function by a model.
package struct ToolCall: Sendable, Equatable, Codable {
    package var id: String
    package var name: String
    /// A JSON object.
    package var arguments: String

    package init(id: String, name: String, arguments: String) {
        (self.id, self.name, self.arguments) = (id, name, arguments)
    }
}

/// How a model writes calls.
package enum ToolFormat: String, Sendable, Codable {
    /// Gemma 1 to 3: an object of JSON and nothing else.
    case json
    /// FunctionGemma: between control tokens, after a turn of the developer.
    case functionGemma
    /// Between control tokens, after declarations in the system's turn.
    case gemma4

    package init(_ template: ChatTemplate, _ vocabulary: Vocabulary) {
        guard vocabulary.toolMarkers != nil else {
            self = .json
            return
        }
        self = template.family.isGemma4 ? .gemma4 : .functionGemma
    }
}

/// Which functions a model may call in an answer, and how: what its text has to be then.
package struct ToolRules: Sendable, Equatable, Codable {
    package enum Choice: Sendable, Equatable, Codable {
        /// Text only, although the model knows of the functions.
        case none
        /// Text or calls, as the model likes.
        case auto
        /// At least one call.
        case required
        /// One call of this function.
        case named(String)
    }

    package var tools: [ToolDefinition]
    package var choice: Choice
    /// Whether an answer may hold several calls.
    package var allowsSeveral: Bool
    package var format: ToolFormat
    /// What an answer is that calls nothing, where the model may choose; nil for any text.
    package var answer: TextConstraint?

    /// Most calls in an answer.
    package static let mostCalls = 16

    package init(_ tools: [ToolDefinition], choice: Choice, allowsSeveral: Bool = true, format: ToolFormat = .json) {
        (self.tools, self.choice, self.allowsSeveral, self.format) = (tools, choice, allowsSeveral, format)
    }

    /// What an answer may be.
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

    /// One call, or several where that is allowed, and nothing else.
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

    /// - Throws: `GrammarError.unsupported` where a reader could not tell an answer from a call by its beginning.
    private func form(_ answer: TextConstraint, _ calls: [GrammarExpression]) throws(GrammarError) -> GrammarExpression
    {
        let form: GrammarExpression
        switch answer {
        case .jsonSchema(let text): form = .schema(try JSONDocument(text.utf8), .json)
        case .regularExpression(let text): form = .regex(text)
        case .choices(let texts): form = .choice(texts.map(GrammarExpression.text))
        case .grammar: throw .unsupported(["a grammar beside functions"])
        }
        if format == .json {
            var machine = try Grammar(form).machine
            for head in callHeads {
                var state = machine.start
                for byte in head.utf8 where state != GrammarMachine.dead { state = machine.next(state, byte) }
                if state != GrammarMachine.dead {
                    throw .unsupported(["an answer that may begin as a call: \(head)"])
                }
            }
        }
        return form
    }

    /// How a call can begin, up to its arguments, for models without tokens for it.
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

    /// What begins as a call is one: a reader can tell by the first character that is no blank, or the first two.
    private static let otherText = #"\s*(?:\[(?:[^{][\s\S]*)?|[^\s{[][\s\S]*)?"#

    private func native(_ call: GrammarExpression) -> GrammarExpression {
        guard choice == .auto else { return called(call) }
        return .sequence([
            .regex(#"[\s\S]*"#), .repetition(call, least: 0, most: several ? Self.mostCalls : 1),
        ])
    }
}
