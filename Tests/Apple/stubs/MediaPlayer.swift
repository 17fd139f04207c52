// swift-format-ignore-file
// MediaPlayer: now-playing information and remote commands. Declarations only: nothing runs.
// Apple's documentation: "MPNowPlayingInfoCenter", "MPRemoteCommandCenter", "MPRemoteCommand", "MPNowPlayingPlaybackState"
import Foundation
public enum MPNowPlayingPlaybackState: UInt, Sendable { case unknown = 0, playing, paused, stopped, interrupted }
open class MPNowPlayingInfoCenter: NSObject {
    open class func `default`() -> MPNowPlayingInfoCenter { fatalError() }
    open var nowPlayingInfo: [String: Any]? { get { fatalError() } set {} }
    open var playbackState: MPNowPlayingPlaybackState { get { fatalError() } set {} }
}
public let MPMediaItemPropertyTitle: String = ""
public let MPMediaItemPropertyPlaybackDuration: String = ""
public let MPNowPlayingInfoPropertyPlaybackRate: String = ""
public let MPNowPlayingInfoPropertyElapsedPlaybackTime: String = ""
public enum MPRemoteCommandHandlerStatus: Int, Sendable { case success = 0, noSuchContent = 100, noActionableNowPlayingItem = 110, deviceNotFound = 120, commandFailed = 200 }
open class MPRemoteCommandEvent: NSObject {}
open class MPRemoteCommand: NSObject {
    open var isEnabled: Bool { get { fatalError() } set {} }
    open func addTarget(handler: @escaping (MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus) -> Any { fatalError() }
    open func removeTarget(_ target: Any?) {}
}
open class MPRemoteCommandCenter: NSObject {
    open class func shared() -> MPRemoteCommandCenter { fatalError() }
    open var playCommand: MPRemoteCommand { fatalError() }
    open var pauseCommand: MPRemoteCommand { fatalError() }
    open var stopCommand: MPRemoteCommand { fatalError() }
    open var togglePlayPauseCommand: MPRemoteCommand { fatalError() }
}
