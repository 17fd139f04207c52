/// A function of one number as the steps of a graph that spell it out, in double precision with the range of float32.
struct SpelledFunction {
    /// A value, and by how much rounding may have moved it.
    struct Value {
        var value: Double
        var error: Double
    }

    private enum Operand {
        /// The result of a step before this one; −1 for the function's argument.
        case result(Int)
        case constant(Double)
    }

    private enum Step {
        case unary(GraphFunction, (Double) -> Double, Operand)
        case binary(GraphBinary, (Double, Double) -> Double, Operand, Operand)
    }

    private var steps: [Step] = []
    /// The numbers that its steps hold: where it bends is at one of them, or at a quotient of two.
    private(set) var constants: [Double] = []

    /// - Parameters:
    ///   - places: the steps between `source` and the result, in their order.
    ///   - source: the function's argument.
    /// - Returns: nil where a step is none of one or two numbers.
    /// - Throws: `CoreMLError` where a constant cannot be read.
    init?(_ places: [Int], _ source: CoreMLGraph.TensorID, _ graph: CoreMLGraph) throws {
        var results = [source: -1]
        for (index, place) in places.enumerated() {
            let step = graph.steps[place]
            var operands: [Operand] = []
            for case let input? in step.inputs {
                if let result = results[input] {
                    operands.append(.result(result))
                } else if let scalar = try graph.scalar(input) {
                    constants.append(Double(scalar))
                    operands.append(.constant(Double(scalar)))
                } else {
                    return nil
                }
            }
            switch (step.operation, operands.count) {
            case (.unary(let function), 1):
                constants += function.parameters.map(Double.init)
                steps.append(.unary(function, ReferenceExecutor.function(function), operands[0]))
            case (.binary(let function), 2):
                steps.append(.binary(function, ReferenceExecutor.function(function), operands[0], operands[1]))
            default: return nil
            }
            guard let output = step.outputs.first else { return nil }
            results[output] = index
        }
    }

    /// The function at x; not finite where float32 would not be.
    func callAsFunction(_ x: Double) -> Value {
        var results: [Value] = []
        func value(_ operand: Operand) -> Value {
            switch operand {
            case .result(let place): place < 0 ? Value(value: x, error: 0) : results[place]
            case .constant(let constant): Value(value: constant, error: 0)
            }
        }
        for step in steps {
            let result: Value
            switch step {
            case .unary(_, let compute, let operand):
                let x = value(operand)
                let y = compute(x.value)
                result = Value(
                    value: y, error: Self.spread(y, [compute(x.value - x.error), compute(x.value + x.error)]))
            case .binary(_, let compute, let left, let right):
                let (a, b) = (value(left), value(right))
                let y = compute(a.value, b.value)
                let corners = [(-1.0, -1.0), (-1, 1), (1, -1), (1, 1)].map { signs in
                    compute(a.value + signs.0 * a.error, b.value + signs.1 * b.error)
                }
                result = Value(value: y, error: Self.spread(y, corners))
            }
            // Beyond the range of float32 there is no value here either.
            let isInRange = abs(result.value) <= Double(Float.greatestFiniteMagnitude)
            results.append(
                isInRange || result.value.isNaN
                    ? result : Value(value: result.value < 0 ? -.infinity : .infinity, error: 0))
        }
        return results.last ?? Value(value: x, error: 0)
    }

    /// How far from y a result may be whose operands may have moved, with the rounding of y itself.
    private static func spread(_ y: Double, _ moved: [Double]) -> Double {
        guard y.isFinite else { return 0 }
        let furthest = moved.reduce(0) { max($0, ($1 - y).isFinite ? abs($1 - y) : 0) }
        return furthest + 4 * Double.ulpOfOne * abs(y)
    }
}

extension GraphFunction {
    /// The numbers that it holds.
    var parameters: [Float] {
        switch self {
        case .rsqrt(let a), .inverse(let a), .log(let a), .leakyRelu(let a), .elu(let a), .thresholdedRelu(let a): [a]
        case .clip(let a, let b), .hardSigmoid(let a, let b), .linear(let a, let b), .scaledTanh(let a, let b),
            .clampedRelu(let a, let b):
            [a, b]
        case .relu6: [6]
        case .hardSwish: [1 / 6, 0.5, 3]
        default: []
        }
    }
}

/// Whether a function that is spelled out is one that is known.
enum FunctionMatch {
    /// By how much constants may be off that a file had to round to float32: relative, of the argument.
    private static let constantRounding = 0x1p-24
    /// The same of the result, to which several constants and steps add.
    private static let rounding = 0x1p-22
    /// By how much the result of a function without rounded constants may be off: relative, in double precision.
    private static let noise = 0x1p-40
    /// The error from which on a value says nothing, relative to 1 or the argument: differences of equal numbers, made large, or
    /// a number at the place of a jump.
    private static let mostError = 1e-6

    /// The first of `known` that differs nowhere.
    static func function(of spelled: SpelledFunction, among known: [GraphFunction]) -> GraphFunction? {
        var candidates = known.map { (function: $0, compute: ReferenceExecutor.function($0)) }
        func keep(_ x: Double) -> Bool {
            let value = spelled(x)
            candidates.removeAll { !agrees(value, $0.function, $0.compute, x) }
            return !candidates.isEmpty
        }
        // Most functions are none of the known ones, which a few points show already.
        guard screening.allSatisfy(keep), places.allSatisfy(keep) else { return nil }
        guard corners(spelled.constants).allSatisfy(keep) else { return nil }
        return candidates.first { keepsItsEnds(spelled, $0.function) }?.function
    }

    /// Whether it is zero where the function's line begins, and not behind it, and the same number of float32 where that ends:
    /// (x + 3 + 1e-9) / 6 is not zero at −3, (x + 2.9999998) / 6 still is at the number behind −3, and a factor of
    /// 0.99999976 is seen where the function is the argument.
    private static func keepsItsEnds(_ spelled: SpelledFunction, _ function: GraphFunction) -> Bool {
        func isZero(at x: Double) -> Bool {
            let value = spelled(x)
            return abs(value.value) <= value.error
        }
        func begins(at x: Float) -> Bool { isZero(at: Double(x)) && !isZero(at: Double(x.nextUp)) }
        return switch function {
        case .hardSigmoid(let alpha, let beta): begins(at: -beta / alpha) && Float(spelled(100).value) == 1
        case .hardSwish: begins(at: -3) && Float(spelled(100).value) == 100
        case .gelu, .geluTanh, .geluSigmoid: Float(spelled(100).value) == 100
        case .relu6: Float(spelled(100).value) == 6
        default: true
        }
    }

    /// Whether the function has constants that float32 does not hold: files round them.
    private static func hasRoundedConstants(_ function: GraphFunction) -> Bool {
        switch function {
        case .hardSwish, .hardSigmoid, .gelu, .geluTanh, .geluSigmoid: true
        default: false
        }
    }

    private static func agrees(
        _ value: SpelledFunction.Value, _ function: GraphFunction, _ compute: (Double) -> Double, _ x: Double
    ) -> Bool {
        let expected = compute(x)
        // Both out of float32's range, on the same side, are the same.
        if abs(expected) > Double(Float.greatestFiniteMagnitude) {
            return value.value.isInfinite && (value.value < 0) == (expected < 0)
        }
        guard value.value.isFinite, expected.isFinite, value.error <= mostError * max(1, abs(x), abs(expected))
        else {
            return false
        }
        var allowed = noise * abs(expected) + value.error
        if hasRoundedConstants(function) {
            // A constant that is off by so much is an argument that is, or a result.
            let moved = max(
                abs(compute(x * (1 + constantRounding)) - expected), abs(compute(x * (1 - constantRounding)) - expected)
            )
            allowed = moved + rounding * abs(expected) + value.error
        }
        // What is so near to zero that it has no reciprocal in float32 either is the same as zero.
        return abs(value.value - expected) <= allowed + 1 / Double(Float.greatestFiniteMagnitude)
    }

    private static let screening: [Double] = [0, 1, -1, 0.3, -2.7, 4.1, -1e-7, 50, -50, 7.5]

    /// Denser than any of the functions bends, and every magnitude up to where a product or two overflow.
    private static let places: [Double] = {
        var places = Array(stride(from: -12.0, through: 12, by: 0.0625).map { $0 + 0.01 })
        places += Array(stride(from: -105.0, through: 105, by: 0.5))
        for exponent in -149...120 {
            let power = Double(sign: .plus, exponent: exponent, significand: 1)
            places += [power, -power, 1.37 * power, -1.37 * power]
        }
        return places
    }()

    /// On both sides of wherever a function of these constants may bend.
    private static func corners(_ constants: [Double]) -> [Double] {
        let used = Set(constants.filter { $0 != 0 && $0.isFinite }.map(abs))
        var bends = used
        for a in used {
            for b in used { bends.formUnion([a / b, a * b]) }
        }
        return bends.filter { $0 <= 0x1p120 }.sorted().flatMap { bend -> [Double] in
            [bend, bend * 0.999, bend * 1.001, -bend, -bend * 0.999, -bend * 1.001]
        }
    }
}
