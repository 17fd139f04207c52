/// Prepares a newly installed model for fast starts. Modules with an engine implement it, since the library has none.
package protocol ModelCompiler: Sendable {
    /// Refuses a file that is not a model before it is installed. Checks its header, not the whole file.
    /// - Throws: an error that names the problem and the field.
    func validate(_ path: String) throws

    /// Does the work that is needed once per device; called on a thread that may be blocked.
    /// - Parameters:
    ///   - sha256: of the file, as it was verified.
    ///   - progress: called with the bytes done and the total, at least every 50 ms; an error that it throws ends the work.
    /// - Throws: if the work failed and may be tried again; errors of `progress`.
    func compile(_ path: String, sha256: String, progress: (Int, Int) throws -> Void) throws -> CompilationOutcome
}

/// The result of compiling.
package enum CompilationOutcome: Sendable, Equatable {
    case compiled
    /// A valid model that this build does not run; the reason in one line.
    case notRunnable(reason: String)
}
