package import HearthRuntime
internal import HearthSystem

extension StartupRecorder {
    /// Logs what the last start of a text model cost.
    ///
    /// A start is filed under the model's digest. Where that is not known yet, only a small model is read for it: a large
    /// one is logged from the first start on that finds it compiled.
    /// - Parameter residentFraction: how much of the model lay in the page cache before (`PageCache.residentFraction`).
    /// - Returns: what the user should be told, in one line; nil where all is well. Never an error.
    package func record(lastStartOf runner: ModelRunner<TextEngine>, residentFraction: Double?) async -> String? {
        guard isLogging, let times = await runner.lastPreparation else { return nil }
        let size = ((try? SystemFiles().status(runner.engine.path)) ?? nil)?.size ?? .max
        guard times.reused || size <= Self.quicklyRead, let profile = try? await runner.engine.profile() else {
            return nil
        }
        return await record(profile, times, residentFraction: residentFraction)
    }

    /// Bytes that are read and hashed in a blink.
    private static let quicklyRead = 64 << 20
}
