/// The limits of a server. The defaults suit one person's machine.
package struct ServerLimits: Sendable, Equatable {
    /// Maximum number of open connections, over all addresses.
    package var connections = 256
    /// Further connections, which are accepted only to answer 503 and close.
    package var spareConnections = 32
    /// Time for such a connection to send its request.
    package var spareTime = Duration.seconds(2)
    /// Maximum size of the request line and headers.
    package var headerBytes = 16 << 10
    /// Maximum size of a body.
    package var bodyBytes = 1 << 20
    /// Maximum nesting depth of JSON.
    package var jsonDepth = 32
    /// Maximum size of one string in a body.
    package var stringBytes = 64 << 10
    /// Time to receive a connection's first head.
    package var headerTime = Duration.seconds(10)
    /// Time to receive a body.
    package var bodyTime = Duration.seconds(15)
    /// Idle timeout: time to receive the next head after a response.
    package var idleTime = Duration.seconds(60)
    /// Time for a client to receive a whole response.
    package var replyTime = Duration.seconds(60)
    /// Time from the end of a request's body to the end of its response, including the time in the queue.
    package var requestTime = Duration.seconds(900)
    /// Maximum number of streamed texts at a time, including queued ones; more are refused.
    package var streams = 64
    /// Maximum length of the queue; more texts are refused.
    package var waiting = 128
    /// Time in the queue before a stream's head and first comment are sent.
    package var patience = Duration.milliseconds(500)
    /// Heartbeat interval of a stream.
    package var heartbeat = Duration.seconds(10)
    /// Maximum time in the queue.
    package var waitingTime = Duration.seconds(300)
    /// Maximum time to generate one text.
    package var generationTime = Duration.seconds(300)
    /// Time in the queue before a finished story is told instead.
    package var storyPatience = Duration.seconds(15)
    /// Time before the end of a drain in which texts end cleanly, and their last events are sent.
    package var lastWords = Duration.seconds(1)
    /// Maximum number of clients that watch the model's state.
    package var watchers = 32
    /// Maximum length of the speech queue.
    package var speaking = 32
    /// Pause after the first failure to fetch a model; doubled each time.
    package var fetchPause = Duration.seconds(2)
    /// Upper limit of that pause.
    package var longestFetchPause = Duration.seconds(300)

    /// The defaults.
    package init() {}
}
