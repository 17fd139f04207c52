import HearthText
import HearthTokenizer

/// What a text is generated from: exactly one of text, message and token ids.
struct PromptSource: Sendable {
    var prompt: String?
    /// Whether control tokens in the text of `prompt` are meant.
    var readsControlTokens = false
    var chat: String?
    /// With `chat`: what the model is told before the conversation.
    var system: String?
    /// With `chat`: whether a model that can thinks first.
    var thinks = false
    var ids: (file: String, ids: [Int])?

    /// The tokens that `model` gets, and how many of them come from `system`.
    func tokens(_ model: TextModel) throws -> (tokens: [TokenID], prefix: Int) {
        let tokenizer = model.tokenizer
        if let ids { return (try TokenFile.tokens(ids.ids, file: ids.file, count: tokenizer.vocabulary.count), 0) }
        if let chat {
            guard var template = model.chatTemplate else {
                throw CommandFailure(
                    .invalidInput, "this model has no chat template", at: "--chat",
                    todo: "Use --prompt, or pass an instruction-tuned model.")
            }
            guard !chat.allSatisfy(\.isWhitespace) else {
                throw CommandFailure(
                    .invalidInput, "the message is empty", at: "--chat", todo: "Write something to answer.")
            }
            template.thinking = thinks
            return try template.prompt(chat, instructions: system, tokenizer)
        }
        let tokens = tokenizer.encode(
            prompt ?? "", addBOS: tokenizer.vocabulary.addsBOS, parseSpecial: readsControlTokens)
        guard !tokens.isEmpty else {
            throw CommandFailure(
                .invalidInput, "the prompt is empty, and this model has no beginning-of-text token",
                at: "--prompt", todo: "Write something to continue.")
        }
        return (tokens, 0)
    }
}
