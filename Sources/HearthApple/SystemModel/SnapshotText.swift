internal import Foundation
package import HearthRuntime

/// What is new in each snapshot of a text that grows: the system's model gives the whole answer so far, again and again. A plain
/// value.
package struct SnapshotText: Sendable, Equatable {
    private var given = ""

    package init() {}

    /// The text beyond the snapshot before; empty where there is none. All of them together are the last snapshot.
    /// - Throws: `SystemModelError.rewritten` for a snapshot that takes back what was given: that cannot be unsaid.
    package mutating func take(_ snapshot: String) throws(SystemModelError) -> String {
        // By bytes: an accent that comes later belongs to a character that was given.
        guard snapshot.utf8.starts(with: given.utf8) else { throw .rewritten }
        let new = String(decoding: snapshot.utf8.dropFirst(given.utf8.count), as: UTF8.self)
        given = snapshot
        return new
    }
}

/// Why the system's model, or a session with Hearth's, does not answer.
package enum SystemModelError: Error, LocalizedError, Equatable {
    /// It is not there now.
    case unavailable(SystemModelAvailability)
    /// The model changed what it had written.
    case rewritten
    /// A session's transcript has an entry that this version does not pass on.
    case unsupportedEntry(kind: String)
    /// A session's transcript does not end with a prompt.
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
