public import Foundation

/// Why a story cannot be told.
public enum StoryError: Error, LocalizedError, Equatable, Sendable {
    /// The language is not in the model's list of languages.
    case languageNotSpoken(StoryLanguage, modelLanguages: [String])
    /// The model was not trained for chat.
    case noChatTemplate

    /// `WHAT (WHERE). WHAT TO DO.`
    public var errorDescription: String? {
        switch self {
        case .languageNotSpoken(let language, let languages):
            "this model does not write \(language.name) (general.languages: \(languages.joined(separator: ", "))). "
                + "Pass --model with a multilingual Gemma, such as gemma-3-1b-it."
        case .noChatTemplate:
            "this model has no chat template (tokenizer.ggml.tokens). Pass --model with an instruction-tuned Gemma."
        }
    }
}
