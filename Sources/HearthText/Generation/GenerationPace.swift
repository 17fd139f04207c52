internal import Foundation
internal import Synchronization

/// The speed of a generation as the fraction of time in which it computes; adjustable while it runs.
///
///     let pace = GenerationPace()
///     pace.share = 0.5      // pauses after each token or prompt step for as long as it took
///     pace.share = 0        // pauses until the share is raised, or the generation is stopped
public final class GenerationPace: Sendable {
    private let state = Mutex(1.0)
    /// Maximum length of a single sleep in seconds, so that a new share or a stop takes effect soon.
    private static let piece = 0.02

    /// Creates a pace at full speed.
    public init() {}

    /// The fraction of time in which to compute, 0 to 1.
    public var share: Double {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = min(max(newValue, 0), 1) } }
    }

    /// Pauses after work of a given duration; returns false if `mustStop` returned true meanwhile.
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
