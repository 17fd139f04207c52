internal import HearthSystem
internal import Synchronization

/// Plays speech on the sound device, through whichever player the system has (PipeWire, PulseAudio, ALSA): a process for each
/// piece, which ends when the piece was heard.
public struct DeviceSink: AudioSink {
    private let player: String
    private let arguments: [String]
    private let playing = Playing()

    /// Players and how each reads a WAVE file from standard input.
    private static let players: [(name: String, arguments: [String])] = [
        ("pw-play", ["-"]), ("paplay", ["/dev/stdin"]), ("aplay", ["-q", "-"]), ("afplay", ["/dev/stdin"]),
    ]

    /// - Throws: `SpeechError.programMissing` where there is no player in `searchPath`, by default that of the environment.
    public init(searchPath: String? = nil) throws(SpeechError) {
        for player in Self.players {
            guard let found = Executable.find([player.name], in: searchPath ?? Executable.searchPath) else { continue }
            self.player = found
            arguments = player.arguments
            return
        }
        throw .programMissing("aplay", package: "alsa-utils")
    }

    /// Plays a piece and returns when it was heard.
    public func play(_ audio: SpeechAudio) async throws {
        let (player, arguments) = (player, arguments)
        let task = Task {
            let process = try Executable.start(player, arguments, input: .file(audio.wav))
            _ = try await Executable.finish(process, player)
        }
        guard playing.begin(task) else { throw CancellationError() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Nothing is left to wait for: each piece was heard when `play` returned.
    public func finish() async throws {}

    /// Silent at once.
    public func stop() { playing.stop() }
}

/// The player that runs now.
private final class Playing: Sendable {
    private let state = Mutex<(task: Task<Void, any Error>?, isStopped: Bool)>((nil, false))

    func begin(_ task: Task<Void, any Error>) -> Bool {
        let isStopped = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
        return !isStopped
    }

    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }
}
