package import Foundation

/// An error of one of Hearth's modules. `errorDescription` is one line: `WHAT (WHERE). WHAT TO DO.`
package protocol HearthError: LocalizedError, Sendable {
    /// What kind of problem it is, which decides exit statuses.
    var category: ErrorCategory { get }
}

/// The kinds of errors that callers have to distinguish.
package enum ErrorCategory: Sendable {
    /// A file, or a value in it, is not valid, or not supported.
    case invalidInput
    /// The caller asked for something that does not exist.
    case invalidOption
    /// It cannot be done on this device now.
    case unavailable
    /// The work was begun and failed.
    case failed
}
