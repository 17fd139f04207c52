internal import HearthFormats
internal import HearthRuntime

extension Error {
    /// The path of a model's file that somebody wrote to while it was used, where that is what this error tells; nil for others.
    package var changedModelFile: String? {
        switch self as any Error {
        case FormatError.changed(let location): location.file
        case RunnerError.failed(_, let cause): cause.changedModelFile
        default: nil
        }
    }
}
