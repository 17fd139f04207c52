package import HearthDelivery

/// A model that is not installed yet, and how to install it.
package struct AwaitedModel: Sendable {
    /// The expected name.
    package var name: String
    /// Downloads, verifies, installs and compiles the model, and reports progress. If it throws, it is called again after a
    /// pause, and should resume. It is cancelled when the server stops.
    package var bring: @Sendable (_ progress: @escaping @Sendable (PullProgress) -> Void) async throws -> ServedModel

    /// A model with its expected name.
    package init(
        name: String,
        bring: @escaping @Sendable (_ progress: @escaping @Sendable (PullProgress) -> Void) async throws -> ServedModel
    ) {
        self.name = name
        self.bring = bring
    }
}
