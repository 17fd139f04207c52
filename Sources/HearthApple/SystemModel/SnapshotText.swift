internal import Foundation
package import HearthRuntime

/// Extracts the new text from each snapshot of a growing answer: the system's model returns the whole answer so far each time.
/// A plain value.
package struct SnapshotText: Sendable, Equatable {
    private var given = ""

    package init() {}

    /// Returns the text added since the last snapshot; empty if none. Concatenated, the results equal the last snapshot.
    /// - Throws: `SystemModelError.rewritten` for a snapshot that changes earlier text, which cannot be retracted.
    package mutating func take(_ snapshot: String) throws(SystemModelError) -> String {
        // Compared by bytes: a combining accent may extend a character that was already returned.
        guard snapshot.utf8.starts(with: given.utf8) else { throw .rewritten }
        let new = String(decoding: snapshot.utf8.dropFirst(given.utf8.count), as: UTF8.self)
        given = snapshot
        return new
    }
}

/// An error of the system's model, or of a session with Hearth's.
package enum SystemModelError: Error, LocalizedError, Equatable {
    /// The model is currently unavailable.
    case unavailable(SystemModelAvailability)
    /// The model changed text it had already written.
    case rewritten
    /// A session's transcript has an entry that is not supported.
    case unsupportedEntry(kind: String)
    /// A session's transcript does not end with a prompt, or with the output of a tool.
    case noPrompt

    package var errorDescription: String? {
        switch self {
        case .unavailable(let availability): availability.reason
        case .rewritten: "The system's language model changed what it had written."
        case .unsupportedEntry(let kind): "The session's transcript has an entry that is not supported: \(kind)."
        case .noPrompt: "The session's transcript does not end with a prompt."
        }
    }
}
