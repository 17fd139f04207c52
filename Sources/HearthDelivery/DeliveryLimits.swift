/// Every limit of a delivery in one place. The defaults are for people's networks; tests make them small.
package struct DeliveryLimits: Sendable, Equatable {
    // MARK: Patience, in seconds

    /// A connection that brings less than `leastProgress` in this time is given up, and another one tried.
    package var stallSeconds = 30.0
    /// The whole download is given up after this time without progress.
    package var giveUpSeconds = 45.0
    /// Bytes that count as progress. With `stallSeconds` this is the least rate: 2048 B / 30 s = 68 B/s.
    package var leastProgress = 2048
    /// For name lookup, connection and TLS.
    package var connectSeconds = 15.0
    /// The longest `Retry-After` that is waited for.
    package var longestRetryAfter = 30.0
    /// Attempts in a row that bring nothing new, before a mirror is given up.
    package var fruitlessAttempts = 6
    /// The same where another mirror is left.
    package var fruitlessAttemptsWithMirrors = 2
    /// The first pause between attempts; each further one is twice as long, up to `longestPause`.
    package var firstPause = 0.2
    /// The longest pause between attempts.
    package var longestPause = 8.0
    /// Downloads of the whole file, or of one range, when the digest is wrong.
    package var digestAttempts = 2
    /// How often a waiting download looks whether another process is done.
    package var lockPollSeconds = 0.05
    /// How long a plan for the system waits for a download of the same file, which may just be ending, before it leaves it alone.
    package var lockSeconds = 5.0
    /// Where locks do not work, a partial file that was not modified for this long has no owner.
    package var orphanSeconds = 120.0

    /// What arrives is forced to the disk, and vouched for, after so many bytes…
    package var checkpointBytes = 128 << 20
    /// …or this many seconds: a loss of power costs at most that much.
    package var checkpointSeconds = 10.0

    // MARK: Parallel ranges

    /// Connections at a time.
    package var connections = 4
    /// Bytes of one range.
    package var rangeBytes = 32 << 20
    /// A rest smaller than this is left to one connection.
    package var leastParallelBytes = 64 << 20
    /// So is a rest that one connection brings in this many seconds.
    package var leastParallelSeconds = 4.0

    // MARK: Bounds

    /// Redirects that are followed for one request.
    package var redirects = 10
    /// A file that declares no size may have this many bytes.
    package var largestUndeclaredFile = 256 << 30
    /// Kept free on the disk.
    package var diskReserve = 16 << 20

    /// The limits for people's networks.
    package init() {}

    /// Free bytes that a disk must have for so many more; the number comes from a server, which may name any.
    func room(for bytes: Int) -> Int { bytes > .max - diskReserve ? .max : bytes + diskReserve }
}
