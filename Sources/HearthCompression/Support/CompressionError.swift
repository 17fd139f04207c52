public import Foundation
package import HearthSystem

/// An error in compressing a model. Errors in the model's file itself are `FileError`.
public enum CompressionError: Error, Equatable, Sendable {
    /// A weight contains NaN or infinity.
    case notFinite(file: String, tensor: String, index: Int)
    /// A kind of model that cannot be compressed.
    case unsupportedModel(file: String, what: String)
    /// A program of an older version whose operations changed in the newer one.
    case cannotRaise(file: String, operation: String, from: Int, to: Int)
    /// A name in `kept` that the model does not have.
    case noSuchTensor(file: String, tensor: String)
    /// The output path is the input path, or one of them is in the other.
    case ontoItself(path: String)
    /// The output path exists already.
    case exists(path: String)
    /// A setting that is out of range, or two that exclude each other.
    case invalidSetting(name: String, problem: String)
    /// Not enough memory to compress a weight.
    case outOfMemory(tensor: String)
    /// Calibration data that does not fit its layer, or is not finite.
    case invalidMoments(problem: String)
}

extension CompressionError: LocalizedError {
    /// `WHAT (WHERE). WHAT TO DO.`, in one line.
    public var errorDescription: String? {
        switch self {
        case .notFinite(let file, let tensor, let index):
            "a weight is not a finite number (\(file): \(tensor), element \(index)). Export the model again from valid "
                + "weights, or exclude this one with --keep \(tensor)."
        case .unsupportedModel(let file, let what):
            "\(what) cannot be compressed (\(file)). ML Programs, neural networks, pipelines with one of them, and GGUF files "
                + "have the weights that can be."
        case .cannotRaise(let file, let operation, let from, let to):
            "\(operation) takes other parameters in version \(to) of the format than in version \(from) (\(file)). "
                + "Convert the model for iOS 18, or choose a form that version 7 has: palettes of 1, 2, 4, 6 or 8 bits "
                + "for a whole tensor, or int8 per tensor or channel."
        case .noSuchTensor(let file, let tensor):
            "there is no weight of that name (\(file): --keep \(tensor)). 'hearth inspect \(file)' lists them."
        case .ontoItself(let path):
            "the output is the input, or one of them is in the other (\(path)). Choose another output."
        case .exists(let path):
            "the output exists already (\(path)). Choose another path, or replace it with --force."
        case .invalidSetting(let name, let problem):
            "\(problem) (\(name)). See 'hearth help compress'."
        case .outOfMemory(let tensor):
            "not enough memory for a weight (\(tensor)). Close other programs and try again."
        case .invalidMoments(let problem):
            "\(problem) (calibration). Calibrate with images of the kind that the model was made for."
        }
    }
}

extension CompressionError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .notFinite, .unsupportedModel, .cannotRaise, .invalidMoments: .invalidInput
        case .noSuchTensor, .invalidSetting, .ontoItself, .exists: .invalidOption
        case .outOfMemory: .unavailable
        }
    }
}
