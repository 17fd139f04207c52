/// What happens to a voice that reads aloud while the device has other things to do: calls, unplugged headphones, the
/// buttons of a lock screen, bedtime. A pure state machine: events in, actions out.
///
/// | event | while it sounds | while it is silent |
/// |---|---|---|
/// | interruption begins (a call) | pause | – |
/// | it ends, and the system says that playing may go on | – | resume, if the interruption had paused it |
/// | it ends otherwise | – | – : the listener presses play |
/// | headphones are unplugged | pause, as if the listener had | – |
/// | the media services were reset | rebuild, resume | rebuild |
/// | the engine stopped itself (another output) | resume | – |
/// | play, pause, toggle | pause or nothing | resume or nothing |
/// | stop, the sleep timer | stop | stop |
package struct ReadAloud: Sendable, Equatable {
    /// What happened.
    package enum Event: Sendable, Equatable {
        case interruptionBegan
        case interruptionEnded(mayResume: Bool)
        case outputLost
        case servicesReset
        case engineStopped
        case play, pause, toggle, stop
        case sleepTimerEnded
    }

    /// What is to be done.
    package enum Action: Sendable, Equatable {
        /// Falls silent and keeps its place.
        case pause
        /// Takes the audio session again and goes on.
        case resume
        /// Makes engine and player anew: the old ones are dead.
        case rebuild
        /// Falls silent for good.
        case stop
    }

    /// Why it is silent, where it is.
    package enum Silence: Sendable, Equatable {
        case listener, interruption, stopped
    }

    /// nil while it sounds.
    package private(set) var silence: Silence?

    /// A voice that sounds as soon as there is something to say.
    package init() {}

    /// Takes an event and says what to do, in this order.
    package mutating func take(_ event: Event) -> [Action] {
        guard silence != .stopped else { return [] }
        switch event {
        case .interruptionBegan: return fallSilent(.interruption)
        case .interruptionEnded(let mayResume):
            guard silence == .interruption else { return [] }
            if mayResume { return goOn() }
            // From now on it is the listener's to go on.
            silence = .listener
            return []
        case .outputLost: return fallSilent(.listener)
        case .servicesReset: return silence == nil ? [.rebuild, .resume] : [.rebuild]
        case .engineStopped: return silence == nil ? [.resume] : []
        case .play: return goOn()
        case .pause:
            // What a call had paused is not to start by itself any more.
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
    /// What `AVAudioSession.interruptionNotification` says, by its numbers; nil for what is no event.
    /// - Parameters:
    ///   - type: `AVAudioSession.InterruptionType`: 1 began, 0 ended.
    ///   - options: `AVAudioSession.InterruptionOptions`: bit 0 that playing may go on.
    ///   - reason: `AVAudioSession.InterruptionReason`: 1 says only now that the app had been suspended.
    package init?(interruption type: UInt?, options: UInt, reason: UInt?) {
        switch type {
        case 1 where reason != 1: self = .interruptionBegan
        case 0: self = .interruptionEnded(mayResume: options & 1 != 0)
        default: return nil
        }
    }

    /// What `AVAudioSession.routeChangeNotification` says; nil for what changes nothing.
    /// - Parameter reason: `AVAudioSession.RouteChangeReason`: 2 where the device that played is gone.
    package init?(routeChange reason: UInt?) {
        guard reason == 2 else { return nil }
        self = .outputLost
    }
}

/// Ends a story when the listener is asleep: softer and softer, and at the end of a sentence. A plain value; time is handed in.
package struct SleepTimer: Sendable, Equatable {
    /// When the last sentence may begin, since any fixed moment.
    package var deadline: Duration
    /// How long before it the voice begins to fade.
    package var fade: Duration
    /// How loud it is at the deadline, 0 to 1.
    package var lastVolume: Float = 0.3

    package init(deadline: Duration, fade: Duration = .seconds(60)) {
        self.deadline = deadline
        self.fade = fade
    }

    /// How loud a sentence is that begins now, 0 to 1.
    package func volume(at time: Duration) -> Float {
        guard fade > .zero, time > deadline - fade else { return 1 }
        let share = Float(min(1, (time - (deadline - fade)) / fade))
        return 1 - share * (1 - lastVolume)
    }

    /// Whether no further sentence is to begin.
    package func isOver(at time: Duration) -> Bool { time >= deadline }
}
