/// Prepares a newly installed model for fast starts. The library knows no engine; a module that has one implements
/// this.
package protocol ModelCompiler: Sendable {
    /// Refuses a file that is no model, before it is installed. Looks at its header, not at all of it.
    /// - Throws: an error that says what is wrong, in which field.
    func validate(_ path: String) throws

    /// Does whatever is worth doing once for this device; called on a thread that may be blocked.
    /// - Parameters:
    ///   - sha256: of the file, as it was verified.
    ///   - progress: called with bytes done and in all, at least every 50 ms; what it throws ends the work.
    /// - Throws: where the work failed and may be tried again; what `progress` throws.
    func compile(_ path: String, sha256: String, progress: (Int, Int) throws -> Void) throws -> CompilationOutcome
}

/// What came of compiling.
package enum CompilationOutcome: Sendable, Equatable {
    case compiled
    /// A sound model that this build does not run; why, in one line.
    case notRunnable(reason: String)
}
