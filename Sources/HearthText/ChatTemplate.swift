public import HearthTokenizer

/// The layout of a conversation for a model.
///
/// The template inside a model file is a program, and executing such programs has been a vulnerability in other runtimes.
/// Hearth never does: it implements the formats of Gemma in code, and chooses one by the architecture and the vocabulary.
///
/// Only the markers of the format become control tokens. Text written by people is encoded as plain text, so `<end_of_turn>`
/// typed by a user stays text.
public struct ChatTemplate: Equatable, Sendable {
    /// The formats of the Gemma generations.
    package enum Family: String, Sendable {
        /// Gemma 1 and 2; the system text goes in front of the first question, trimmed.
        case gemma1and2 = "gemma1-2"
        /// Gemma 3 and 3n; as before, not trimmed.
        case gemma3and3n = "gemma3-3n"
        /// Gemma 4 E2B and E4B; a system turn, thinking on request.
        case gemma4Small = "gemma4-small"
        /// Gemma 4 12B and above; as before, and without thinking an empty thought is put in the model's mouth.
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
        /// Text without any power.
        case text(String)
    }

    /// The format in use.
    package let family: Family
    /// Whether the model is asked to think first (Gemma 4 only; others have no such marker).
    package var thinking: Bool
    /// In what the template in the model's file differs from the known ones; nil where it does not, or there is none.
    package var difference: String?

    /// A known format.
    package init(family: Family, thinking: Bool = false) {
        self.family = family
        self.thinking = thinking
    }

    /// The format of a model.
    ///
    /// - Parameters:
    ///   - architecture: `general.architecture`.
    ///   - perLayerWidth: `<architecture>.embedding_length_per_layer_input`: zero tells the large Gemma 4 from the small.
    /// - Throws: ``TextError/noChatTemplate(architecture:)`` when the vocabulary has no turn markers (base models).
    package init(
        architecture: String, vocabulary: Vocabulary, perLayerWidth: Int? = nil, thinking: Bool = false
    ) throws(TextError) {
        func has(_ family: Family) -> Bool {
            vocabulary.id(of: family.turnOpen) != nil && vocabulary.id(of: family.turnClose) != nil
        }
        let family: Family
        if has(.gemma4Small) {
            family = perLayerWidth == 0 ? .gemma4Large : .gemma4Small
        } else if has(.gemma3and3n) {
            family = ["gemma", "gemma2"].contains(architecture) ? .gemma1and2 : .gemma3and3n
        } else {
            throw .noChatTemplate(architecture: architecture)
        }
        self.init(family: family, thinking: thinking)
    }

    /// The conversation as one string, from `<bos>` to the point where the model's answer begins.
    ///
    /// For people and tests only: encoding this string with special tokens enabled would let user text become control tokens.
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
    /// - Throws: ``TextError/invalidConversation(_:)``, ``TextError/missingMarker(_:)``.
    public func encode(_ messages: [ChatMessage], _ tokenizer: TextTokenizer) throws(TextError) -> [TokenID] {
        try encode(messages, tokenizer, tools: nil)
    }

    /// The same with functions that the model may call, and perhaps with the beginning of the answer.
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
                guard let id = tokenizer.vocabulary.id(of: marker) else { throw .missingMarker(marker) }
                tokens.append(id)
            case .text(let text):
                tokenizer.append(Array(text.utf8), matching: .harmless, to: &tokens)
            }
        }
        return tokens
    }

    /// How many leading tokens of a conversation come from its instructions, whatever is said afterwards; 0 without instructions.
    ///
    /// - Parameter tokens: of the conversation, by `encode`.
    /// - Throws: as `encode`.
    package func prefixTokens(
        of messages: [ChatMessage], _ tokens: [TokenID], _ tokenizer: TextTokenizer, tools: ToolRules? = nil
    ) throws(TextError) -> Int {
        let system = messages.first.flatMap { $0.role == .system ? $0 : nil }
        guard system != nil || tools != nil else { return 0 }
        var common = tokens.count
        // Two questions that begin differently; tokens at the border depend on what follows.
        for question in ["a", "1"] {
            let asked = (system.map { [$0] } ?? []) + [ChatMessage(role: .user, content: question)]
            let other = try encode(asked, tokenizer, tools: tools)
            common = zip(other, tokens[..<common]).prefix { $0 == $1 }.count
        }
        return common
    }

    /// A message, after what the model is told before it, as a prompt.
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

    /// The conversation in parts; neighbouring texts are one part, so that cutting never changes their tokens.
    ///
    /// - Parameters:
    ///   - tools: functions that the model may call.
    ///   - format: how calls and results are written.
    ///   - continues: whether the last message is the beginning of the answer, and is the model's.
    /// - Throws: ``TextError/invalidConversation(_:)``; `.invalidConstraint` for arguments of a call that are no JSON.
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
        // A turn of the model that goes on: results of calls are a part of it, and so is what is said of them.
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
        if family == .gemma4Large && !thinking {
            parts.marker("<|channel>")
            parts.text("thought\n")
            parts.marker("<channel|>")
        }
        return parts.all
    }
}

extension ChatTemplate {
    /// Collects parts, joining neighbouring texts.
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

    /// Messages as people and programs send them, as turns: neighbours of one role are one.
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

    /// An optional system message, then user and assistant in turn, beginning and ending with user. Behind calls come their
    /// results, and these may end it as well.
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

    /// Without white space at both ends; what counts as white space is what the published templates' `trim` takes.
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

    /// Drops `<|channel>` ... `<channel|>`, an unfinished thought to the end, and a close without an open, as the
    /// published template does. Works on scalars: a mark after `>` must not hide the marker.
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
