internal import Foundation

/// An error of the filter's files, or of a guard.
package enum LexiconError: LocalizedError, Equatable, Sendable {
    /// An invalid line.
    case line(file: String, number: Int, problem: String)
    /// A file missing from this build.
    case missing(file: String)

    /// A file of this build that is incomplete or was changed.
    case damaged(file: String, problem: String)
    /// The app's own guard failed.
    case guardFailed(problem: String)

    /// The problem, its location, and what to do.
    package var errorDescription: String? {
        switch self {
        case .line(let file, let number, let problem):
            "\(problem) (\(file):\(number)). Correct the line; the format is described in Sources/CHearthLexicon/Files/README.md."
        case .missing(let file):
            "the filter's file is not part of this build (\(file)). Add it to Sources/CHearthLexicon."
        case .damaged(let file, let problem):
            "the filter's file is damaged: \(problem) (\(file)). Restore it in Sources/CHearthLexicon/Files and build again."
        case .guardFailed(let problem):
            "the meaning classifier could not judge a sentence, which was stopped: \(problem)"
        }
    }
}
