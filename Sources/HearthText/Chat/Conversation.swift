package import HearthTokenizer

/// What was said in a conversation, and how much of it the model still sees: a value.
package struct Conversation: Sendable, Equatable {
    /// What the model is told before it; nil for nothing.
    package var instructions: String?
    /// The person and the model in turn, beginning with the person; calls of functions and their results between them.
    package var messages: [ChatMessage] = []
    /// Leading messages that the model no longer sees: whole exchanges that had no room.
    package internal(set) var forgotten = 0
    /// How often the last answer was asked for again; each time has random numbers of its own.
    package internal(set) var attempt = 0

    package init(instructions: String? = nil, messages: [ChatMessage] = []) {
        self.instructions = instructions
        self.messages = messages
    }

    /// What the model sees.
    package var visible: [ChatMessage] {
        (instructions.map { [ChatMessage(role: .system, content: $0)] } ?? []) + messages[forgotten...]
    }

    /// Keeps the first messages.
    mutating func rewind(to count: Int) {
        messages.removeSubrange(min(max(count, 0), messages.count)...)
        attempt = 0
        // Too little is left for anything to be forgotten.
        if forgotten >= messages.count { forgotten = 0 }
    }

    /// A conversation as tokens.
    package struct Prompt: Equatable {
        package var tokens: [TokenID]
        /// Leading tokens that come from the instructions.
        package var prefix: Int
        /// Messages that had no room and are forgotten from now on.
        package var newlyForgotten = 0
        /// The same in questions, with all that was said of each.
        package var newlyForgottenExchanges = 0
    }

    /// How much of a context is left for an answer: what is wanted, but not more than a quarter.
    package static func room(for wanted: Int, in context: Int) -> Int { max(1, min(wanted, context / 4)) }

    /// What the model gets to answer the last message. Where the conversation has outgrown the context, the oldest exchanges are
    /// forgotten: whole ones, never the instructions and never the last message.
    ///
    /// So many go that a quarter of the space is free afterwards: a beginning that changes has to be computed again, and that
    /// should not happen at every turn.
    ///
    /// - Parameters:
    ///   - context: most tokens of prompt and answer.
    ///   - wanted: tokens that the answer may have.
    /// - Throws: as `ChatTemplate.encode`; `TextError.contextOverflow` where the instructions and the last message alone are too
    ///   long.
    package mutating func prompt(
        _ template: ChatTemplate, _ tokenizer: TextTokenizer, tools: ToolRules? = nil, context: Int, wanted: Int
    ) throws(TextError) -> Prompt {
        let before = forgotten
        let space = context - Self.room(for: wanted, in: context)
        var tokens = try template.encode(visible, tokenizer, tools: tools)
        var exchanges = 0
        if tokens.count > space {
            while tokens.count > space / 4 * 3,
                let next = messages[(forgotten + 1)...].firstIndex(where: { $0.role == .user })
            {
                forgotten = next
                exchanges += 1
                tokens = try template.encode(visible, tokenizer, tools: tools)
            }
        }
        guard tokens.count <= context else { throw .contextOverflow(tokens: tokens.count, limit: context) }
        return Prompt(
            tokens: tokens, prefix: try template.prefixTokens(of: visible, tokens, tokenizer, tools: tools),
            newlyForgotten: forgotten - before, newlyForgottenExchanges: exchanges)
    }

    /// The tokens that the next prompt begins with, whatever is said next and as long as all has room.
    package func sharedTokens(
        _ template: ChatTemplate, _ tokenizer: TextTokenizer, tools: ToolRules? = nil
    ) throws(TextError) -> [TokenID] {
        // Two messages that begin differently; tokens at the border depend on what follows.
        let first = try template.encode(visible + [ChatMessage(role: .user, content: "a")], tokenizer, tools: tools)
        let second = try template.encode(visible + [ChatMessage(role: .user, content: "1")], tokenizer, tools: tools)
        return Array(first[..<zip(first, second).prefix { $0 == $1 }.count])
    }
}
