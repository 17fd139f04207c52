public import Foundation
package import HearthSystem

/// An error in a model file's vocabulary, or in token ids. Cases that concern a file include its name and the metadata key.
public enum TokenizerError: Error, Equatable, Sendable {
    /// A required metadata key is missing.
    case missingKey(file: String, key: String)
    /// A metadata value has the wrong type.
    case wrongType(file: String, key: String, expected: String, found: String)
    /// A count or length exceeds Hearth's limit.
    case limitExceeded(file: String, key: String, value: Int, limit: Int)
    /// Two arrays that must have the same length differ.
    case lengthMismatch(file: String, key: String, expected: Int, found: Int)
    /// A score is NaN or infinite.
    case nonFiniteValue(file: String, key: String, index: Int)
    /// A value that its key does not allow.
    case badValue(file: String, key: String, index: Int, value: String)
    /// A byte token is not written as `<0x00>` ... `<0xFF>`.
    case badByteToken(file: String, key: String, index: Int, text: String)
    /// The id of a special token is not in the vocabulary.
    case specialTokenOutOfRange(file: String, key: String, id: Int, count: Int)
    /// A merge is not two pieces separated by a space.
    case badMerge(file: String, key: String, index: Int)
    /// A byte has no token, and there is no unknown token to replace it.
    case unencodableByte(file: String, key: String, byte: UInt8)
    /// The file needs a tokenizer that Hearth does not implement.
    case unsupportedTokenizer(file: String, key: String, name: String)
    /// A token id is not in the vocabulary.
    case tokenOutOfRange(id: Int, count: Int)
}

extension TokenizerError: LocalizedError {
    /// What happened, where, and what to do about it.
    public var errorDescription: String? { "\(what) (\(place)). \(remedy)" }

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
        case .tokenOutOfRange(let id, let count): "token id \(id) is not in 0..<\(count)"
        }
    }

    private var place: String {
        switch self {
        case .missingKey(let file, _): file
        case .wrongType(let file, let key, _, _), .limitExceeded(let file, let key, _, _),
            .lengthMismatch(let file, let key, _, _), .nonFiniteValue(let file, let key, _),
            .badValue(let file, let key, _, _), .badByteToken(let file, let key, _, _),
            .specialTokenOutOfRange(let file, let key, _, _), .badMerge(let file, let key, _),
            .unencodableByte(let file, let key, _), .unsupportedTokenizer(let file, let key, _):
            "\(file), \(key)"
        case .tokenOutOfRange: "token ids"
        }
    }

    private var remedy: String {
        switch self {
        case .unsupportedTokenizer: "Use a Gemma model file."
        case .tokenOutOfRange: "Use ids from this model's tokenizer."
        default: "The model file is damaged or was made by a faulty converter; download or convert it again."
        }
    }
}

extension TokenizerError: HearthError {
    package var category: ErrorCategory {
        .invalidInput
    }
}
