/// How much a server gives before it says no. The defaults are for one person's machine.
package struct ServerLimits: Sendable, Equatable {
    /// Most connections at a time, on all addresses together.
    package var connections = 256
    /// Further ones, that are told to come back later and closed.
    package var spareConnections = 32
    /// For a connection of those to say what it wants, which it does not get.
    package var spareTime = Duration.seconds(2)
    /// Most bytes of a request's line and headers.
    package var headerBytes = 16 << 10
    /// Most bytes of a request's body.
    package var bodyBytes = 1 << 20
    /// Most arrays and objects within one another.
    package var jsonDepth = 32
    /// Most bytes of one string in a body.
    package var stringBytes = 64 << 10
    /// For a connection's first head to arrive, whole.
    package var headerTime = Duration.seconds(10)
    /// For a body to arrive, whole.
    package var bodyTime = Duration.seconds(15)
    /// For the next head, after an answer.
    package var idleTime = Duration.seconds(60)
    /// For a whole answer to be taken by its client.
    package var replyTime = Duration.seconds(60)
    /// For a request from its body's end to its answer's end, waiting included.
    package var requestTime = Duration.seconds(900)
    /// Texts that may be sent piece by piece at a time, those included that wait for their turn; one more is refused.
    package var streams = 64
    /// Texts that may wait for their turn; one more is refused.
    package var waiting = 128
    /// Before a text that waits for its turn says so to who reads it piece by piece.
    package var patience = Duration.milliseconds(500)
    /// Between two signs of life of a text that is sent piece by piece.
    package var heartbeat = Duration.seconds(10)
    /// For a text to wait for its turn.
    package var waitingTime = Duration.seconds(300)
    /// For one text to be written.
    package var generationTime = Duration.seconds(300)
    /// Pages that may watch the model's state at a time.
    package var watchers = 32
    /// Pieces of speech that may be wanted at a time.
    package var speaking = 32
    /// Before a model that could not be fetched is asked for again; twice as long each time, up to five minutes.
    package var fetchPause = Duration.seconds(2)

    /// The defaults.
    package init() {}
}
