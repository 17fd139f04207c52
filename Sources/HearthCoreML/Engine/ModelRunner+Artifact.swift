internal import HearthDelivery
package import HearthRuntime
internal import HearthSystem

extension ModelRunner where Engine == CoreMLEngine {
    /// Like ``withModel(waitingAtMost:retryingFailure:_:)``, and recovers if the compiled artifact was changed meanwhile: the
    /// artifact is verified byte by byte, rebuilt if it is damaged, and `body` runs once more.
    ///
    /// - Throws: what `body` throws; ``RunnerError``, `CancellationError`.
    package func withSoundModel<Result: Sendable>(
        _ body: @escaping @Sendable (CoreMLSession) async throws -> Result
    ) async throws -> Result {
        var renewals = 0
        while true {
            do {
                // Where a load saw the change, its failure is remembered; every other failure stays so.
                return try await withModel(retryingFailure: renewals > 0, body)
            } catch {
                guard renewals < 2, let file = error.changedModelFile else { throw error }
                await renewArtifact(file)
                renewals += 1
            }
        }
    }

    /// Releases a model whose artifact was changed; the next use loads one that is as it should be.
    /// - Parameter file: of the artifact.
    package func renewArtifact(_ file: String) async {
        let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        _ = try? await OwnThread.run { _ in ArtifactCache.verify(folder: folder) }
        await release()
    }
}
