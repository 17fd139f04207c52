/// An error that may mean that a file was changed while it was in use.
package protocol ChangedFileError: Error {
    /// The file's path; nil if the error means something else.
    var changedFile: String? { get }
}

extension Error {
    /// The path of a model's file that was changed while it was in use; nil if this error means something else.
    package var changedModelFile: String? { (self as? any ChangedFileError)?.changedFile }
}
