public import Foundation

/// What can be wrong with a lexicon file.
public enum LexiconError: LocalizedError, Equatable, Sendable {
    /// A line that has no meaning.
    case line(file: String, number: Int, problem: String)
    /// A file of this build that cannot be read.
    case missing(file: String)

    /// What happened, where, and what to do.
    public var errorDescription: String? {
        switch self {
        case .line(let file, let number, let problem):
            "\(problem) (\(file):\(number)). Correct the line; the format is described in Sources/CHearthLexicon/Files/README.md."
        case .missing(let file):
            "the lexicon is not part of this build (\(file)). Add it to Sources/CHearthLexicon."
        }
    }
}
