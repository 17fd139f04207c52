public import Foundation
package import HearthSystem

/// Why a story cannot be told.
public enum StoryError: Error, LocalizedError, Equatable, Sendable {
    /// The story's language is not in the model's list of languages.
    case languageNotSpoken(StoryLanguage, modelLanguages: [String])
    /// The model was not trained for chat.
    case noChatTemplate(file: String)
    /// A model was required, and the device cannot run it now.
    case modelUnavailable(HandoverReason)
    /// The bundled model supports neither names nor lengths.
    case bundledModelKnowsNoWants
    /// A child's name has no usable characters, or the filter does not let it pass.
    case unusableName

    /// Formatted as `WHAT (WHERE). WHAT TO DO.`
    public var errorDescription: String? {
        switch self {
        case .languageNotSpoken(let language, let languages):
            "this model does not write \(language.name) (general.languages: \(languages.joined(separator: ", "))). "
                + "Use a multilingual Gemma, such as gemma-3-1b-it."
        case .noChatTemplate(let file):
            "this model has no chat template (\(file), tokenizer.ggml.tokens). Use an instruction-tuned Gemma."
        case .modelUnavailable(let reason):
            "the model cannot tell a story on this device now (\(reason.rawValue)). "
                + "Try again later, or let a story be told without it."
        case .bundledModelKnowsNoWants:
            "the bundled model does not support names or lengths (name, length). "
                + "Use another model, or let a tale be told without one."
        case .unusableName:
            "the child's name has no usable characters, or is not fit for a story (name). Pass a first name, such as Mina."
        }
    }
}

extension StoryError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .languageNotSpoken, .modelUnavailable: .unavailable
        case .noChatTemplate: .invalidInput
        case .bundledModelKnowsNoWants, .unusableName: .invalidOption
        }
    }
}
