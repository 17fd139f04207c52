internal import Foundation

/// Errors in a lexicon file.
package enum LexiconError: LocalizedError, Equatable, Sendable {
    /// A line that has no meaning.
    case line(file: String, number: Int, problem: String)
    /// A file of this build that cannot be read.
    case missing(file: String)

    /// A file of this build of which a part is missing or changed.
    case damaged(file: String, problem: String)
    /// The app's own guard could not judge.
    case guardFailed(problem: String)

    /// What happened, where, and what to do.
    package var errorDescription: String? {
        switch self {
        case .line(let file, let number, let problem):
            "\(problem) (\(file):\(number)). Correct the line; the format is described in Sources/CHearthLexicon/Files/README.md."
        case .missing(let file):
            "the filter's file is not part of this build (\(file)). Add it to Sources/CHearthLexicon."
        case .damaged(let file, let problem):
            "the filter's file is damaged: \(problem) (\(file)). Restore it in Sources/CHearthLexicon/Files and build again."
        case .guardFailed(let problem):
            "the guard of meaning could not judge a sentence, which was stopped: \(problem)"
        }
    }
}
