import Foundation
import HearthCompression
import HearthTestSupport
import Testing

/// Palettes that make up for their errors, beside what plain loops over the samples say of them.
struct CompensatedPalettizationTests {
    /// A layer with samples: inputs that depend on each other, and what the layer makes of inputs a little beside them.
    struct Layer {
        let groups: Int
        let outputs: Int
        let inputs: Int
        let samples: Int
        var weights: [Float]
        var bias: [Float]
        var given: [Double] = []
        var wanted: [Double] = []

        init(_ random: inout SeededNumbers, groups: Int, outputs: Int, inputs: Int, samples: Int, drift: Double = 0) {
            (self.groups, self.outputs, self.inputs, self.samples) = (groups, outputs, inputs, samples)
            weights = (0..<groups * outputs * inputs).map { _ in Half.rounded(Float(random.normal())) }
            bias = (0..<groups * outputs).map { _ in Float(random.normal()) }
            for group in 0..<groups {
                let mix = (0..<inputs * inputs).map { _ in random.normal() }
                for _ in 0..<samples {
                    let source = (0..<inputs).map { max(0, random.normal() + 0.3 * Double($0 % 3)) }
                    let x = (0..<inputs).map { i in (0..<inputs).reduce(0) { $0 + mix[i * inputs + $1] * source[$1] } }
                    given += x.map { $0 + drift * random.normal() }
                    for row in 0..<outputs {
                        let first = (group * outputs + row) * inputs
                        wanted.append(
                            (0..<inputs).reduce(Double(bias[group * outputs + row])) {
                                $0 + Double(weights[first + $1]) * x[$1]
                            })
                    }
                }
            }
            // [group, sample, …] for both.
        }

        func moments(largestBlock: Int = LayerMoments.largestBlock) throws -> LayerMoments {
            var moments = LayerMoments(
                groups: groups, outputs: outputs, inputs: inputs, largestBlock: largestBlock)
            // In two portions, as pictures come.
            let cut = samples / 2
            for range in [0..<cut, cut..<samples] where !range.isEmpty {
                var (x, y): ([Double], [Double]) = ([], [])
                for group in 0..<groups {
                    let first = group * samples + range.lowerBound, end = first + range.count
                    x += given[first * inputs..<end * inputs]
                    y += wanted[first * outputs..<end * outputs]
                }
                try moments.add(range.count, given: x, wanted: y)
            }
            return moments
        }

        /// The mean square of what the outputs of other weights are off, summed over outputs.
        func error(_ values: [Float], _ bias: [Float]) -> Double {
            var sum = 0.0
            for group in 0..<groups {
                for sample in 0..<samples {
                    for row in 0..<outputs {
                        let output = group * outputs + row
                        var made = Double(bias[output])
                        for input in 0..<inputs {
                            made +=
                                Double(values[output * inputs + input])
                                * given[(group * samples + sample) * inputs + input]
                        }
                        let off = wanted[(group * samples + sample) * outputs + row] - made
                        sum += off * off
                    }
                }
            }
            return sum / Double(samples)
        }

        var shape: [Int] { [groups * outputs, inputs] }

        func encoded(
            _ bits: Int, _ steps: CalibrationSteps = .all, groupSize: Int? = nil, threads: Int = 1,
            _ known: LayerMoments? = nil
        ) throws -> CompensatedWeight {
            try CompensatedPalettization(
                Palettization(bits: bits, groupSize: groupSize), steps: steps, threads: threads
            )
            .encode(.halves(weights), shape: shape, bias: bias, moments: known ?? moments())
        }
    }

    static func layer(_ seed: UInt64, drift: Double = 0.1) -> Layer {
        var random = SeededNumbers(seed)
        let sizes = [(1, 12, 20), (6, 1, 9), (2, 5, 13), (1, 7, 37), (1, 1, 1)][Int(seed % 5)]
        return Layer(&random, groups: sizes.0, outputs: sizes.1, inputs: sizes.2, samples: 70, drift: drift)
    }

    @Test(arguments: 0..<10) func theReportedErrorIsThatOfTheSamples(_ seed: UInt64) throws {
        let layer = Self.layer(seed)
        for steps in [CalibrationSteps.all, [.importance, .compensation], [], [.compensation, .bias]] {
            let made = try layer.encoded(2, steps)
            let error = layer.error(made.values, made.bias ?? layer.bias)
            #expect(
                abs(made.output.noise - error) <= 1e-6 * error + 1e-6 * made.output.signal, "\(made.output) \(error)")
            #expect((made.bias != nil) == steps.contains(.bias))
        }
    }

    @Test(arguments: 0..<10) func compensationIsNeverWorseThanRounding(_ seed: UInt64) throws {
        let layer = Self.layer(seed, drift: 0)
        let moments = try layer.moments()
        for bits in [1, 3] {
            for steps in [CalibrationSteps(), .bias] {
                let plain = try layer.encoded(bits, steps, moments)
                let made = try layer.encoded(bits, steps.union([.importance, .compensation]), moments)
                // What was not seen counts a little: two in a hundred are allowed for it.
                #expect(made.output.noise <= plain.output.noise * 1.02 + 1e-9)
            }
        }
    }

    /// Where inputs depend on each other, making up for errors is worth a lot; the rule is a loose one.
    @Test func compensationHalvesTheErrorOfDependentInputs() throws {
        let layer = Self.layer(0, drift: 0)
        let plain = try layer.encoded(3, [])
        let made = try layer.encoded(3)
        #expect(made.output.noise < 0.5 * plain.output.noise)
    }

    /// All codes of two rows of five weights, tried one by one with the levels that are best for them.
    @Test(arguments: 0..<4) func fewWeightsComeNearTheBestOfAllCodes(_ seed: UInt64) throws {
        var random = SeededNumbers(seed + 40)
        let layer = Layer(&random, groups: 1, outputs: 2, inputs: 5, samples: 60)
        let made = try layer.encoded(1, [.importance, .compensation])
        let least = layer.error(made.values, layer.bias)
        var best = Double.infinity
        for codes in 0..<1 << 10 {
            // Least squares for two levels by the normal equations.
            var (a, b, c, p, q, square) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for sample in 0..<layer.samples {
                for row in 0..<2 {
                    var sums = (0.0, 0.0)
                    for input in 0..<5 {
                        let x = layer.given[sample * 5 + input]
                        if codes >> (row * 5 + input) & 1 == 0 { sums.0 += x } else { sums.1 += x }
                    }
                    let y = layer.wanted[sample * 2 + row] - Double(layer.bias[row])
                    (a, b, c) = (a + sums.0 * sums.0, b + sums.0 * sums.1, c + sums.1 * sums.1)
                    (p, q, square) = (p + sums.0 * y, q + sums.1 * y, square + y * y)
                }
            }
            let determinant = a * c - b * b
            guard determinant > 1e-9 else { continue }
            let (low, high) = ((p * c - q * b) / determinant, (q * a - p * b) / determinant)
            best = min(best, (square - low * p - high * q) / Double(layer.samples))
        }
        #expect(least >= best * 0.999 - 1e-9 && least <= best * 2 + 1e-9, "\(least) and \(best)")
    }

    @Test func groupsOfChannelsHaveTheirOwnPalettes() throws {
        let layer = Self.layer(0)
        let one = try layer.encoded(2)
        let four = try layer.encoded(2, groupSize: 3)
        #expect(four.weight?.palettes.count == 4 && four.weight?.groups == [4, 1])
        #expect(four.output.noise < one.output.noise)
        let weight = try #require(four.weight)
        for (index, value) in four.values.enumerated() {
            let palette = weight.palettes[index / layer.inputs / 3]
            #expect(value == palette[Int(weight.codes[index])])
        }
    }

    @Test func threadsChangeNothing() throws {
        var random = SeededNumbers(9)
        let layer = Layer(&random, groups: 1, outputs: 40, inputs: 300, samples: 350, drift: 0.1)
        let (one, three) = (try layer.encoded(3), try layer.encoded(3, threads: 3))
        #expect(one.weight?.codes == three.weight?.codes && one.weight?.palettes == three.weight?.palettes)
        #expect(one.bias == three.bias && one.output == three.output)
    }

    @Test func inputsInBlocksAreCompensatedWithinThem() throws {
        let layer = Self.layer(3, drift: 0)
        let made = try CompensatedPalettization(Palettization(bits: 3)).encode(
            .halves(layer.weights), shape: layer.shape, bias: layer.bias, moments: layer.moments(largestBlock: 10))
        let plain = try layer.encoded(3, [.bias])
        #expect(layer.error(made.values, made.bias ?? []) < layer.error(plain.values, plain.bias ?? []))
    }

    /// Inputs that are always 0, or always the same, say nothing about weights.
    @Test func inputsThatNeverChangeDoNoHarm() throws {
        var layer = Self.layer(0)
        for constant in [0.0, 1.5] {
            layer.given = layer.given.map { _ in constant }
            let made = try layer.encoded(2)
            #expect(made.values.allSatisfy(\.isFinite) && made.bias?.allSatisfy(\.isFinite) == true)
            #expect(Set(made.values).count == 4)
        }
    }

    @Test func whatIsNoNumberIsRefused() throws {
        let layer = Self.layer(2)
        for poison in [Double.nan, .infinity] {
            var moments = LayerMoments(groups: 2, outputs: 5, inputs: 13)
            var given = layer.given
            given[7] = poison
            #expect(throws: CompressionError.invalidMoments(problem: "an activation is not a finite number")) {
                try moments.add(70, given: given, wanted: layer.wanted)
            }
        }
        var moments = LayerMoments(groups: 2, outputs: 5, inputs: 13)
        #expect(throws: CompressionError.self) { try moments.add(69, given: layer.given, wanted: layer.wanted) }
        #expect(throws: CompressionError.self) {
            // No samples at all.
            try CompensatedPalettization(Palettization(bits: 2)).encode(
                .halves(layer.weights), shape: layer.shape, bias: layer.bias, moments: moments)
        }
    }

    @Test func aStopIsHeard() throws {
        let layer = Self.layer(0)
        let moments = try layer.moments()
        #expect(throws: CancellationError.self) {
            try CompensatedPalettization(Palettization(bits: 2)).encode(
                .halves(layer.weights), shape: layer.shape, bias: layer.bias, moments: moments, isCancelled: { true })
        }
    }
}
