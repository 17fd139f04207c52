internal import Foundation
internal import HearthCompression
internal import HearthCoreML

/// Chooses the bits of each weight by measured loss, within a number of bytes or a loss of accuracy.
package struct MixedPrecision: Sendable {
    /// A model whose weights have individual numbers of bits.
    package struct Result: Sendable {
        /// The calibrated weights.
        package let layers: [ModelCalibration.Layer]
        /// The reason for each weight's number of bits, by name.
        package let reasons: [String: String]
        /// The net fraction of calibration inputs that are right in the original model and wrong in this one.
        package let drop: Double
        /// The bytes of the calibrated weights, including palettes.
        package let bytes: Int
    }

    /// The numbers of bits considered.
    package static let widths = [1, 2, 3, 4, 6, 8]
    /// The number of inputs used to measure the loss of a single weight.
    private static let measured = 32

    let calibration: ModelCalibration
    /// The correct class of each input; nil to use the predictions of the original model.
    let expected: [Int]?
    private let isCancelled: @Sendable () -> Bool

    /// Creates a chooser.
    /// - Parameter expected: the correct class of each calibration input, in order; nil to treat the predictions of the
    ///   original model as correct.
    package init(
        _ calibration: ModelCalibration, expected: [Int]? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.calibration, self.expected, self.isCancelled) = (calibration, expected, isCancelled)
    }

    /// Measures the loss of each weight alone at each width: the mean Kullback–Leibler divergence (in nats) from the original
    /// model's results, or the relative squared error if they are not probabilities.
    /// - Parameter progress: called with the number of weights done, and their total.
    /// - Throws: the errors of `ModelCalibration.run`.
    package func allocation(
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> BitAllocation {
        let few = Array(calibration.inputs.tensors.prefix(Self.measured))
        let original = try results(replacing: [:], few)
        var choices: [[BitAllocation.Choice]] = []
        for layer in calibration.layers {
            progress(choices.count, calibration.layers.count)
            let moments = try calibration.moments(of: layer, replacing: [:], isCancelled)
            choices.append(
                try Self.widths.map { bits in
                    let made = try calibration.encode(layer, bits, moments, isCancelled)
                    guard calibration.isSmaller(made, layer) else {
                        return BitAllocation.Choice(bits: bits, bytes: Self.bytes(of: layer), loss: 0)
                    }
                    var replaced: [String: [Float]] = [:]
                    made.replace(in: &replaced, layer)
                    let loss = Self.loss(try results(replacing: replaced, few), original)
                    return BitAllocation.Choice(bits: bits, bytes: Self.bytes(made, layer), loss: loss)
                })
        }
        progress(choices.count, choices.count)
        return BitAllocation(choices)
    }

    /// Returns the best model whose calibrated weights fit into a number of bytes.
    /// - Throws: `CalibrationError.budgetTooSmall`; the errors of `ModelCalibration.run`.
    package func model(
        within bytes: Int, _ allocation: BitAllocation, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> Result {
        guard let count = allocation.steps(within: bytes) else {
            throw CalibrationError.budgetTooSmall(budget: bytes, least: allocation.bytes(after: 0))
        }
        return try result(
            allocation, count, original: try right([:]), why: "other weights gain more per byte", progress)
    }

    /// Returns a small model that loses no more than the given fraction of the calibration inputs. It assumes that fewer bits
    /// are never better and uses binary search; the loss of the returned model was measured.
    /// - Throws: `CalibrationError.dropTooLarge`; the errors of `ModelCalibration.run`.
    package func model(
        losing drop: Double, _ allocation: BitAllocation, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> Result {
        let original = try right([:])
        var (low, high) = (0, allocation.steps)
        var best: Result?
        while low <= high {
            let middle = best == nil && low == 0 ? min(allocation.steps / 4, high) : (low + high) / 2
            let tried = try result(
                allocation, middle, original: original, why: "not needed within the allowed loss", progress)
            if tried.drop <= drop {
                best = tried
                high = middle - 1
            } else {
                low = middle + 1
                if low > allocation.steps { throw CalibrationError.dropTooLarge(allowed: drop, found: tried.drop) }
            }
        }
        guard let best else { throw CalibrationError.dropTooLarge(allowed: drop, found: 1) }
        return best
    }

    private func result(
        _ allocation: BitAllocation, _ count: Int, original: Int, why: String,
        _ progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> Result {
        let choices = allocation.choices(after: count)
        let names = calibration.layers.map(\.weight)
        let bits = Dictionary(zip(names, choices.map(\.bits)), uniquingKeysWith: { first, _ in first })
        let layers = try calibration.run(bits: bits, progress: progress, isCancelled: isCancelled)
        var replaced: [String: [Float]] = [:]
        for layer in layers { layer.made.replace(in: &replaced, layer.layer) }
        let lost = original - (try right(replaced))
        let reasons = names.indices.map { index in
            let isLargest = choices[index] == allocation.hulls[index].last
            return allocation.reason(index, after: count) + (isLargest ? "" : ", \(why)")
        }
        return Result(
            layers: layers, reasons: Dictionary(zip(names, reasons), uniquingKeysWith: { first, _ in first }),
            drop: max(0, Double(lost) / Double(max(calibration.inputs.count, 1))),
            bytes: choices.reduce(0) { $0 + $1.bytes })
    }

    /// The number of calibration inputs with the correct class.
    private func right(_ replaced: [String: [Float]]) throws -> Int {
        let all = calibration.inputs.tensors
        let found = try results(replacing: replaced, all).map(Self.best)
        let wanted = try expected ?? results(replacing: [:], all).map(Self.best)
        return zip(found, wanted).reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) }
    }

    private func results(replacing: [String: [Float]], _ inputs: [[String: CoreMLTensor]]) throws -> [[Float]] {
        let probe = try LayerProbe(
            calibration.model, .result, replacing: replacing, threads: calibration.threads, isCancelled: isCancelled)
        return try inputs.map { try probe.values($0, isCancelled: isCancelled).first?.values ?? [] }
    }

    static func best(_ values: [Float]) -> Int {
        values.indices.max { values[$0] != values[$1] ? values[$0] < values[$1] : $0 > $1 } ?? 0
    }

    static func loss(_ found: [[Float]], _ wanted: [[Float]]) -> Double {
        let areProbabilities = wanted.allSatisfy { values in
            values.count > 1 && values.allSatisfy { $0 >= 0 } && abs(values.reduce(0, +) - 1) < 1e-3
        }
        var (loss, square) = (0.0, 0.0)
        for (found, wanted) in zip(found, wanted) {
            for (q, p) in zip(found, wanted) {
                let (q, p) = (Double(q), Double(p))
                if areProbabilities {
                    if p > 0 { loss += p * log(p / max(q, 1e-9)) }
                } else {
                    loss += (p - q) * (p - q)
                    square += p * p
                }
            }
        }
        if areProbabilities { return max(0, loss / Double(max(wanted.count, 1))) }
        return square > 0 ? loss / square : loss
    }

    /// The bytes of a piece of the weight file, including its header.
    private static func entry(_ bytes: Int) -> Int { 64 + (bytes + 63) / 64 * 64 }

    /// The bytes in the weight file of a weight that stays as it is.
    static func bytes(of layer: WeightedLayer) -> Int { entry(layer.shape.reduce(1, *) * (layer.isHalf ? 2 : 4)) }

    /// The bytes in the weight file, including headers.
    static func bytes(_ made: CompensatedWeight, _ layer: WeightedLayer) -> Int {
        let element = layer.isHalf ? 2 : 4
        // Most pruned weights need a second operation in the program.
        let mask = made.mask.map { entry(($0.count + 7) / 8) + Self.operation } ?? 0
        let used = made.mask?.used ?? made.values.count
        guard let weight = made.weight else { return mask + entry(used * element) }
        let levels = weight.palettes.reduce(0) { $0 + $1.count } * element
        return mask + entry((used * weight.bits + 7) / 8) + entry(levels)
    }

    /// The approximate size of an operation in a program, in bytes.
    private static let operation = 400
}
