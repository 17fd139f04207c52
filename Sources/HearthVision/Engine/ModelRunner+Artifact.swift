internal import HearthDelivery
internal import HearthFormats
public import HearthRuntime
internal import HearthSystem

extension ModelRunner where Engine == CoreMLEngine {
    /// `withModel` that goes on where the model's compiled artifact is changed meanwhile: that is looked at byte by byte, made
    /// again where it is damaged, and `body` runs once more.
    ///
    /// - Throws: what `body` throws; `RunnerError`, `CancellationError`.
    public func withSoundModel<Result: Sendable>(
        _ body: @escaping @Sendable (CoreMLSession) async throws -> Result
    ) async throws -> Result {
        for _ in 0..<2 {
            do {
                // The change may have been seen by a load, whose failure is remembered.
                return try await withModel(retryingFailure: true, body)
            } catch {
                guard let file = Self.changedFile(error) else { throw error }
                await renewArtifact(file)
            }
        }
        return try await withModel(retryingFailure: true, body)
    }

    private static func changedFile(_ error: any Error) -> String? {
        switch error {
        case FormatError.changed(let location): location.file
        case RunnerError.failed(_, let cause): changedFile(cause)
        default: nil
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
