internal import Foundation
internal import Synchronization

/// The speed of a generation, adjustable while it runs: the fraction of time in which it computes.
///
///     let pace = GenerationPace()
///     pace.share = 0.5      // pauses after each token or prompt step for as long as it took
///     pace.share = 0        // pauses until the share is raised, or the generation is stopped
public final class GenerationPace: Sendable {
    private let state = Mutex(1.0)
    /// Rests are cut into pieces, so that a new share or a stop is noticed soon.
    private static let piece = 0.02

    /// Full speed.
    public init() {}

    /// The fraction of time in which to compute, 0 to 1.
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
