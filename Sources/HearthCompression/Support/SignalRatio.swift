internal import Foundation

/// A signal and its error: sums of squares of the values, and of their errors.
package struct SignalRatio: Sendable, Equatable {
    /// Sum of the squared values.
    package var signal = 0.0
    /// Sum of the squared errors.
    package var noise = 0.0

    /// Stands for no error at all: more than double precision can resolve.
    package static let lossless = 300.0

    /// 10 log10 (signal / noise) in decibels; 300 where there is no error.
    package var decibels: Double {
        guard noise > 0 else { return Self.lossless }
        guard signal > 0 else { return -Self.lossless }
        return min(max(10 * log10(signal / noise), -Self.lossless), Self.lossless)
    }

    static func + (left: SignalRatio, right: SignalRatio) -> SignalRatio {
        SignalRatio(signal: left.signal + right.signal, noise: left.noise + right.noise)
    }
}
