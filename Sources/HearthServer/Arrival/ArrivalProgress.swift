package import HearthDelivery

/// Progress of a model from its download to the first inference. A pure value, updated from what each step reports.
///
/// All phases share one progress bar: 80 % for the download, which takes longest by far, and 10 % each for compiling
/// and warming. Within a phase, progress is the share of its bytes that are done.
package struct ArrivalProgress: Sendable, Equatable {
    /// The current step.
    package enum Phase: String, Sendable, CaseIterable {
        case downloading, compiling, warming

        /// Start and end of the phase on the overall scale.
        fileprivate var stretch: (from: Double, to: Double) {
            switch self {
            case .downloading: (0, 0.8)
            case .compiling: (0.8, 0.9)
            case .warming: (0.9, 1)
            }
        }
    }

    package private(set) var phase = Phase.downloading
    /// Bytes of the phase that are done.
    private(set) var bytes = 0
    /// nil if unknown.
    private(set) var total: Int?
    /// nil if unknown.
    private(set) var secondsLeft: Double?
    /// Overall progress, 0 to 1; never decreases.
    package private(set) var fraction = 0.0

    /// Bytes of the download; kept after it has ended.
    package private(set) var downloaded: (bytes: Int, total: Int?) = (0, nil)

    package init() {}

    package static func == (a: Self, b: Self) -> Bool {
        (a.phase, a.bytes, a.total, a.secondsLeft, a.fraction) == (b.phase, b.bytes, b.total, b.secondsLeft, b.fraction)
            && a.downloaded == b.downloaded
    }

    /// Applies a progress report of a pull.
    package mutating func take(_ progress: PullProgress) {
        switch progress.phase {
        case .downloading, .waiting: move(.downloading, progress.bytes, progress.total, progress.secondsLeft)
        case .unpacking, .installing: move(.downloading, total ?? bytes, total ?? bytes, nil)
        case .compiling: move(.compiling, progress.bytes, progress.total, nil)
        }
    }

    private mutating func move(_ phase: Phase, _ bytes: Int, _ total: Int?, _ secondsLeft: Double?) {
        (self.phase, self.bytes, self.total, self.secondsLeft) = (phase, max(0, bytes), total, secondsLeft)
        if phase == .downloading { downloaded = (self.bytes, total) }
        guard let total, total > 0 else { return }
        fraction = max(fraction, Self.fraction(phase, min(1, Double(self.bytes) / Double(total))))
    }

    /// Overall progress for a share of a phase.
    package static func fraction(_ phase: Phase, _ part: Double) -> Double {
        let (from, to) = phase.stretch
        return from + (to - from) * part
    }
}
