import HearthText
import HearthTokenizer

/// The input for generation: exactly one of text, message and token ids.
struct PromptSource: Sendable {
    var prompt: String?
    /// Whether control tokens in `prompt` are parsed.
    var readsControlTokens = false
    var chat: String?
    /// With `chat`: the system instructions.
    var system: String?
    /// With `chat`: whether the model thinks first, if it supports that.
    var thinks = false
    var ids: (file: String, ids: [Int])?

    /// The prompt for `model`, and how many of its tokens come from `system`.
    func tokens(_ model: TextModel) throws -> (tokens: [TokenID], prefix: Int) {
        let tokenizer = model.tokenizer
        if let ids { return (try TokenFile.tokens(ids.ids, file: ids.file, count: tokenizer.vocabulary.count), 0) }
        if let chat {
            guard var template = model.chatTemplate else {
                throw CommandFailure(
                    .invalidInput, "this model has no chat template", at: model.path,
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
