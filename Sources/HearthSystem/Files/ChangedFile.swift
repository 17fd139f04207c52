/// An error that may tell that somebody wrote to a file while it was used.
package protocol ChangedFileError: Error {
    /// The file's path; nil where the error tells something else.
    var changedFile: String? { get }
}

extension Error {
    /// The path of a model's file that somebody wrote to while it was used, where that is what this error tells; nil for others.
    package var changedModelFile: String? { (self as? any ChangedFileError)?.changedFile }
}
