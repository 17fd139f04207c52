import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import Testing

@Suite("activation recognition", .timeLimit(.minutes(20)))
struct ActivationRecognitionTests {
    /// Spellings seen in converted models.
    enum Spelling: String, CaseIterable {
        case silu, hardSwishThresholded, hardSwishClip, hardSwishRelu6, hardSwishScaled, geluErf, geluErfHalved,
            geluTanh
        case geluSigmoid, reluByMaximum, relu6ByMinimum, sigmoidByExp

        var function: GraphFunction {
            switch self {
            case .silu: .silu
            case .hardSwishThresholded, .hardSwishClip, .hardSwishRelu6, .hardSwishScaled: .hardSwish
            case .geluErf, .geluErfHalved: .gelu
            case .geluTanh: .geluTanh
            case .geluSigmoid: .geluSigmoid
            case .reluByMaximum: .relu
            case .relu6ByMinimum: .relu6
            case .sigmoidByExp: .sigmoid
            }
        }

        func spell(_ x: Int, _ maker: inout GraphMaker, rounded: (Float) -> Float) -> Int {
            func c(_ value: Float) -> Int { maker.scalar(rounded(value)) }
            switch self {
            case .silu: return maker.binary(.multiply, x, maker.unary(.sigmoid, x))
            case .hardSwishThresholded:
                return maker.binary(
                    .multiply, maker.unary(.thresholdedRelu(alpha: -3), x),
                    maker.unary(.hardSigmoid(alpha: rounded(1 / 6), beta: 0.5), x))
            case .hardSwishClip:
                let clip = maker.unary(.clip(low: 0, high: 6), maker.binary(.add, x, c(3)))
                return maker.binary(.divide, maker.binary(.multiply, x, clip), c(6))
            case .hardSwishRelu6:
                let clip = maker.unary(.relu6, maker.binary(.add, c(3), x))
                return maker.binary(.multiply, x, maker.binary(.multiply, clip, c(1 / 6)))
            case .hardSwishScaled:
                let clip = maker.unary(.hardSigmoid(alpha: rounded(1 / 6), beta: 0.5), x)
                return maker.binary(.multiply, clip, x)
            case .geluErf:
                let erf = maker.unary(.erf, maker.binary(.multiply, x, c(0.707_106_77)))
                return maker.binary(
                    .multiply, maker.binary(.multiply, x, c(0.5)), maker.binary(.add, erf, c(1)))
            case .geluErfHalved:
                let erf = maker.unary(.erf, maker.binary(.divide, x, c(1.414_213_5)))
                return maker.binary(
                    .multiply, maker.binary(.multiply, x, maker.binary(.add, erf, c(1))), c(0.5))
            case .geluTanh:
                let cube = maker.binary(.power, x, c(3))
                let inner = maker.binary(.add, x, maker.binary(.multiply, cube, c(0.044_715)))
                let tanh = maker.unary(.tanh, maker.binary(.multiply, inner, c(0.797_884_56)))
                return maker.binary(
                    .multiply, maker.binary(.multiply, c(0.5), x), maker.binary(.add, c(1), tanh))
            case .geluSigmoid:
                return maker.binary(
                    .multiply, x, maker.unary(.sigmoid, maker.binary(.multiply, x, c(1.702))))
            case .reluByMaximum:
                return maker.binary(.add, maker.binary(.maximum, x, c(0)), maker.binary(.multiply, x, c(0)))
            case .relu6ByMinimum: return maker.binary(.minimum, maker.unary(.relu, x), c(6))
            case .sigmoidByExp:
                let exp = maker.unary(.exp, maker.unary(.negate, x))
                return maker.unary(.inverse(epsilon: 0), maker.binary(.add, exp, c(1)))
            }
        }
    }

    @Test("known by what they compute, however they are spelled", arguments: Spelling.allCases)
    func spelled(_ spelling: Spelling) throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4, 3, 3])
        let y = spelling.spell(maker.unary(.tan, x), &maker) { $0 }
        let original = maker.finished(y)
        let result = try GraphOptimizer.optimized(original)
        #expect(result.steps.count == 2)
        #expect(result.steps.last?.operation == .unary(spelling.function))
        let samples = original.sampleInputs(range: -1.4...1.4)
        expectSame(
            try result.referenceOutputs(samples), try original.referenceOutputs(samples), tolerance: 1e-5)
    }

    @Test(
        "constants that were rounded to half precision make another function",
        arguments: [Spelling.hardSwishRelu6, .geluErf, .geluTanh, .geluSigmoid])
    func halfPrecision(_ spelling: Spelling) throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4], type: .float16)
        let y = spelling.spell(x, &maker) { Float(Float16($0)) }
        let original = maker.finished(y)
        let result = try GraphOptimizer.optimized(original)
        #expect(!result.steps.contains { $0.operation == .unary(spelling.function) })
        let samples = original.sampleInputs()
        expectSame(try result.referenceOutputs(samples), try original.referenceOutputs(samples), tolerance: 1e-6)
    }

    /// A number next to nothing that a file adds, or keeps away from zero by.
    enum Small: CaseIterable {
        case square, relu, absolute, sigmoid, tanh, maximum, factor, clip

        func spell(_ x: Int, _ maker: inout GraphMaker) -> Int {
            func plus(_ y: Int, _ small: Float) -> Int { maker.binary(.add, y, maker.scalar(small)) }
            switch self {
            case .square: return plus(maker.binary(.multiply, x, x), 1e-10)
            case .relu: return plus(maker.unary(.relu, x), 1e-6)
            case .absolute: return plus(maker.unary(.abs, x), 1e-6)
            case .sigmoid: return plus(maker.unary(.sigmoid, x), 1e-12)
            case .tanh: return plus(maker.unary(.tanh, x), 1e-12)
            case .maximum: return maker.binary(.maximum, maker.unary(.relu, x), maker.scalar(1e-12))
            case .factor: return maker.binary(.multiply, maker.unary(.silu, x), maker.scalar(1.000_005))
            case .clip: return maker.unary(.clip(low: -65504, high: 65504), maker.unary(.relu, x))
            }
        }
    }

    @Test("an epsilon is never dropped", arguments: Small.allCases)
    func epsilon(_ small: Small) throws {
        var maker = GraphMaker()
        let x = maker.input([1, 8])
        let original = maker.finished(small.spell(x, &maker))
        let result = try GraphOptimizer.optimized(original)
        let samples = [CoreMLTensor(shape: [1, 8], values: [0, 1e-7, -1e-7, -1, -50, 1, 3e4, 1e6])]
        let (found, expected) = (try result.referenceOutputs(samples), try original.referenceOutputs(samples))
        for (a, b) in zip(found[0].values, expected[0].values) { #expect(abs(a - b) <= 1e-6 * abs(b)) }
    }

    @Test("what is nearly one of them is left as it is")
    func others() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4])
        // x · sigmoid(1.5 x), and a hard swish with another slope.
        let first = maker.binary(.multiply, x, maker.unary(.sigmoid, maker.binary(.multiply, x, maker.scalar(1.5))))
        let second = maker.binary(.multiply, x, maker.unary(.hardSigmoid(alpha: 0.18, beta: 0.5), x))
        let result = try GraphOptimizer.optimized(maker.finished(first, second))
        #expect(
            !result.steps.contains { [.unary(.silu), .unary(.geluSigmoid), .unary(.hardSwish)].contains($0.operation) })
    }

    @Test("a line that begins at the number beside its place is another function", arguments: [false, true])
    func neighbours(isSwish: Bool) throws {
        let function: GraphFunction = isSwish ? .hardSwish : .hardSigmoid(alpha: 1 / 6, beta: 0.5)
        for (offset, isKnown) in [(3, true), (Float(3).nextDown, false), (Float(3).nextUp, false)] {
            var maker = GraphMaker()
            let x = maker.input([1, 4])
            let clipped = maker.unary(.relu6, maker.binary(.add, x, maker.scalar(offset)))
            let line = maker.binary(.multiply, clipped, maker.scalar(1 / 6))
            let result = try GraphOptimizer.optimized(
                maker.finished(isSwish ? maker.binary(.multiply, x, line) : line))
            #expect(result.steps.contains { $0.operation == .unary(function) } == isKnown, "\(offset)")
        }
    }

    /// Functions that are known to hold by what rounding may do to them, or nearly: each is left as it is.
    enum Vacuous: CaseIterable {
        case difference, jump, factorOfRelu, factorOfSilu, factorOfHardSwish, factorOfGelu

        func spell(_ x: Int, _ maker: inout GraphMaker) -> Int {
            func times(_ y: Int, _ factor: Float) -> Int { maker.binary(.multiply, y, maker.scalar(factor)) }
            switch self {
            // 0 · 1e20, of whose rounding nothing is known.
            case .difference:
                let relu = maker.unary(.relu, x)
                return times(maker.binary(.subtract, relu, relu), 1e20)
            // A constant half at the threshold of a half.
            case .jump:
                let one = maker.unary(.exp, maker.binary(.subtract, x, x))
                let half = maker.unary(.inverse(epsilon: 0), maker.binary(.add, one, maker.scalar(1)))
                return maker.unary(.thresholdedRelu(alpha: 0.5), half)
            case .factorOfRelu: return times(maker.binary(.maximum, x, maker.scalar(0)), 0.99999976)
            case .factorOfSilu: return times(maker.binary(.multiply, x, maker.unary(.sigmoid, x)), 0.99999976)
            case .factorOfHardSwish: return times(Spelling.hardSwishRelu6.spell(x, &maker) { $0 }, 0.99999976)
            case .factorOfGelu: return times(Spelling.geluErf.spell(x, &maker) { $0 }, 0.99999976)
            }
        }
    }

    @Test(
        "neither a factor next to one nor a difference of equals is a function that is known",
        arguments: Vacuous.allCases)
    func vacuous(_ vacuous: Vacuous) throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4])
        let original = maker.finished(vacuous.spell(x, &maker))
        let result = try GraphOptimizer.optimized(original)
        let samples = [CoreMLTensor(shape: [1, 4], values: [1, 0.2434675, 100, -1])]
        let (found, expected) = (try result.referenceOutputs(samples), try original.referenceOutputs(samples))
        for (a, b) in zip(found[0].values, expected[0].values) {
            #expect(abs(a - b) <= 1.6e-7 * abs(b), "\(a), not \(b)")
        }
    }

    @Test("a function of two tensors is none of one")
    func twoInputs() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4])
        let y = maker.input([1, 4], "y")
        let z = maker.binary(.multiply, x, maker.unary(.sigmoid, y))
        #expect(try GraphOptimizer.optimized(maker.finished(z)).steps.count == 2)
    }
}
