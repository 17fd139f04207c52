/// What becomes of requests. The transport decides nothing of what is allowed or answered.
struct HTTPService: Sendable {
    var limits: ServerLimits
    /// Judges a head before its body is read; runs on the transport's thread.
    var judge: @Sendable (RequestHead) -> (Endpoint?, HTTPFailure?)
    /// Answers a request; runs in a task that is cancelled when the client leaves.
    var answer: @Sendable (ServerRequest, HTTPExchange) async -> Void
    /// Told of each request that is over.
    var ended: @Sendable (HTTPExchange) -> Void
    /// Headers of every answer.
    var commonHeaders: [(name: String, value: String)]
}
