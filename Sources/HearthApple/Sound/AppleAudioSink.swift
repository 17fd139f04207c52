#if canImport(AVFAudio)
internal import AVFAudio
internal import Foundation
public import HearthSpeech

/// Plays speech with `AVAudioEngine`. It continues on the lock screen, pauses for calls, reacts to headphone controls, and
/// supports a sleep timer. `ReadAloud` implements the rules.
///
/// For apps that play in the background, add `audio` to `UIBackgroundModes`.
public final class AppleAudioSink: AudioSink, @unchecked Sendable {
    // Sendable: all mutable state is accessed only on `queue`.
    private let queue = DispatchQueue(label: "hearth.read-aloud", qos: .userInitiated)
    private let clock = ContinuousClock()
    private let begun = ContinuousClock.now
    private let title: String
    private var state = ReadAloud()
    private var timer: SleepTimer?
    private var engine = AVAudioEngine()
    private var player = AVAudioPlayerNode()
    private var sampleRate = 0
    private var hasStarted = false
    private var isFinished = false
    private var pending = PlaybackQueue<AVAudioPCMBuffer>()
    /// Callers waiting until no more than `most` pieces are pending.
    private var waiting: [(most: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private var controls: ReadAloudControls?

    /// Creates a sink.
    /// - Parameter title: the title shown on the lock screen.
    public init(title: String) { self.title = title }

    deinit { controls?.end() }

    /// Schedules a piece and returns when the previous one was played, so that there is no gap between them.
    public func play(_ audio: SpeechAudio) async throws {
        guard !audio.samples.isEmpty else { return }
        // Another sample rate requires a new connection, which would cut off scheduled pieces.
        if queue.sync(execute: { sampleRate != audio.sampleRate }) { await drain(to: 0) }
        try Task.checkCancellation()
        try queue.sync { try schedule(audio) }
        await drain(to: 1)
        try Task.checkCancellation()
        if queue.sync(execute: { state.silence == .stopped }) { throw CancellationError() }
    }

    /// Waits until everything was played, and deactivates the audio session.
    public func finish() async throws {
        await drain(to: 0)
        queue.sync { end() }
    }

    /// Stops immediately.
    public func stop() { queue.sync { take(.stop) } }

    /// Ends the story after the given time, at the end of a sentence and after fading out; nil disables the timer.
    public func sleep(after time: Duration?) {
        queue.sync { timer = time.map { SleepTimer(deadline: now + $0, fade: min($0, .seconds(60))) } }
    }

    private var now: Duration { begun.duration(to: clock.now) }

    // MARK: - On the queue

    private func schedule(_ audio: SpeechAudio) throws {
        if let timer, timer.isOver(at: now) { take(.sleepTimerEnded) }
        guard state.silence != .stopped, !isFinished else { throw CancellationError() }
        let format = AVAudioFormat(standardFormatWithSampleRate: Double(audio.sampleRate), channels: 1)
        guard let format,
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(audio.samples.count)),
            let channel = buffer.floatChannelData?[0]
        else { throw SpeechError.notAudio("a sample rate of \(audio.sampleRate)") }
        for (index, sample) in audio.samples.enumerated() { channel[index] = Float(sample) / 32_768 }
        buffer.frameLength = AVAudioFrameCount(audio.samples.count)
        if sampleRate != audio.sampleRate {
            sampleRate = audio.sampleRate
            connect(format)
        }
        if !hasStarted {
            hasStarted = true
            controls = ReadAloudControls(title: title) { [weak self] event in
                self?.queue.async { [weak self] in self?.take(event) }
            }
        }
        let ticket = pending.add(buffer)
        if let timer { engine.mainMixerNode.outputVolume = timer.volume(at: now) }
        if state.silence == nil { try start() }
        hand(buffer, ticket)
    }

    private func connect(_ format: AVAudioFormat) {
        player.stop()
        engine.attach(player)
        engine.disconnectNodeOutput(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
    }

    private func start() throws {
        try controls?.activate()
        if !engine.isRunning { try engine.start() }
        player.play()
    }

    private func hand(_ buffer: AVAudioPCMBuffer, _ ticket: PlaybackQueue<AVAudioPCMBuffer>.Ticket) {
        player.scheduleBuffer(buffer, completionCallbackType: .dataPlayedBack) { [weak self] _ in
            self?.queue.async { [weak self] in
                if let self, self.pending.heard(ticket) { self.release() }
            }
        }
    }

    private func take(_ event: ReadAloud.Event) {
        for action in state.take(event) { carryOut(action) }
        controls?.show(isPlaying: state.silence == nil)
    }

    private func carryOut(_ action: ReadAloud.Action) {
        switch action {
        case .pause:
            player.pause()
            engine.pause()
        case .resume:
            // Having nothing to resume is not an error. If the session cannot be activated, playback stays paused until play is
            // pressed again.
            guard pending.count > 0 else { return }
            do { try start() } catch { _ = state.take(.pause) }
        case .rebuild:
            engine = AVAudioEngine()
            player = AVAudioPlayerNode()
            if let format = pending.first?.format { connect(format) }
            for (ticket, buffer) in pending.replacePlayer() { hand(buffer, ticket) }
        case .stop: end()
        }
    }

    private func end() {
        guard !isFinished else { return }
        isFinished = true
        player.stop()
        engine.stop()
        pending.clear()
        controls?.end()
        controls = nil
        release()
    }

    private func drain(to most: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    waiting.append((most, continuation))
                    release()
                }
            }
        } onCancel: {
            stop()
        }
    }

    private func release() {
        let free = waiting.filter { pending.count <= $0.most || isFinished }
        waiting.removeAll { pending.count <= $0.most || isFinished }
        for one in free { one.continuation.resume() }
    }
}
#endif
