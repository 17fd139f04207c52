import Foundation
package import HearthSystem

/// An error in the input of a report: labels, evaluation results, a size report.
package enum ReportError: Error, Equatable, Sendable {
    /// A line of a size report that cannot be parsed.
    case malformedReport(file: String, line: Int, problem: String)
    /// A row of a list of labels that cannot be used.
    case malformedLabels(file: String, row: Int, problem: String)
    /// A row of a list of numbers that cannot be used.
    case malformedNumbers(file: String, row: Int, problem: String)
    /// Annotations of objects that cannot be used.
    case malformedAnnotations(file: String, problem: String)
    /// A line of evaluation results that cannot be parsed.
    case malformedResults(file: String, line: Int, problem: String)
    /// Results of a different evaluation than the one to resume.
    case otherResults(file: String, problem: String)
    /// Two result files that cannot be combined.
    case conflictingResults(file: String, with: String, problem: String)
    /// Another process is writing the results.
    case resultsInUse(file: String)
    /// A result file that cannot be opened or read.
    case unusableResults(file: String, reason: String)
    /// A result file that cannot be written.
    case unwritableResults(file: String, reason: String)
    /// The model whose size is requested does not exist.
    case missingModel(file: String)
    /// gzip is not available to measure the compressed size.
    case noCompressor(file: String)
}

extension ReportError: LocalizedError {
    /// The problem, its location and what to do, in one line.
    package var errorDescription: String? {
        switch self {
        case .malformedReport(let file, let line, let problem):
            "\(problem) (\(file): line \(line)). Pass the App Thinning Size Report.txt that Xcode wrote."
        case .malformedLabels(let file, let row, let problem):
            "\(problem) (\(file): row \(row)). A row is FILE,LABEL: an image, and the name or index (from 0) of its class."
        case .malformedNumbers(let file, let row, let problem):
            "\(problem) (\(file): row \(row)). A row is FILE,NUMBER: an image, and each number that the model should return. "
                + "For a detector, pass COCO's annotations; convert a classifier with a ClassifierConfig."
        case .malformedAnnotations(let file, let problem):
            "\(problem) (\(file)). Pass COCO's annotations of objects: images, annotations with bbox, and categories."
        case .malformedResults(let file, let line, let problem):
            "\(problem) (\(file): line \(line)). Pass what 'hearth evaluate --results' wrote, or another file."
        case .otherResults(let file, let problem):
            "the file already has results of another evaluation: \(problem) (\(file)). Choose another file for these results."
        case .conflictingResults(let file, let other, let problem):
            "results cannot be combined with those in \(other): \(problem) (\(file)). Merge results for the same models and labels."
        case .resultsInUse(let file):
            "another process is writing these results (\(file)). Wait for it, or choose another file."
        case .unusableResults(let file, let reason):
            "cannot open the results file: \(reason) (\(file)). Check the path and its permissions."
        case .unwritableResults(let file, let reason):
            "cannot write the results: \(reason) (\(file)). Free some space, and run the same command again; it resumes from here."
        case .missingModel(let file):
            "there is no such file (\(file)). Pass the model of the app."
        case .noCompressor(let file):
            "the compressed size cannot be measured (\(file)). Install gzip, or pass --compressed-bytes N."
        }
    }
}

extension ReportError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .malformedReport, .malformedLabels, .malformedNumbers, .malformedAnnotations, .malformedResults,
            .otherResults, .conflictingResults,
            .unusableResults, .missingModel:
            .invalidInput
        case .resultsInUse, .noCompressor: .unavailable
        case .unwritableResults: .failed
        }
    }
}
