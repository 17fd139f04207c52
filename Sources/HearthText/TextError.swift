public import Foundation
package import HearthSystem

/// An error of loading or running a text model.
///
/// Cases that concern a file include its name and the metadata key.
public enum TextError: Error, Equatable, Sendable {
    // The model itself

    /// A value that its key does not allow.
    case badValue(file: String, key: String, index: Int, value: String)
    /// The architecture is not supported.
    case unsupportedArchitecture(file: String, name: String)
    /// A hyperparameter is missing or impossible.
    case invalidHyperparameter(file: String, key: String, problem: String)
    /// A tensor that the architecture requires is missing.
    case missingTensor(file: String, tensor: String)
    /// A tensor has a storage format that no kernel supports.
    case tensorFormat(file: String, tensor: String, format: String)
    /// A tensor's shape contradicts the hyperparameters.
    case tensorShape(file: String, tensor: String, expected: [Int], found: [Int])

    /// The model is an embedding model, which generates no text.
    case embeddingModel(file: String)
    /// The model generates text and cannot produce embeddings.
    case generatingModel(file: String)
    /// An embedding has non-finite elements, or is all zeros.
    case invalidEmbedding(file: String)

    /// An adapter's file is invalid, or was made for another model.
    case invalidAdapter(file: String, field: String, problem: String)

    // Compiled artifacts

    /// A compiled artifact no longer matches the model's file, or is not valid.
    case staleArtifact(path: String, reason: String)
    /// The model's file does not have the expected SHA-256.
    case damagedModel(path: String, expected: String, actual: String)

    // Resumed texts

    /// A text was begun with a different model.
    case otherModel(file: String)

    // Conversation files

    /// The file is not a conversation, or is corrupt.
    case damagedConversation(file: String, field: String, problem: String)
    /// The file cannot be read.
    case unreadableConversation(file: String, reason: String)
    /// The file cannot be written.
    case unwritableConversation(file: String, reason: String)
    /// An answer is already in progress.
    case conversationBusy

    // Ids, lengths and conversations

    /// The prompt is empty.
    case emptyPrompt
    /// The prompt has more tokens than the context.
    case contextOverflow(tokens: Int, limit: Int)
    /// The context length is zero, or longer than the model was trained for; in tokens.
    case contextTooLong(wanted: Int, limit: Int)
    /// The keys and values of a context of this many tokens do not fit into the memory that this process may use; in bytes.
    case contextMemory(tokens: Int, bytes: Int, limit: Int)

    /// The vocabulary has no turn markers, so there is no chat format to follow.
    case noChatTemplate(file: String, architecture: String)
    /// The vocabulary lacks a marker that the chat format needs.
    case missingMarker(file: String, marker: String)
    /// The order of messages cannot be expressed in the chat format.
    case invalidConversation(ConversationProblem)

    // Sampling

    /// A sampling option is outside its range.
    case invalidOption(name: String, value: String, allowed: String)
    /// A logit is NaN or infinite, so nothing can be sampled.
    case nonFiniteLogit(file: String, index: Int, value: String)
    /// All logits are equal: the weights are not those of a trained model.
    case uniformLogits(file: String)
    /// There are no logits or tokens to sample from.
    case nothingToSample

    // Constraints

    /// A constraint is malformed, allows nothing, or is too complex.
    case invalidConstraint(place: String, problem: String)
    /// A constraint uses keywords that are not supported; each is given as `#/json/pointer: keyword`.
    case unsupportedConstraint(keywords: [String])
    /// A type cannot be described by a schema.
    case indescribableType(name: String, reason: String)
    /// An answer cannot be decoded to the type, usually because it was cut off by its length limit.
    case undecodableAnswer(type: String, problem: String)

    /// Why a list of messages is not a valid conversation.
    public enum ConversationProblem: Equatable, Sendable {
        /// There are no messages, or only a system message.
        case noUserMessage
        /// A system message is not the first message.
        case systemNotFirst(index: Int)
        /// Two messages of the same role in a row, or an answer before any question.
        case notAlternating(index: Int)
        /// The last message is the model's, so there is nothing to answer.
        case endsWithAnswer
    }
}

extension TextError: LocalizedError {
    /// What happened, where, and what to do about it.
    public var errorDescription: String? {
        "\(what)\(place.map { " (\($0))" } ?? ""). \(remedy)"
    }

    /// What to do about it.
    public var recoverySuggestion: String? { remedy }

    private var what: String {
        switch self {
        case .badValue(_, _, let index, let value): "entry \(index) has the value \(value), which is not allowed"
        case .unsupportedArchitecture(_, let name):
            "the architecture \(name.debugDescription) is not supported by this version"
        case .invalidHyperparameter(_, _, let problem): problem
        case .missingTensor: "the tensor is missing"
        case .tensorFormat(_, _, let format): "weights stored as \(format) are not supported by this version"
        case .tensorShape(_, _, let expected, let found): "the shape is \(found), expected \(expected)"
        case .embeddingModel: "this is an embedding model; it does not generate text"
        case .generatingModel: "this model generates text; it is not an embedding model"
        case .invalidEmbedding: "the embedding is not finite, or all zeros"
        case .invalidAdapter(_, _, let problem): problem
        case .staleArtifact(_, let reason): "the compiled artifact cannot be used: \(reason)"
        case .damagedModel(_, let expected, let actual):
            "the model's file is damaged: its SHA-256 is \(actual) instead of \(expected)"
        case .otherModel: "the text was started with another model"
        case .damagedConversation(_, _, let problem): "the conversation file is invalid: \(problem)"
        case .unreadableConversation(_, let reason): "the conversation cannot be read: \(reason)"
        case .unwritableConversation(_, let reason): "the conversation cannot be written: \(reason)"
        case .conversationBusy: "an answer is already in progress"
        case .emptyPrompt: "the prompt is empty"
        case .contextOverflow(let tokens, let limit): "\(tokens) tokens do not fit into a context of \(limit)"
        case .contextTooLong(let wanted, let limit): "a context of \(wanted) tokens is not in 1...\(limit)"
        case .contextMemory(let tokens, let bytes, let limit):
            "a context of \(tokens) tokens needs \(bytes >> 20) MiB for keys and values, and this process may use \(limit >> 20) MiB"
        case .noChatTemplate(_, let architecture):
            "the vocabulary of this \(architecture.isEmpty ? "model" : architecture + " model") has no turn markers"
        case .missingMarker(_, let marker): "the vocabulary has no \(marker)"
        case .invalidConversation(let problem): problem.what
        case .invalidOption(let name, let value, let allowed): "\(name) is \(value), but must be \(allowed)"
        case .nonFiniteLogit(_, let index, let value): "the logit of token \(index) is \(value)"
        case .uniformLogits: "the model gives every token the same logit"
        case .nothingToSample: "there are no logits to sample from"
        case .invalidConstraint(_, let problem): problem
        case .unsupportedConstraint(let keywords):
            "the constraint uses unsupported keywords (\(keywords.joined(separator: ", ")))"
        case .indescribableType(_, let reason): "the type cannot be described: \(reason)"
        case .undecodableAnswer(_, let problem): "the answer cannot be decoded as this type: \(problem)"
        }
    }

    private var place: String? {
        switch self {
        case .uniformLogits(let file), .otherModel(let file), .embeddingModel(let file), .generatingModel(let file),
            .invalidEmbedding(let file), .unreadableConversation(let file, _), .unwritableConversation(let file, _),
            .nonFiniteLogit(let file, _, _):
            file
        case .noChatTemplate(let file, _), .missingMarker(let file, _): "\(file), tokenizer.ggml.tokens"
        case .damagedConversation(let file, let field, _): "\(file): \(field)"
        case .invalidAdapter(let file, let field, _): "\(file), \(field)"
        case .badValue(let file, let key, _, _), .invalidHyperparameter(let file, let key, _):
            "\(file), \(key)"
        case .unsupportedArchitecture(let file, _): "\(file), general.architecture"
        case .missingTensor(let file, let tensor), .tensorFormat(let file, let tensor, _),
            .tensorShape(let file, let tensor, _, _):
            "\(file), \(tensor)"
        case .staleArtifact(let path, _), .damagedModel(let path, _, _): path
        case .invalidConstraint(let place, _): place
        case .indescribableType(let name, _), .undecodableAnswer(let name, _): name
        case .emptyPrompt: "prompt"
        case .contextOverflow, .contextTooLong, .contextMemory: "context"
        case .invalidConversation: "messages"
        case .conversationBusy: "conversation"
        case .invalidOption: "options"
        case .nothingToSample: "logits"
        // Its keywords are places.
        case .unsupportedConstraint: nil
        }
    }

    private var remedy: String {
        switch self {
        case .unsupportedArchitecture: "Use a text model of Gemma 1, 2, 3, 3n or 4, or EmbeddingGemma."
        case .tensorFormat: "Use a Q8_0, Q4_0, Q4_K, Q5_K, Q6_K, F16 or BF16 file."
        case .embeddingModel: "Compute embeddings with it, or use a model that generates text."
        case .generatingModel: "Use an embedding model, such as EmbeddingGemma."
        case .invalidAdapter: "Use a LoRA adapter in GGUF that was made for this model."
        case .staleArtifact: "Pass the model's GGUF file, or compile the model again."
        case .damagedModel: "Pull the model again, or copy it again from its source."
        case .otherModel: "Continue with the original model, or start over."
        case .damagedConversation: "Use another file, or remove it to start over."
        case .unreadableConversation: "Check the path and its permissions."
        case .unwritableConversation: "Check the folder, its permissions and its free space."
        case .conversationBusy: "Wait for the answer, or cancel it."
        case .emptyPrompt: "Pass some text, or a file that begins with a BOS token."
        case .contextOverflow: "Use a shorter text or a longer context."
        case .contextTooLong: "Use at most the context length the model was trained for."
        case .contextMemory: "Use a shorter context, or fewer bits for keys and values."
        case .noChatTemplate, .missingMarker:
            "Use an instruction-tuned model, or pass a raw prompt instead of a conversation."
        case .invalidConversation:
            "Send an optional system message, then user and assistant messages in turn, ending with user."
        case .invalidOption: "Pass a value in that range."
        case .invalidConstraint: "Correct the constraint, or make it simpler."
        case .unsupportedConstraint: "Remove these keywords, or express the constraint differently."
        case .indescribableType: "Change its init(from:), or decode a supported type and convert it."
        case .undecodableAnswer: "Allow more tokens."
        case .nonFiniteLogit, .uniformLogits, .nothingToSample, .invalidEmbedding:
            "The model file may be damaged; verify or download it again."
        default: "The model file is damaged or was made by a faulty converter; download or convert it again."
        }
    }
}

extension TextError.ConversationProblem {
    fileprivate var what: String {
        switch self {
        case .noUserMessage: "the conversation has no user message"
        case .systemNotFirst(let index): "message \(index) is a system message, which must come first"
        case .notAlternating(let index): "message \(index) does not alternate between user and assistant"
        case .endsWithAnswer: "the conversation ends with an answer"
        }
    }
}

extension TextError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .invalidOption: .invalidOption
        case .contextMemory: .unavailable
        case .nonFiniteLogit, .invalidEmbedding, .unwritableConversation, .conversationBusy: .failed
        default: .invalidInput
        }
    }
}
