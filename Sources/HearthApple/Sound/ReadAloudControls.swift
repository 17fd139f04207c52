#if canImport(AVFAudio) && canImport(MediaPlayer)
internal import AVFAudio
internal import Foundation
internal import HearthSpeech
internal import MediaPlayer

/// Manages the audio session, its notifications, the lock screen and the headphone controls, and forwards their events.
final class ReadAloudControls: @unchecked Sendable {
    // Sendable: set up once, and torn down once by `end`.
    private let deliver: @Sendable (ReadAloud.Event) -> Void
    private let title: String
    private var observers: [any NSObjectProtocol] = []
    private var targets: [(command: MPRemoteCommand, target: Any)] = []

    init(title: String, _ deliver: @escaping @Sendable (ReadAloud.Event) -> Void) {
        self.title = title
        self.deliver = deliver
        observeSession()
        let center = MPRemoteCommandCenter.shared()
        for (command, event) in [
            (center.playCommand, ReadAloud.Event.play), (center.pauseCommand, .pause),
            (center.togglePlayPauseCommand, .toggle), (center.stopCommand, .stop),
        ] {
            let target = command.addTarget { _ in
                deliver(event)
                return .success
            }
            targets.append((command, target))
        }
        show(isPlaying: true)
    }

    /// Activates the audio session for spoken audio, which silences other apps.
    func activate() throws {
        #if os(iOS)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, mode: .spokenAudio, options: [])
        try session.setActive(true)
        #endif
    }

    /// Updates the playback state on the lock screen.
    func show(isPlaying: Bool) {
        let center = MPNowPlayingInfoCenter.default()
        center.nowPlayingInfo = [
            MPMediaItemPropertyTitle: title, MPNowPlayingInfoPropertyPlaybackRate: isPlaying ? 1.0 : 0.0,
        ]
        center.playbackState = isPlaying ? .playing : .paused
    }

    /// Removes all observers and controls, and deactivates the audio session.
    func end() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        for (command, target) in targets { command.removeTarget(target) }
        (observers, targets) = ([], [])
        MPNowPlayingInfoCenter.default().nowPlayingInfo = nil
        #if os(iOS)
        // Fails while something else is still playing, which then keeps the session.
        try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        #endif
    }

    private func observeSession() {
        #if os(iOS)
        observe(AVAudioSession.interruptionNotification) { info in
            ReadAloud.Event(
                interruption: info[AVAudioSessionInterruptionTypeKey] as? UInt,
                options: info[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0,
                reason: info[AVAudioSessionInterruptionReasonKey] as? UInt)
        }
        observe(AVAudioSession.routeChangeNotification) { info in
            ReadAloud.Event(routeChange: info[AVAudioSessionRouteChangeReasonKey] as? UInt)
        }
        observe(AVAudioSession.mediaServicesWereResetNotification) { _ in .servicesReset }
        #endif
        observe(.AVAudioEngineConfigurationChange) { _ in .engineStopped }
    }

    private func observe(
        _ name: Notification.Name, _ event: @escaping @Sendable ([AnyHashable: Any]) -> ReadAloud.Event?
    ) {
        let deliver = deliver
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                if let event = event(notification.userInfo ?? [:]) { deliver(event) }
            })
    }
}
#endif
