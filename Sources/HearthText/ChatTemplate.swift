public import HearthTokenizer

/// The chat template of a model: how a conversation is laid out as tokens.
///
/// The template inside a model file is a program, and executing such programs has been a vulnerability in other runtimes.
/// Hearth never executes it: it implements Gemma's formats in code, and selects one by architecture and vocabulary.
///
/// Only the format's own markers become control tokens. Message text is encoded as plain text, so `<end_of_turn>` typed by a
/// user stays text.
public struct ChatTemplate: Equatable, Sendable {
    /// The formats of the Gemma generations.
    package enum Family: String, Sendable {
        /// Gemma 1 and 2; the system message is trimmed and put before the first user message.
        case gemma1and2 = "gemma1-2"
        /// Gemma 3 and 3n; as above, but not trimmed.
        case gemma3and3n = "gemma3-3n"
        /// Gemma 4 E2B and E4B; a separate system turn, thinking on request.
        case gemma4Small = "gemma4-small"
        /// Gemma 4 12B and above; as above, and an empty thought is prefilled when thinking is off.
        case gemma4Large = "gemma4-large"

        var name: String {
            switch self {
            case .gemma1and2: "Gemma 1 and 2"
            case .gemma3and3n: "Gemma 3"
            case .gemma4Small, .gemma4Large: "Gemma 4"
            }
        }
        package var isGemma4: Bool { self == .gemma4Small || self == .gemma4Large }
        var turnOpen: String { isGemma4 ? "<|turn>" : "<start_of_turn>" }
        var turnClose: String { isGemma4 ? "<turn|>" : "<end_of_turn>" }
    }

    /// A part of a rendered conversation.
    package enum Segment: Equatable, Sendable {
        /// A control token, by its text.
        case marker(String)
        /// Plain text, in which markers have no effect.
        case text(String)
    }

    /// The chat format.
    package let family: Family
    /// Whether the model is asked to think first (Gemma 4 only; other families have no such marker).
    package var thinking: Bool
    /// How the template in the model's file differs from the known ones; nil if it does not, or there is none.
    package var difference: String?
    /// Path of the model, for errors.
    package var file = "model"

    /// Creates a template of a known format.
    package init(family: Family, thinking: Bool = false) {
        self.family = family
        self.thinking = thinking
    }

    /// Selects the format of a model; nil if the vocabulary has no turn markers (base models).
    ///
    /// - Parameters:
    ///   - architecture: `general.architecture`.
    ///   - perLayerWidth: `<architecture>.embedding_length_per_layer_input`; zero indicates a large Gemma 4.
    package init?(
        architecture: String, vocabulary: Vocabulary, perLayerWidth: Int? = nil, thinking: Bool = false
    ) {
        func has(_ family: Family) -> Bool {
            vocabulary.id(of: family.turnOpen) != nil && vocabulary.id(of: family.turnClose) != nil
        }
        let family: Family
        if has(.gemma4Small) {
            family = perLayerWidth == 0 ? .gemma4Large : .gemma4Small
        } else if has(.gemma3and3n) {
            family = ["gemma", "gemma2"].contains(architecture) ? .gemma1and2 : .gemma3and3n
        } else {
            return nil
        }
        self.init(family: family, thinking: thinking)
    }

    /// The conversation as one string, from `<bos>` to the start of the model's answer.
    ///
    /// For display and tests only: encoding this string with special tokens enabled would let user text become control tokens.
    ///
    /// - Throws: ``TextError/invalidConversation(_:)``.
    package func render(_ messages: [ChatMessage]) throws(TextError) -> String {
        try segments(messages).map { segment in
            switch segment {
            case .marker(let text), .text(let text): text
            }
        }.joined()
    }

    /// The conversation as token ids, with one beginning-of-text token.
    ///
    /// - Throws: ``TextError/invalidConversation(_:)``, ``TextError/missingMarker(file:marker:)``.
    public func encode(_ messages: [ChatMessage], _ tokenizer: TextTokenizer) throws(TextError) -> [TokenID] {
        try encode(messages, tokenizer, tools: nil)
    }

    /// The same with tool definitions, and optionally with the beginning of the answer.
    package func encode(
        _ messages: [ChatMessage], _ tokenizer: TextTokenizer, tools: ToolRules?, continues: Bool = false
    ) throws(TextError) -> [TokenID] {
        var tokens: [TokenID] = []
        let format = ToolFormat(self, tokenizer.vocabulary)
        for segment in try segments(messages, tools: tools, format: format, continues: continues) {
            switch segment {
            case .marker("<bos>"):
                let bos = tokenizer.vocabulary.special.bos ?? tokenizer.vocabulary.id(of: "<bos>")
                if let bos { tokens.append(bos) }
            case .marker(let marker):
                guard let id = tokenizer.vocabulary.id(of: marker) else {
                    throw .missingMarker(file: file, marker: marker)
                }
                tokens.append(id)
            case .text(let text):
                tokenizer.append(Array(text.utf8), matching: .harmless, to: &tokens)
            }
        }
        return tokens
    }

    /// Number of leading tokens that come from the system message and tools, whatever follows; 0 if there are none.
    ///
    /// - Parameter tokens: the conversation's tokens, from `encode`.
    /// - Throws: as `encode`.
    package func prefixTokens(
        of messages: [ChatMessage], _ tokens: [TokenID], _ tokenizer: TextTokenizer, tools: ToolRules? = nil
    ) throws(TextError) -> Int {
        let system = messages.first.flatMap { $0.role == .system ? $0 : nil }
        guard system != nil || tools != nil else { return 0 }
        var common = tokens.count
        // Encode with two messages that begin differently: tokens at the boundary depend on what follows.
        for question in ["a", "1"] {
            let asked = (system.map { [$0] } ?? []) + [ChatMessage(role: .user, content: question)]
            let other = try encode(asked, tokenizer, tools: tools)
            common = zip(other, tokens[..<common]).prefix { $0 == $1 }.count
        }
        return common
    }

    /// Encodes a single message, preceded by a system message, as a prompt.
    ///
    /// - Returns: the tokens, and how many leading ones come from `instructions`.
    /// - Throws: as `encode`.
    package func prompt(
        _ message: String, instructions: String?, _ tokenizer: TextTokenizer
    ) throws(TextError) -> (tokens: [TokenID], prefix: Int) {
        var messages = [ChatMessage(role: .user, content: message)]
        if let instructions { messages.insert(ChatMessage(role: .system, content: instructions), at: 0) }
        let tokens = try encode(messages, tokenizer)
        return (tokens, try prefixTokens(of: messages, tokens, tokenizer))
    }

    /// The conversation as segments. Adjacent texts form one segment, so that splitting never changes their tokens.
    ///
    /// - Parameters:
    ///   - tools: functions that the model may call.
    ///   - format: how calls and results are written.
    ///   - continues: whether the last message is the beginning of the answer, for the model to continue.
    /// - Throws: ``TextError/invalidConversation(_:)``; `.invalidConstraint` if the arguments of a call are not JSON.
    package func segments(
        _ messages: [ChatMessage], tools: ToolRules? = nil, format: ToolFormat = .json, continues: Bool = false
    ) throws(TextError) -> [Segment] {
        var (system, turns) = try Self.check(messages, continues: continues)
        let toolText = ToolText(format)
        var declarations = try tools.map { rules throws(TextError) in try toolText.declarations(rules) } ?? []
        if format == .json {
            turns = try toolText.plain(turns)
            if case .text(let text)? = declarations.first { system = (system.map { $0 + "\n\n" } ?? "") + text }
            declarations = []
        }
        var parts = Parts()
        parts.marker("<bos>")
        var preface = ""
        if family.isGemma4 {
            if thinking || system != nil || !declarations.isEmpty {
                parts.marker(family.turnOpen)
                parts.text("system\n")
                if thinking {
                    parts.marker("<|think|>")
                    parts.text("\n")
                }
                parts.text(Self.trimmed(system ?? ""))
                parts.add(declarations)
                parts.marker(family.turnClose)
                parts.text("\n")
            }
        } else if !declarations.isEmpty {
            parts.marker(family.turnOpen)
            parts.text("developer\n" + Self.trimmed(system ?? ToolText.developerText))
            parts.add(declarations)
            parts.marker(family.turnClose)
            parts.text("\n")
        } else if let system {
            preface = (family == .gemma1and2 ? Self.trimmed(system) : system) + "\n\n"
        }
        // Whether a model turn is open: tool results, and what the model says about them, belong to the same turn as the call.
        var isOpen = false
        for (index, turn) in zip(turns.indices, turns) {
            if !isOpen || turn.role == .user {
                if isOpen { parts.close(family) }
                parts.marker(family.turnOpen)
                parts.text(turn.role == .user ? "user\n" : "model\n")
            }
            parts.text(preface)
            preface = ""
            if turn.role == .tool {
                parts.add(toolText.result(turn.content, of: turn.toolName ?? ""))
                continue
            }
            let isLast = continues && index == turns.endIndex - 1
            let unthought =
                family.isGemma4 && turn.role == .assistant ? Self.withoutThoughts(turn.content) : turn.content
            parts.text(isLast ? unthought : Self.trimmed(unthought))
            if let calls = turn.calls { parts.add(try toolText.calls(calls)) }
            isOpen = isLast || turn.calls != nil
            if !isOpen { parts.close(family) }
        }
        if continues { return parts.all }
        if !isOpen {
            parts.marker(family.turnOpen)
            parts.text("model\n")
        }
        // A new turn has an empty thought; after results the model goes on thinking, or goes straight on.
        if isOpen ? family.isGemma4 && thinking : family == .gemma4Large && !thinking {
            parts.marker("<|channel>")
            parts.text("thought\n")
            if !isOpen { parts.marker("<channel|>") }
        }
        return parts.all
    }
}

extension ChatTemplate {
    /// Collects segments, joining adjacent texts.
    private struct Parts {
        private(set) var all: [Segment] = []
        mutating func marker(_ text: String) { all.append(.marker(text)) }
        mutating func text(_ text: String) {
            guard !text.isEmpty else { return }
            if case .text(let before) = all.last {
                all[all.count - 1] = .text(before + text)
            } else {
                all.append(.text(text))
            }
        }
        mutating func add(_ segments: [Segment]) {
            for segment in segments {
                switch segment {
                case .marker(let text): marker(text)
                case .text(let text): self.text(text)
                }
            }
        }
        mutating func close(_ family: Family) {
            marker(family.turnClose)
            text("\n")
        }
    }

    /// Merges consecutive messages of the same role into one.
    package static func joined(_ messages: [ChatMessage]) -> [ChatMessage] {
        messages.reduce(into: []) { turns, message in
            guard let last = turns.last, last.role == message.role, last.role != .tool, last.calls == nil else {
                return turns.append(message)
            }
            if !last.content.isEmpty, !message.content.isEmpty { turns[turns.count - 1].content += "\n\n" }
            turns[turns.count - 1].content += message.content
            turns[turns.count - 1].calls = message.calls
        }
    }

    /// Validates the order: an optional system message, then user and assistant in turn, beginning with user. Calls are
    /// followed by their results. The last message is the user's or a result, or the answer's beginning if `continues`.
    private static func check(
        _ messages: [ChatMessage], continues: Bool
    ) throws(TextError) -> (String?, ArraySlice<ChatMessage>) {
        let system = messages.first?.role == .system ? messages.first?.content : nil
        let turns = messages.dropFirst(system == nil ? 0 : 1)
        guard !turns.isEmpty else { throw .invalidConversation(.noUserMessage) }
        var allowed: Set<ChatRole> = [.user]
        for (index, turn) in zip(turns.indices, turns) {
            guard turn.role != .system else { throw .invalidConversation(.systemNotFirst(index: index)) }
            guard allowed.contains(turn.role) else { throw .invalidConversation(.notAlternating(index: index)) }
            switch turn.role {
            case .user, .system: allowed = [.assistant]
            case .assistant: allowed = turn.calls == nil ? [.user] : [.tool]
            case .tool: allowed = [.tool, .assistant, .user]
            }
        }
        let endsWithAnswer = turns.last?.role == .assistant
        guard endsWithAnswer == continues, turns.last?.calls == nil else {
            throw .invalidConversation(.endsWithAnswer)
        }
        return (system, turns)
    }

    /// Removes white space at both ends; white space is defined as in the `trim` of the published templates.
    static func trimmed(_ text: String) -> String {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || (0x1C...0x1F).contains(scalar.value)
        }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// Removes `<|channel>` ... `<channel|>`, an unfinished thought up to the end, and a closing marker without an opening one,
    /// as the published template does. Compares Unicode scalars, because a combining mark after `>` must not hide the marker.
    package static func withoutThoughts(_ text: String) -> String {
        let open = "<|channel>".unicodeScalars
        let close = "<channel|>".unicodeScalars
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while true {
            let end = rest.firstRange(of: close)
            let part = rest[..<(end?.lowerBound ?? rest.endIndex)]
            result.append(contentsOf: part[..<(part.firstRange(of: open)?.lowerBound ?? part.endIndex)])
            guard let end else { return String(result) }
            rest = rest[end.upperBound...]
        }
    }
}
