package import HearthRuntime
internal import HearthSystem

extension StartupRecorder {
    /// Logs the duration of a text model's last start.
    ///
    /// Starts are recorded by the model's digest. If that is not known yet, it is computed only for a small model; a large
    /// model is recorded from its first start with a compiled artifact.
    /// - Parameter residentFraction: how much of the model was in the page cache before the start (`PageCache.residentFraction`).
    /// - Returns: a one-line warning for the user; nil if there is none. Never throws.
    package func record(lastStartOf runner: ModelRunner<TextEngine>, residentFraction: Double?) async -> String? {
        guard isLogging, let times = await runner.lastPreparation else { return nil }
        let size = ((try? SystemFiles().status(runner.engine.path)) ?? nil)?.size ?? .max
        guard times.reused || size <= Self.quicklyRead, let profile = try? await runner.engine.profile() else {
            return nil
        }
        return await record(profile, times, residentFraction: residentFraction)
    }

    /// Size up to which a file is hashed for this, as it takes hardly any time.
    private static let quicklyRead = 64 << 20
}
