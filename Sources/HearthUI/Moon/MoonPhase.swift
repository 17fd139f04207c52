internal import Foundation
package import HearthRuntime

/// The appearance of the moon for a model's state. A plain value.
///
/// | state | lit | veiled |
/// |---|---|---|
/// | cold | nothing | no |
/// | warming | the progress, at least a sliver | no |
/// | ready | all | no |
/// | unavailable, failed | nothing | yes |
package struct MoonPhase: Sendable, Equatable {
    /// The fraction of the disc that is lit, 0 to 1.
    package var lit: Double
    /// Whether it is behind a cloud: the model does not become ready by itself.
    package var isVeiled: Bool

    /// The minimum crescent, shown when warming up has started but has no progress yet.
    private static let sliver = 0.04

    package init(_ state: ModelState) {
        switch state {
        case .cold: (lit, isVeiled) = (0, false)
        case .warming(let progress):
            (lit, isVeiled) = (progress.isFinite ? min(1, max(Self.sliver, progress)) : Self.sliver, false)
        case .ready: (lit, isVeiled) = (1, false)
        case .unavailable, .failed: (lit, isVeiled) = (0, true)
        }
    }

    /// A point of the unit disc: x points right, y down, both -1 to 1.
    package struct Point: Sendable, Equatable {
        package var x: Double
        package var y: Double
    }

    /// The outline of the lit part: the right edge of the disc from top to bottom, and back along the terminator, which is half
    /// an ellipse. The enclosed area is the given fraction of the disc.
    /// - Parameters:
    ///   - lit: the fraction that is lit; 0 or less gives no outline, more than 1 counts as 1.
    ///   - steps: the number of segments of each of the two curves.
    /// - Returns: the vertices of a closed polygon; empty if nothing is lit.
    package static func outline(lit: Double, steps: Int = 48) -> [Point] {
        guard lit > 0, steps > 1 else { return [] }
        // At one half the terminator is straight; below, it curves toward the lit edge, above, away from it.
        let bulge = 1 - 2 * min(1, lit)
        let angles = (0...steps).map { Double($0) / Double(steps) * Double.pi }
        let edge = angles.map { Point(x: sin($0), y: -cos($0)) }
        let terminator = angles.dropFirst().dropLast().reversed().map { Point(x: bulge * sin($0), y: -cos($0)) }
        return edge + terminator
    }
}
