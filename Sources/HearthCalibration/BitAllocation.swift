/// Chooses the number of bits of each weight: minimizes the total loss for a given number of bytes.
///
/// Only choices on the lower convex hull of bytes and loss are considered; steps along the hulls are taken in descending order
/// of gain per byte. This is optimal for every number of bytes at which a step ends (Shoham and Gersho, "Efficient bit
/// allocation for an arbitrary set of quantizers", 1988).
package struct BitAllocation: Sendable {
    /// A way to store a weight.
    package struct Choice: Sendable, Equatable {
        /// Bits per element.
        package var bits: Int
        /// The storage size in bytes.
        package var bytes: Int
        /// The loss of accuracy, in the same unit for all weights.
        package var loss: Double

        /// Creates a choice.
        package init(bits: Int, bytes: Int, loss: Double) { (self.bits, self.bytes, self.loss) = (bits, bytes, loss) }
    }

    /// A step of one weight to its next larger choice.
    struct Step: Sendable {
        let weight: Int
        let choice: Int
        let gain: Double
        let bytes: Int
    }

    /// The choices of each weight on its convex hull, smallest first.
    package let hulls: [[Choice]]
    private let path: [Step]

    /// Creates an allocation.
    /// - Parameter choices: the choices of each weight, at least one.
    package init(_ choices: [[Choice]]) {
        hulls = choices.map(Self.hull)
        path = hulls.enumerated().flatMap { weight, hull in
            hull.indices.dropFirst().map { choice in
                Step(
                    weight: weight, choice: choice, gain: hull[choice - 1].loss - hull[choice].loss,
                    bytes: hull[choice].bytes - hull[choice - 1].bytes)
            }
        }.sorted { first, second in
            let (a, b) = (first.gain / Double(first.bytes), second.gain / Double(second.bytes))
            return a != b ? a > b : (first.weight, first.choice) < (second.weight, second.choice)
        }
    }

    /// The number of steps from the smallest variant to the largest.
    package var steps: Int { path.count }

    /// The choice of each weight after a number of steps.
    package func choices(after count: Int) -> [Choice] {
        var places = hulls.map { _ in 0 }
        for step in path.prefix(count) { places[step.weight] = max(places[step.weight], step.choice) }
        return zip(hulls, places).map { $0[$1] }
    }

    /// The bytes of all weights after a number of steps.
    package func bytes(after count: Int) -> Int { choices(after: count).reduce(0) { $0 + $1.bytes } }

    /// The maximum number of steps within a number of bytes; nil if even the smallest variant does not fit.
    package func steps(within bytes: Int) -> Int? { (0...steps).last { self.bytes(after: $0) <= bytes } }

    /// A readable explanation of a weight's choice after a number of steps.
    package func reason(_ weight: Int, after count: Int) -> String {
        let hull = hulls[weight]
        let choice = choices(after: count)[weight]
        guard let place = hull.firstIndex(of: choice) else { return "" }
        func shown(_ value: Double) -> String {
            value >= 0.01 ? "\((value * 1000).rounded() / 1000)" : Self.scientific(value)
        }
        let own = "loss \(shown(choice.loss)) alone"
        guard place + 1 < hull.count else { return "\(own); more bits gain nothing" }
        let next = hull[place + 1]
        let bytes = next.bytes - choice.bytes
        return "\(own); \(next.bits) bits would gain \(shown(choice.loss - next.loss)) for \(bytes) bytes"
    }

    private static func scientific(_ value: Double) -> String {
        guard value > 0 else { return "0" }
        var (mantissa, exponent) = (value, 0)
        while mantissa < 1, exponent > -300 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
        return "\((mantissa * 10).rounded() / 10)e\(exponent)"
    }

    /// The choices on the lower convex hull: with ascending bytes, the loss decreases, and each step gains less per byte than
    /// the one before.
    static func hull(_ choices: [Choice]) -> [Choice] {
        var hull: [Choice] = []
        for choice in choices.sorted(by: { ($0.bytes, $0.loss) < ($1.bytes, $1.loss) }) {
            if let last = hull.last, choice.loss >= last.loss || choice.bytes == last.bytes { continue }
            while hull.count >= 2 {
                let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
                let before = (a.loss - b.loss) / Double(b.bytes - a.bytes)
                let now = (b.loss - choice.loss) / Double(choice.bytes - b.bytes)
                guard now >= before else { break }
                hull.removeLast()
            }
            hull.append(choice)
        }
        return hull
    }
}
