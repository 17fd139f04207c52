internal import Foundation

/// Element-wise operations.
extension ReferenceExecutor {
    package func elementwise(_ operation: GraphOperation, _ operands: Operands, _ shape: [Int]) throws -> CoreMLTensor {
        let x = operands[0]
        switch operation {
        case .unary(let function):
            let compute = Self.function(function)
            var y = x
            try forEach(y.count) { y.values[$0] = Float(compute(Double(x.values[$0]))) }
            return y
        case .prelu:
            let alpha = operands[1].values
            let plane = x.shape[2...].reduce(1, *)
            var y = x
            try forEach(y.count) { index in
                if y.values[index] < 0 { y.values[index] *= alpha[index / plane % x.shape[1]] }
            }
            return y
        case .binary(let kind):
            return CoreMLTensor(shape: shape, values: try binary(kind, x, operands[1], shape))
        case .select:
            let condition = try layout.broadcast(x, to: shape)
            let a = try layout.broadcast(operands[1], to: shape)
            let b = try layout.broadcast(operands[2], to: shape)
            var y = CoreMLTensor(shape: shape, values: b)
            try forEach(y.count) { if condition[$0] != 0 { y.values[$0] = a[$0] } }
            return y
        case .cast(let cast):
            var y = x
            try forEach(y.count) { y.values[$0] = Self.cast(x.values[$0], cast) }
            return y
        default: return x
        }
    }

    /// Every index, with a look for cancellation now and then.
    private func forEach(_ count: Int, _ body: (Int) -> Void) throws {
        for start in stride(from: 0, to: count, by: 1 << 16) {
            try checkCancellation()
            for index in start..<min(start + (1 << 16), count) { body(index) }
        }
    }

    private static func cast(_ value: Float, _ cast: GraphCast) -> Float {
        switch cast {
        case .float32, .float16: value
        case .integer: value.rounded(.towardZero)
        case .boolean: value == 0 ? 0 : 1
        }
    }

    private func binary(_ kind: GraphBinary, _ x: CoreMLTensor, _ y: CoreMLTensor, _ shape: [Int]) throws
        -> [Float]
    {
        let compute = Self.function(kind)
        var result = try layout.broadcast(x, to: shape)
        let other = try layout.broadcast(y, to: shape)
        try forEach(result.count) { result[$0] = Float(compute(Double(result[$0]), Double(other[$0]))) }
        return result
    }

    /// The greater of two; NaN stays NaN.
    static func greater<Number: FloatingPoint>(_ a: Number, _ b: Number) -> Number { a.isNaN || a > b ? a : b }

    /// The function of two numbers, in double precision.
    package static func function(_ kind: GraphBinary) -> (Double, Double) -> Double {
        switch kind {
        case .add: { $0 + $1 }
        case .subtract: { $0 - $1 }
        case .multiply: { $0 * $1 }
        case .divide: { $0 / $1 }
        case .maximum: greater
        case .minimum: { $0.isNaN || $0 < $1 ? $0 : $1 }
        case .power: { pow($0, $1) }
        case .floorDivide: { ($0 / $1).rounded(.down) }
        // The sign of the divisor, as in Python.
        case .modulo: { $0 - ($0 / $1).rounded(.down) * $1 }
        case .equal: { $0 == $1 ? 1 : 0 }
        case .notEqual: { $0 != $1 ? 1 : 0 }
        case .less: { $0 < $1 ? 1 : 0 }
        case .lessOrEqual: { $0 <= $1 ? 1 : 0 }
        case .greater: { $0 > $1 ? 1 : 0 }
        case .greaterOrEqual: { $0 >= $1 ? 1 : 0 }
        case .and: { $0 != 0 && $1 != 0 ? 1 : 0 }
        case .or: { $0 != 0 || $1 != 0 ? 1 : 0 }
        }
    }

    /// The function of one number; formulas are those of Core ML's operations (coremltools, MIL).
    package static func function(_ function: GraphFunction) -> (Double) -> Double {
        switch function {
        case .relu, .relu6, .clip, .leakyRelu, .elu, .thresholdedRelu, .hardSigmoid, .linear, .clampedRelu, .hardSwish:
            return piecewise(function)
        case .sigmoid, .tanh, .silu, .softplus, .softsign, .erf, .scaledTanh, .gelu, .geluTanh, .geluSigmoid:
            return smooth(function)
        case .exp: return { Foundation.exp($0) }
        case .exp2: return { Foundation.exp2($0) }
        case .log(let epsilon): return { Foundation.log($0 + Double(epsilon)) }
        case .rsqrt(let epsilon): return { 1 / ($0 + Double(epsilon)).squareRoot() }
        case .inverse(let epsilon): return { 1 / ($0 + Double(epsilon)) }
        case .abs: return { Swift.abs($0) }
        case .square: return { $0 * $0 }
        case .sqrt: return { $0.squareRoot() }
        case .floor: return { $0.rounded(.down) }
        case .ceil: return { $0.rounded(.up) }
        case .round: return { $0.rounded(.toNearestOrEven) }
        case .sign: return { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 }
        case .sin: return { Foundation.sin($0) }
        case .cos: return { Foundation.cos($0) }
        case .tan: return { Foundation.tan($0) }
        case .asin: return { Foundation.asin($0) }
        case .acos: return { Foundation.acos($0) }
        case .atan: return { Foundation.atan($0) }
        case .sinh: return { Foundation.sinh($0) }
        case .cosh: return { Foundation.cosh($0) }
        case .atanh: return { Foundation.atanh($0) }
        case .not: return { $0 == 0 ? 1 : 0 }
        case .negate: return { -$0 }
        }
    }

    private static func piecewise(_ function: GraphFunction) -> (Double) -> Double {
        func clamp(_ x: Double, _ low: Double, _ high: Double) -> Double {
            x < low ? low : x > high ? high : x
        }
        switch function {
        case .relu: return { $0 < 0 ? 0 : $0 }
        case .relu6: return { clamp($0, 0, 6) }
        case .clip(let low, let high): return { clamp($0, Double(low), Double(high)) }
        case .leakyRelu(let alpha): return { $0 >= 0 ? $0 : $0 * Double(alpha) }
        case .elu(let alpha): return { $0 >= 0 ? $0 : Double(alpha) * expm1($0) }
        case .thresholdedRelu(let alpha): return { $0 < Double(alpha) ? 0 : $0 }
        case .hardSigmoid(let alpha, let beta): return { clamp(Double(alpha) * $0 + Double(beta), 0, 1) }
        case .linear(let alpha, let beta): return { Double(alpha) * $0 + Double(beta) }
        case .clampedRelu(let alpha, let beta):
            return { clamp($0 >= 0 ? $0 : Double(alpha) * $0, -.infinity, Double(beta)) }
        case .hardSwish: return { $0 * clamp($0 / 6 + 0.5, 0, 1) }
        default: return { $0 }
        }
    }

    private static func smooth(_ function: GraphFunction) -> (Double) -> Double {
        func sigmoid(_ x: Double) -> Double { 1 / (1 + Foundation.exp(-x)) }
        switch function {
        case .sigmoid: return sigmoid
        case .tanh: return { Foundation.tanh($0) }
        case .silu: return { $0 * sigmoid($0) }
        case .softplus: return { log1p(Foundation.exp(-Swift.abs($0))) + Swift.max($0, 0) }
        case .softsign: return { $0 / (1 + Swift.abs($0)) }
        case .erf: return { Foundation.erf($0) }
        case .scaledTanh(let alpha, let beta): return { Double(alpha) * Foundation.tanh(Double(beta) * $0) }
        // As they are usually written, 1 + erf and 1 + tanh cancel for negative numbers.
        case .gelu: return { 0.5 * $0 * Foundation.erfc(-$0 / 2.0.squareRoot()) }
        case .geluTanh:
            return { $0 * sigmoid(2 * (2 / Double.pi).squareRoot() * ($0 + 0.044715 * $0 * $0 * $0)) }
        case .geluSigmoid: return { $0 * sigmoid(1.702 * $0) }
        default: return { $0 }
        }
    }
}
