public import Foundation

/// Why a story cannot be told.
public enum StoryError: Error, LocalizedError, Equatable, Sendable {
    /// The model's file lists its languages, and this one is not among them.
    case languageNotSpoken(StoryLanguage, modelLanguages: [String])
    /// The model was not trained to answer in turns.
    case noChatTemplate

    /// `WHAT (WHERE). WHAT TO DO.`
    public var errorDescription: String? {
        switch self {
        case .languageNotSpoken(let language, let languages):
            "this model does not write \(language.name) (general.languages: \(languages.joined(separator: ", "))). "
                + "Pass --model with a multilingual Gemma, such as gemma-3-1b-it."
        case .noChatTemplate:
            "this model does not answer in turns (tokenizer.ggml.tokens). Pass --model with an instruction-tuned Gemma."
        }
    }
}
