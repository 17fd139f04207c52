public import HearthDelivery

/// A model that is not installed yet, and how to get it.
public struct AwaitedModel: Sendable {
    /// What it will be called, as far as that is known beforehand.
    public var name: String
    /// Brings it, verified, installed and compiled, and says how far it is. Where it throws it is called again after a pause;
    /// what has arrived should be kept. Cancelled when the server stops.
    public var bring: @Sendable (_ progress: @escaping @Sendable (PullProgress) -> Void) async throws -> ServedModel

    /// A model under the name that it will probably have.
    public init(
        name: String,
        bring: @escaping @Sendable (_ progress: @escaping @Sendable (PullProgress) -> Void) async throws -> ServedModel
    ) {
        self.name = name
        self.bring = bring
    }
}
