public import Foundation

/// What can go wrong in making a model smaller. What is wrong with the model's file itself is a `FormatError`.
public enum CompressionError: Error, Equatable, Sendable {
    /// A weight holds NaN or an infinity: no code stands for it.
    case notFinite(file: String, tensor: String, index: Int)
    /// A kind of model that cannot be made smaller.
    case unsupportedModel(file: String, what: String)
    /// A program of an older version that cannot simply be called one of a newer version.
    case cannotRaise(file: String, operation: String, from: Int, to: Int)
    /// A name in the list of weights to keep that the model does not have.
    case noSuchTensor(file: String, tensor: String)
    /// The output is the input.
    case ontoItself(path: String)
    /// The output is there already.
    case exists(path: String)
    /// A setting out of range, or two that exclude each other.
    case invalidSetting(name: String, problem: String)
    /// The system gave no memory for the work on a weight.
    case outOfMemory(tensor: String)
    /// Samples of a layer that do not fit it, or are not numbers.
    case invalidMoments(problem: String)
    /// A line of a report that cannot be understood.
    case malformedReport(file: String, line: Int, problem: String)
}

extension CompressionError: LocalizedError {
    /// What happened, where, and what to do about it.
    public var errorDescription: String? {
        switch self {
        case .notFinite(let file, let tensor, let index):
            "a weight is not a finite number (\(file): \(tensor), element \(index)). Export the model again from sound "
                + "weights, or leave this one as it is with --keep \(tensor)."
        case .unsupportedModel(let file, let what):
            "\(what) cannot be made smaller (\(file)). Convert the model to an ML Program (.mlpackage) or to GGUF."
        case .cannotRaise(let file, let operation, let from, let to):
            "\(operation) takes other parameters in version \(to) of the format than in version \(from) (\(file)). "
                + "Convert the model for iOS 18, or choose a form that version 7 has: palettes of 1, 2, 4, 6 or 8 bits "
                + "for a whole tensor, or int8 per tensor or channel."
        case .noSuchTensor(let file, let tensor):
            "there is no weight of that name (\(file): --keep \(tensor)). 'hearth inspect \(file)' lists them."
        case .ontoItself(let path):
            "the output is the input (\(path)). Choose another output."
        case .exists(let path):
            "the output is there already (\(path)). Choose another one, or replace it with --force."
        case .invalidSetting(let name, let problem):
            "\(problem) (\(name)). See 'hearth help compress'."
        case .outOfMemory(let tensor):
            "not enough memory for a weight (\(tensor)). Close other programs and try again."
        case .invalidMoments(let problem):
            "\(problem) (calibration). Calibrate with pictures that the model was made for."
        case .malformedReport(let file, let line, let problem):
            "\(problem) (\(file): line \(line)). Pass the App Thinning Size Report.txt that Xcode wrote."
        }
    }
}
