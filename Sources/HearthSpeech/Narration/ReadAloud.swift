/// Decides how reading aloud reacts to calls, unplugged headphones, lock screen controls and the sleep timer. A pure state
/// machine: events in, actions out.
///
/// | event | while playing | while silent |
/// |---|---|---|
/// | interruption starts (a call) | pause | – |
/// | interruption ends, and the system permits resuming | – | resume, if the interruption had paused it |
/// | interruption ends otherwise | – | – (the listener has to press play) |
/// | headphones are unplugged | pause, as if by the listener | – |
/// | the media services were reset | rebuild, resume | rebuild |
/// | the engine stopped itself (another output) | resume | – |
/// | play, pause, toggle | pause or nothing | resume or nothing |
/// | stop, the sleep timer | stop | stop |
package struct ReadAloud: Sendable, Equatable {
    /// An event that may affect playback.
    package enum Event: Sendable, Equatable {
        case interruptionBegan
        case interruptionEnded(mayResume: Bool)
        case outputLost
        case servicesReset
        case engineStopped
        case play, pause, toggle, stop
        case sleepTimerEnded
    }

    /// An action to perform.
    package enum Action: Sendable, Equatable {
        /// Pause and keep the position.
        case pause
        /// Reactivate the audio session and continue.
        case resume
        /// Recreate engine and player, because the old ones are no longer usable.
        case rebuild
        /// Stop permanently.
        case stop
    }

    /// Why playback is silent.
    package enum Silence: Sendable, Equatable {
        case listener, interruption, stopped
    }

    /// nil while playing.
    package private(set) var silence: Silence?

    /// Creates the state of a voice that plays as soon as there is audio.
    package init() {}

    /// Processes an event and returns the actions to perform, in order.
    package mutating func take(_ event: Event) -> [Action] {
        guard silence != .stopped else { return [] }
        switch event {
        case .interruptionBegan: return fallSilent(.interruption)
        case .interruptionEnded(let mayResume):
            guard silence == .interruption else { return [] }
            if mayResume { return goOn() }
            // From now on, only the listener can resume playback.
            silence = .listener
            return []
        case .outputLost: return fallSilent(.listener)
        case .servicesReset: return silence == nil ? [.rebuild, .resume] : [.rebuild]
        case .engineStopped: return silence == nil ? [.resume] : []
        case .play: return goOn()
        case .pause:
            // After this, the end of a call must not resume playback automatically.
            if silence == .interruption { silence = .listener }
            return fallSilent(.listener)
        case .toggle: return silence == nil ? fallSilent(.listener) : goOn()
        case .stop, .sleepTimerEnded:
            silence = .stopped
            return [.stop]
        }
    }

    private mutating func fallSilent(_ reason: Silence) -> [Action] {
        guard silence == nil else { return [] }
        silence = reason
        return [.pause]
    }

    private mutating func goOn() -> [Action] {
        guard silence != nil else { return [] }
        silence = nil
        return [.resume]
    }
}

extension ReadAloud.Event {
    /// The event of an `AVAudioSession.interruptionNotification`, from its raw values; nil if it requires no reaction.
    /// - Parameters:
    ///   - type: `AVAudioSession.InterruptionType`: 1 began, 0 ended.
    ///   - options: `AVAudioSession.InterruptionOptions`: bit 0 permits resuming.
    ///   - reason: `AVAudioSession.InterruptionReason`: 1 is a late notification that the app had been suspended.
    package init?(interruption type: UInt?, options: UInt, reason: UInt?) {
        switch type {
        case 1 where reason != 1: self = .interruptionBegan
        case 0: self = .interruptionEnded(mayResume: options & 1 != 0)
        default: return nil
        }
    }

    /// The event of an `AVAudioSession.routeChangeNotification`; nil if it requires no reaction.
    /// - Parameter reason: `AVAudioSession.RouteChangeReason`: 2 if the device used for playback is gone.
    package init?(routeChange reason: UInt?) {
        guard reason == 2 else { return nil }
        self = .outputLost
    }
}

/// Ends a story at bedtime: fades out gradually and stops at the end of a sentence. A plain value; the caller provides the
/// time.
package struct SleepTimer: Sendable, Equatable {
    /// The latest time at which a sentence may start, since any fixed moment.
    package var deadline: Duration
    /// How long before the deadline the fade starts.
    package var fade: Duration
    /// The volume at the deadline, 0 to 1.
    package var lastVolume: Float = 0.3

    package init(deadline: Duration, fade: Duration = .seconds(60)) {
        self.deadline = deadline
        self.fade = fade
    }

    /// The volume of a sentence that starts now, 0 to 1.
    package func volume(at time: Duration) -> Float {
        guard fade > .zero, time > deadline - fade else { return 1 }
        let share = Float(min(1, (time - (deadline - fade)) / fade))
        return 1 - share * (1 - lastVolume)
    }

    /// Whether no further sentence may start.
    package func isOver(at time: Duration) -> Bool { time >= deadline }
}
