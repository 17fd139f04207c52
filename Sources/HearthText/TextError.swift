public import Foundation

/// What can go wrong between a model file and text: one enum for the whole module.
///
/// Cases that come from a file carry the file's name and the metadata key, so a message can say where to look.
public enum TextError: Error, Equatable, Sendable {
    // The vocabulary of a model file

    /// A metadata key that the tokenizer cannot do without is not in the file.
    case missingKey(file: String, key: String)
    /// A metadata value is of another type than its key demands.
    case wrongType(file: String, key: String, expected: String, found: String)
    /// A count or a length is above what Hearth accepts (see ``TextLimits``).
    case limitExceeded(file: String, key: String, value: Int, limit: Int)
    /// Two arrays that must run in step do not.
    case lengthMismatch(file: String, key: String, expected: Int, found: Int)
    /// A score is NaN or infinite.
    case nonFiniteValue(file: String, key: String, index: Int)
    /// A value is outside the set that its key allows.
    case badValue(file: String, key: String, index: Int, value: String)
    /// A token of type "byte" is not written `<0x00>` ... `<0xFF>`.
    case badByteToken(file: String, key: String, index: Int, text: String)
    /// A special token id names no token.
    case specialTokenOutOfRange(file: String, key: String, id: Int, count: Int)
    /// A merge is not two pieces with a space between them.
    case badMerge(file: String, key: String, index: Int)
    /// A byte has no token, and there is no unknown token to stand in for it.
    case unencodableByte(file: String, key: String, byte: UInt8)
    /// The file asks for a tokenizer that Hearth does not have.
    case unsupportedTokenizer(file: String, key: String, name: String)

    // The model itself

    /// A model of a kind that this version does not run.
    case unsupportedArchitecture(file: String, name: String)
    /// A hyper-parameter that is missing or impossible.
    case invalidHyperparameter(file: String, key: String, problem: String)
    /// A tensor that the architecture needs is not in the file.
    case missingTensor(file: String, tensor: String)
    /// A tensor whose storage format no kernel reads.
    case tensorFormat(file: String, tensor: String, format: String)
    /// A tensor whose shape contradicts the hyper-parameters.
    case tensorShape(file: String, tensor: String, expected: [Int], found: [Int])

    // Compiled artifacts

    /// A compiled artifact and the model's file no longer fit each other, or the artifact is none.
    case staleArtifact(path: String, reason: String)
    /// The bytes of a model's file are not those that it had, or that it is to have.
    case damagedModel(path: String, expected: String, actual: String)

    // Texts that go on

    /// A text was begun with another model than the one that is to go on with it.
    case otherModel(file: String)

    // Ids, lengths and conversations

    /// Nothing to continue.
    case emptyPrompt
    /// More tokens than the context holds.
    case contextOverflow(tokens: Int, limit: Int)
    /// A context longer than the model was trained for, or none.
    case contextTooLong(wanted: Int, limit: Int)

    /// A token id is outside the vocabulary.
    case tokenOutOfRange(id: Int, count: Int)
    /// The vocabulary has no turn markers, so there is no chat format to follow.
    case noChatTemplate(architecture: String)
    /// The vocabulary lacks a marker that the chat format needs.
    case missingMarker(String)
    /// Messages in an order that the chat format cannot express.
    case invalidConversation(ConversationProblem)

    // Sampling

    /// A sampling option is outside its range.
    case invalidOption(name: String, value: String, allowed: String)
    /// A logit is NaN or infinite; nothing sensible can be sampled.
    case nonFiniteLogit(index: Int, value: String)
    /// All logits are the same: the weights are not those of a model.
    case uniformLogits(file: String)
    /// There are no logits, or no tokens, to choose from.
    case nothingToSample

    /// Why a list of messages is not a conversation.
    public enum ConversationProblem: Equatable, Sendable {
        /// No messages at all, or a system message alone.
        case noUserMessage
        /// A system message that is not the first message.
        case systemNotFirst(index: Int)
        /// Two messages of one side in a row, or an answer before any question.
        case notAlternating(index: Int)
        /// The last message is the model's own, so there is nothing to answer.
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
        case .missingKey(_, let key): "the file has no \(key)"
        case .wrongType(_, _, let expected, let found): "expected \(expected), found \(found)"
        case .limitExceeded(_, _, let value, let limit): "\(value) is more than the limit of \(limit)"
        case .lengthMismatch(_, _, let expected, let found): "expected \(expected) entries, found \(found)"
        case .nonFiniteValue(_, _, let index): "entry \(index) is not a finite number"
        case .badValue(_, _, let index, let value): "entry \(index) has the value \(value), which is not allowed"
        case .badByteToken(_, _, let index, let text): "byte token \(index) is written \(text.debugDescription)"
        case .specialTokenOutOfRange(_, _, let id, let count): "special token id \(id) is not in 0..<\(count)"
        case .badMerge(_, _, let index): "merge \(index) is not two pieces with a space between them"
        case .unencodableByte(_, _, let byte): "byte \(byte) has no token and there is no unknown token"
        case .unsupportedTokenizer(_, _, let name): "the tokenizer \(name.debugDescription) is not supported"
        case .unsupportedArchitecture(_, let name):
            "the architecture \(name.debugDescription) is not run by this version"
        case .invalidHyperparameter(_, _, let problem): problem
        case .missingTensor: "the tensor is missing"
        case .tensorFormat(_, _, let format): "weights stored as \(format) are not run by this version"
        case .tensorShape(_, _, let expected, let found): "the shape is \(found), expected \(expected)"
        case .staleArtifact(_, let reason): "the compiled artifact cannot be used: \(reason)"
        case .damagedModel(_, let expected, let actual):
            "the model's file is damaged: its SHA-256 is \(actual) instead of \(expected)"
        case .otherModel: "the text was begun with another model"
        case .emptyPrompt: "the prompt is empty"
        case .contextOverflow(let tokens, let limit): "\(tokens) tokens do not fit into a context of \(limit)"
        case .contextTooLong(let wanted, let limit): "a context of \(wanted) tokens is not in 1...\(limit)"
        case .tokenOutOfRange(let id, let count): "token id \(id) is not in 0..<\(count)"
        case .noChatTemplate(let architecture):
            "the vocabulary of this \(architecture.isEmpty ? "model" : architecture + " model") has no turn markers"
        case .missingMarker(let marker): "the vocabulary has no \(marker)"
        case .invalidConversation(let problem): problem.what
        case .invalidOption(let name, let value, let allowed): "\(name) is \(value), but must be \(allowed)"
        case .nonFiniteLogit(let index, let value): "the logit of token \(index) is \(value)"
        case .uniformLogits: "the model gives every token the same logit"
        case .nothingToSample: "there are no logits to sample from"
        }
    }

    private var place: String? {
        switch self {
        case .missingKey(let file, _), .uniformLogits(let file), .otherModel(let file): file
        case .wrongType(let file, let key, _, _), .limitExceeded(let file, let key, _, _),
            .lengthMismatch(let file, let key, _, _), .nonFiniteValue(let file, let key, _),
            .badValue(let file, let key, _, _), .badByteToken(let file, let key, _, _),
            .specialTokenOutOfRange(let file, let key, _, _), .badMerge(let file, let key, _),
            .unencodableByte(let file, let key, _), .unsupportedTokenizer(let file, let key, _):
            "\(file), \(key)"
        case .unsupportedArchitecture(let file, _): "\(file), general.architecture"
        case .invalidHyperparameter(let file, let key, _): "\(file), \(key)"
        case .missingTensor(let file, let tensor), .tensorFormat(let file, let tensor, _),
            .tensorShape(let file, let tensor, _, _):
            "\(file), \(tensor)"
        case .staleArtifact(let path, _), .damagedModel(let path, _, _): path
        default: nil
        }
    }

    private var remedy: String {
        switch self {
        case .unsupportedTokenizer: "Use a Gemma model file."
        case .unsupportedArchitecture: "Use a text model of Gemma 1, 2, 3, 3n or 4."
        case .tensorFormat: "Use a Q8_0, Q4_0, Q4_K, Q5_K, Q6_K, F16 or BF16 file."
        case .staleArtifact: "Compile the model again."
        case .damagedModel: "Pull it again, or copy it from where it came from."
        case .otherModel: "Go on with the model that it was begun with, or begin again."
        case .emptyPrompt: "Give some text, or a file that begins with a BOS token."
        case .contextOverflow: "Use a shorter prompt or a longer context."
        case .contextTooLong: "Ask for at most what the model was trained for."
        case .tokenOutOfRange: "Use ids that this model's tokenizer made."
        case .noChatTemplate, .missingMarker:
            "Use an instruction-tuned model, or give a raw prompt instead of a conversation."
        case .invalidConversation: "Send an optional system message, then user and assistant in turn, ending with user."
        case .invalidOption: "Give a value in that range."
        case .nonFiniteLogit, .uniformLogits, .nothingToSample:
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
