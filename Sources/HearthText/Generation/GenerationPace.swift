internal import Foundation
internal import Synchronization

/// How fast a generation may go, set from outside while it runs: the share of its time in which it computes.
///
///     let pace = GenerationPace()
///     pace.share = 0.5      // after each token or step of a prompt, as much rest as that took
///     pace.share = 0        // stands still until the share is more, or the generation is stopped
public final class GenerationPace: Sendable {
    private let state = Mutex(1.0)
    /// Rests are cut into pieces, so that a new share or a stop is noticed soon.
    private static let piece = 0.02

    /// At full speed.
    public init() {}

    /// 0 to 1.
    public var share: Double {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = min(max(newValue, 0), 1) } }
    }

    /// Rests after work that took so long; false where `mustStop` said so meanwhile.
    func rest(afterMilliseconds work: Double, until mustStop: () -> Bool) -> Bool {
        var rested = 0.0
        while true {
            let share = share
            if share >= 1 { return true }
            if share > 0, rested >= work / 1000 * (1 / share - 1) { return true }
            if mustStop() { return false }
            let pause = share > 0 ? min(Self.piece, work / 1000 * (1 / share - 1) - rested) : Self.piece
            Thread.sleep(forTimeInterval: pause)
            rested += pause
        }
    }
}
