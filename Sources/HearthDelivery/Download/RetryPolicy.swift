/// When a failed attempt is followed by another one, and at which mirror.
///
/// An attempt that brought new bytes resets the count, so a server that sends a little each time is asked as often as
/// necessary. The pause doubles with each attempt, with jitter, so that many clients do not return at the same moment.
package struct RetryPolicy: Sendable {
    package enum Next: Sendable, Equatable {
        /// The mirror's number, and seconds to wait before it is asked.
        case attempt(mirror: Int, pause: Double)
        case giveUp
    }

    /// The result of an attempt.
    package enum Outcome: Sendable, Equatable {
        case interrupted(progressed: Bool, retryAfter: Double?)
        /// The mirror cannot provide the file.
        case mirrorRefused
    }

    let mirrors: Int
    let limits: DeliveryLimits
    private var fruitless = 0
    private(set) var mirror = 0

    package init(mirrors: Int, limits: DeliveryLimits) {
        self.mirrors = mirrors
        self.limits = limits
    }

    /// - Parameters:
    ///   - idle: seconds since the last progress.
    ///   - jitter: from 0 to 1.
    package mutating func next(after outcome: Outcome, idle: Double, jitter: Double) -> Next {
        guard case .interrupted(let progressed, let retryAfter) = outcome else { return nextMirror() }
        fruitless = progressed ? 1 : fruitless + 1
        let most = mirror + 1 < mirrors ? limits.fruitlessAttemptsWithMirrors : limits.fruitlessAttempts
        let doubled = limits.firstPause * Double(1 << min(fruitless - 1, 20))
        let pause = max(min(doubled, limits.longestPause) * (0.5 + jitter / 2), retryAfter ?? 0)
        let isWorthWaiting = (retryAfter ?? 0) <= limits.longestRetryAfter && idle + pause < limits.giveUpSeconds
        guard fruitless < most, isWorthWaiting else { return nextMirror() }
        return .attempt(mirror: mirror, pause: pause)
    }

    private mutating func nextMirror() -> Next {
        guard mirror + 1 < mirrors else { return .giveUp }
        mirror += 1
        fruitless = 0
        return .attempt(mirror: mirror, pause: 0)
    }
}
