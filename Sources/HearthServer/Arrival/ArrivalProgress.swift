package import HearthDelivery

/// How far a model is on its way from an address to its first story. A pure value, fed with what each step reports.
///
/// The whole is one road, so that a moon can fill along it: four fifths for the download, which takes longest by far, and a
/// tenth each for compiling and warming, and within each of them as many parts as bytes are done.
package struct ArrivalProgress: Sendable, Equatable {
    /// What is being done.
    package enum Phase: String, Sendable, CaseIterable {
        case downloading, compiling, warming

        /// Where it begins and ends on the road.
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
    /// nil while nobody has said.
    private(set) var total: Int?
    /// nil where it is not known.
    private(set) var secondsLeft: Double?
    /// Of the whole road, 0 to 1; never goes back.
    package private(set) var fraction = 0.0

    /// Bytes of the download, also when it is over.
    package private(set) var downloaded: (bytes: Int, total: Int?) = (0, nil)

    package init() {}

    package static func == (a: Self, b: Self) -> Bool {
        (a.phase, a.bytes, a.total, a.secondsLeft, a.fraction) == (b.phase, b.bytes, b.total, b.secondsLeft, b.fraction)
            && a.downloaded == b.downloaded
    }

    /// Takes what a pull reports.
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

    /// Where on the road a phase is that is done to this part.
    package static func fraction(_ phase: Phase, _ part: Double) -> Double {
        let (from, to) = phase.stretch
        return from + (to - from) * part
    }
}
