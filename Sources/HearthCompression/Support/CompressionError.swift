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
    /// A row of a list of labels that cannot be used.
    case malformedLabels(file: String, row: Int, problem: String)
    /// A line of results of an evaluation that cannot be understood.
    case malformedResults(file: String, line: Int, problem: String)
    /// Results of another evaluation than the one that was to go on.
    case otherResults(file: String, problem: String)
    /// Two files whose results do not add up.
    case conflictingResults(file: String, with: String, problem: String)
    /// Another process writes the results.
    case resultsInUse(file: String)
    /// Results that cannot be opened or read.
    case unusableResults(file: String, reason: String)
    /// Results that cannot be written any further.
    case unwritableResults(file: String, reason: String)
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
        case .malformedLabels(let file, let row, let problem):
            "\(problem) (\(file): row \(row)). A row is FILE,LABEL: a picture, and the name of its class or its place, from 0."
        case .malformedResults(let file, let line, let problem):
            "\(problem) (\(file): line \(line)). Pass what 'hearth evaluate --results' wrote, or another file."
        case .otherResults(let file, let problem):
            "the file has results already, and \(problem) (\(file)). Choose another file for these results."
        case .conflictingResults(let file, let other, let problem):
            "results do not go with those in \(other): \(problem) (\(file)). Merge what is about the same models and labels."
        case .resultsInUse(let file):
            "another process is writing these results (\(file)). Wait for it, or choose another file."
        case .unusableResults(let file, let reason):
            "cannot open the file of results: \(reason) (\(file)). Check the path and its permissions."
        case .unwritableResults(let file, let reason):
            "cannot write the results: \(reason) (\(file)). Make room, and run the same command again: it goes on from here."
        }
    }
}
