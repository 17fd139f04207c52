internal import Foundation
package import HearthRuntime

/// The moon that stands for a model's state: how much of it is lit, and what it looks like besides. A plain value.
///
/// | state | lit | veiled |
/// |---|---|---|
/// | cold | nothing | no |
/// | warming | the progress, at least a sliver | no |
/// | ready | all | no |
/// | unavailable, failed | nothing | yes: a cloud before it |
package struct MoonPhase: Sendable, Equatable {
    /// The share of the disc that is lit, 0 to 1.
    package var lit: Double
    /// Whether a cloud stands before it: the model does not come by itself.
    package var isVeiled: Bool

    /// A thin crescent: work has begun, before there is progress to show.
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

    /// A point of the unit disc: x to the right, y downwards, both -1 to 1.
    package struct Point: Sendable, Equatable {
        package var x: Double
        package var y: Double
    }

    /// The outline of the lit part: the right edge of the disc from top to bottom, and back along the terminator, which is half
    /// an ellipse. The outline's area is the share of the disc.
    /// - Parameters:
    ///   - lit: the share that is lit; outside 0 to 1 it is clamped.
    ///   - steps: pieces of each of the two curves.
    /// - Returns: the corners of a closed polygon; none where nothing is lit.
    package static func outline(lit: Double, steps: Int = 48) -> [Point] {
        guard lit > 0, steps > 1 else { return [] }
        // Half the disc is the waxing half moon: less than that bulges inwards, more outwards.
        let bulge = 1 - 2 * min(1, lit)
        let angles = (0...steps).map { Double($0) / Double(steps) * Double.pi }
        let edge = angles.map { Point(x: sin($0), y: -cos($0)) }
        let terminator = angles.dropFirst().dropLast().reversed().map { Point(x: bulge * sin($0), y: -cos($0)) }
        return edge + terminator
    }
}
