internal import HearthSystem
internal import Synchronization

/// Plays speech on the sound device with a player program (PipeWire, PulseAudio, ALSA, or macOS's), one process per piece.
public struct DeviceSink: AudioSink {
    private let player: String
    private let arguments: [String]
    private let playing = Playing()

    /// Player programs, with the arguments that make them read a WAVE file from standard input.
    private static let players: [(name: String, arguments: [String])] = [
        ("pw-play", ["-"]), ("paplay", ["/dev/stdin"]), ("aplay", ["-q", "-"]), ("afplay", ["/dev/stdin"]),
    ]

    /// Finds a player program.
    /// - Parameter searchPath: folders to search for a player, separated by colons; nil for `PATH`.
    /// - Throws: ``SpeechError/programMissing(_:package:)`` if there is no player.
    public init(searchPath: String? = nil) throws(SpeechError) {
        for player in Self.players {
            guard let found = ProgramPath.find(player.name, in: searchPath ?? ProgramPath.folders) else { continue }
            self.player = found
            arguments = player.arguments
            return
        }
        throw .programMissing("aplay", package: "alsa-utils")
    }

    /// Plays a piece and returns when it has finished.
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

    /// Returns immediately: each piece has finished when `play` returns.
    public func finish() async throws {}

    /// Stops immediately.
    public func stop() { playing.stop() }
}

/// The player process that is currently running.
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
