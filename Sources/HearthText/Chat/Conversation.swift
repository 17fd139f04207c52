package import HearthTokenizer

/// The messages of a conversation, and how many of them the model still sees.
package struct Conversation: Sendable, Equatable {
    /// The system prompt; nil for none.
    package var instructions: String?
    /// User and assistant messages in turn, beginning with the user; tool calls and their results in between.
    package var messages: [ChatMessage] = []
    /// Number of leading messages that the model no longer sees: whole exchanges that did not fit the context.
    package internal(set) var forgotten = 0
    /// How often the last answer was regenerated; each attempt uses different random numbers.
    package internal(set) var attempt = 0

    package init(instructions: String? = nil, messages: [ChatMessage] = []) {
        self.instructions = instructions
        self.messages = messages
    }

    /// The messages that the model sees.
    package var visible: [ChatMessage] {
        (instructions.map { [ChatMessage(role: .system, content: $0)] } ?? []) + messages[forgotten...]
    }

    /// Removes all but the first `count` messages.
    mutating func rewind(to count: Int) {
        messages.removeSubrange(min(max(count, 0), messages.count)...)
        attempt = 0
        // What is left fits the context, so nothing needs to stay forgotten.
        if forgotten >= messages.count { forgotten = 0 }
    }

    /// A conversation as tokens.
    package struct Prompt: Equatable {
        package var tokens: [TokenID]
        /// Number of leading tokens that come from the instructions.
        package var prefix: Int
        /// Number of messages forgotten by this prompt because they did not fit.
        package var newlyForgotten = 0
        /// The same counted in exchanges, each a question with all that followed it.
        package var newlyForgottenExchanges = 0
    }

    /// Tokens of a context reserved for an answer: as many as wanted, at most a quarter.
    package static func room(for wanted: Int, in context: Int) -> Int { max(1, min(wanted, context / 4)) }

    /// Builds the prompt for the last message. If the conversation has outgrown the context, the oldest exchanges are
    /// forgotten: whole ones, never the instructions and never the last message.
    ///
    /// Enough are forgotten to leave a quarter of the space free: a changed prompt prefix has to be recomputed, which should
    /// not happen at every turn.
    ///
    /// - Parameters:
    ///   - context: maximum tokens of prompt and answer.
    ///   - wanted: maximum tokens of the answer.
    /// - Throws: as `ChatTemplate.encode`; `TextError.contextOverflow` if the instructions and the last message alone are too long.
    package mutating func prompt(
        _ template: ChatTemplate, _ tokenizer: TextTokenizer, tools: ToolRules? = nil, context: Int, wanted: Int
    ) throws(TextError) -> Prompt {
        let before = forgotten
        let space = context - Self.room(for: wanted, in: context)
        var tokens = try template.encode(visible, tokenizer, tools: tools)
        var exchanges = 0
        if tokens.count > space {
            // Where the visible messages may begin. Each exchange that is left out makes the prompt shorter, so a binary search
            // finds the first beginning that fits; trying one after the other takes minutes for thousands of exchanges.
            let beginnings = messages.indices.filter { $0 > before && messages[$0].role == .user }
            let most = space / 4 * 3
            var (low, high) = (0, beginnings.count)
            while low < high {
                let middle = (low + high) / 2
                forgotten = beginnings[middle]
                if try template.encode(visible, tokenizer, tools: tools).count > most {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            exchanges = min(low + 1, beginnings.count)
            forgotten = exchanges > 0 ? beginnings[exchanges - 1] : before
            tokens = try template.encode(visible, tokenizer, tools: tools)
        }
        guard tokens.count <= context else { throw .contextOverflow(tokens: tokens.count, limit: context) }
        return Prompt(
            tokens: tokens, prefix: try template.prefixTokens(of: visible, tokens, tokenizer, tools: tools),
            newlyForgotten: forgotten - before, newlyForgottenExchanges: exchanges)
    }

    /// The tokens that the next prompt will begin with, whatever its message, unless exchanges have to be forgotten.
    package func sharedTokens(
        _ template: ChatTemplate, _ tokenizer: TextTokenizer, tools: ToolRules? = nil
    ) throws(TextError) -> [TokenID] {
        // Encode with two messages that begin differently: tokens at the boundary depend on what follows.
        let first = try template.encode(visible + [ChatMessage(role: .user, content: "a")], tokenizer, tools: tools)
        let second = try template.encode(visible + [ChatMessage(role: .user, content: "1")], tokenizer, tools: tools)
        return Array(first[..<zip(first, second).prefix { $0 == $1 }.count])
    }
}
