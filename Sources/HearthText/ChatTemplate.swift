/// How a conversation is laid out for a model.
///
/// The template inside a model file is a program, and running it has been a way into other runtimes more than once.
/// Hearth never does: it has the formats of Gemma as code, and picks one by the architecture and the vocabulary.
///
/// Only the markers become control tokens. What people wrote is encoded as plain text, so `<end_of_turn>` typed by a
/// user stays text.
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

    /// The conversation as one string, beginning with `<bos>`, ending where the model's answer begins.
    ///
    /// For people and tests: encoding this string with special tokens on would give user text power over the model.
    ///
    /// - Throws: ``TextError/invalidConversation(_:)``.
    public func render(_ messages: [ChatMessage]) throws(TextError) -> String {
        try segments(messages).map { segment in
            switch segment {
            case .marker(let text), .text(let text): text
            }
        }.joined()
    }

    /// The conversation as tokens; the begin token comes once.
    ///
    /// - Throws: ``TextError/invalidConversation(_:)``, ``TextError/missingMarker(_:)``.
    public func encode(_ messages: [ChatMessage], _ tokenizer: TextTokenizer) throws(TextError) -> [TokenID] {
        var tokens: [TokenID] = []
        for segment in try segments(messages) {
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
        of messages: [ChatMessage], _ tokens: [TokenID], _ tokenizer: TextTokenizer
    ) throws(TextError) -> Int {
        guard let first = messages.first, first.role == .system else { return 0 }
        var common = tokens.count
        // Two questions that begin differently; tokens at the border depend on what follows.
        for question in ["a", "1"] {
            let other = try encode([first, ChatMessage(role: .user, content: question)], tokenizer)
            common = zip(other, tokens[..<common]).prefix { $0 == $1 }.count
        }
        return common
    }

    /// The conversation in parts; neighbouring texts are one part, so that cutting never changes their tokens.
    ///
    /// - Throws: ``TextError/invalidConversation(_:)``.
    package func segments(_ messages: [ChatMessage]) throws(TextError) -> [Segment] {
        let (system, turns) = try Self.check(messages)
        var parts = Parts()
        parts.marker("<bos>")
        var preface = ""
        if family.isGemma4 {
            if thinking || system != nil {
                parts.marker(family.turnOpen)
                parts.text("system\n")
                if thinking {
                    parts.marker("<|think|>")
                    parts.text("\n")
                }
                parts.text(Self.trimmed(system ?? ""))
                parts.marker(family.turnClose)
                parts.text("\n")
            }
        } else if let system {
            preface = (family == .gemma1and2 ? Self.trimmed(system) : system) + "\n\n"
        }
        for turn in turns {
            parts.marker(family.turnOpen)
            parts.text(turn.role == .user ? "user\n" : "model\n")
            parts.text(preface)
            preface = ""
            let unthought =
                family.isGemma4 && turn.role == .assistant ? Self.withoutThoughts(turn.content) : turn.content
            parts.text(Self.trimmed(unthought))
            parts.marker(family.turnClose)
            parts.text("\n")
        }
        parts.marker(family.turnOpen)
        parts.text("model\n")
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
    }

    /// An optional system message, then user and assistant in turn, beginning and ending with user.
    private static func check(_ messages: [ChatMessage]) throws(TextError) -> (String?, ArraySlice<ChatMessage>) {
        let system = messages.first?.role == .system ? messages.first?.content : nil
        let turns = messages.dropFirst(system == nil ? 0 : 1)
        guard !turns.isEmpty else { throw .invalidConversation(.noUserMessage) }
        var expected = ChatRole.user
        for (index, turn) in zip(turns.indices, turns) {
            guard turn.role != .system else { throw .invalidConversation(.systemNotFirst(index: index)) }
            guard turn.role == expected else { throw .invalidConversation(.notAlternating(index: index)) }
            expected = expected == .user ? .assistant : .user
        }
        guard expected == .assistant else { throw .invalidConversation(.endsWithAnswer) }
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
