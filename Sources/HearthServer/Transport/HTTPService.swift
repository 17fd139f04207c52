/// The handling of requests. The transport does not decide what is allowed or answered.
struct HTTPService: Sendable {
    var limits: ServerLimits
    /// Checks a head before its body is read; runs on the transport's thread.
    var judge: @Sendable (RequestHead) -> (Endpoint?, HTTPFailure?)
    /// Answers a request; runs in a task that is cancelled when the client disconnects.
    var answer: @Sendable (ServerRequest, HTTPExchange) async -> Void
    /// Called when a request is over.
    var ended: @Sendable (HTTPExchange) -> Void
    /// Headers of every response.
    var commonHeaders: [(name: String, value: String)]
}
