internal import HearthCompute

/// The graph's functions as the kernels call them.
extension GraphFunction {
    /// Nil where there is no kernel.
    var kernel: ElementFunction? {
        switch self {
        case .relu: .relu
        case .relu6: .clip(low: 0, high: 6)
        case .sigmoid: .sigmoid
        case .tanh: .tanh
        case .silu: .silu
        case .softplus: .softplus
        case .softsign: .softsign
        case .exp: .exp
        case .erf: .erf
        case .abs: .abs
        case .square: .square
        case .sqrt: .sqrt
        case .floor: .floor
        case .ceil: .ceil
        case .round: .round
        case .sign: .sign
        case .not: .not
        case .negate: .linear(scale: -1, offset: 0)
        case .rsqrt(let epsilon): .inverseSqrt(epsilon: epsilon)
        case .inverse(let epsilon): .inverse(epsilon: epsilon)
        case .log(let epsilon): .log(epsilon: epsilon)
        case .clip(let low, let high): .clip(low: low, high: high)
        case .leakyRelu(let alpha): .leakyReLU(slope: alpha)
        case .elu(let alpha): .elu(scale: alpha)
        case .thresholdedRelu(let alpha): .thresholded(alpha)
        case .hardSigmoid(let alpha, let beta): .hardSigmoid(scale: alpha, offset: beta)
        case .linear(let alpha, let beta): .linear(scale: alpha, offset: beta)
        case .scaledTanh(let alpha, let beta): .scaledTanh(scale: alpha, slope: beta)
        case .clampedRelu(let alpha, let beta): .clampedReLU(slope: alpha, limit: beta)
        case .gelu: .gelu
        case .geluTanh: .geluTanh
        case .geluSigmoid: .geluSigmoid
        case .hardSwish: .hardSwish(scale: 1 / 6, offset: 0.5)
        default: nil
        }
    }

    var hasKernel: Bool { kernel != nil }
}

extension GraphBinary {
    /// Nil where there is no kernel.
    var kernel: PairFunction? {
        switch self {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .maximum: .maximum
        case .minimum: .minimum
        case .power: .power
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .and: .and
        case .or: .or
        case .floorDivide, .modulo: nil
        }
    }
}

extension GraphCast {
    /// Of floats, which stay as they are, nothing is computed.
    var kernel: ElementFunction {
        switch self {
        case .float32, .float16: .identity
        case .integer: .truncate
        case .boolean: .truth
        }
    }
}

extension GraphReduction {
    /// Whether it asks for the place of the least element (or the greatest); nil for a reduction to a value.
    var findsLeast: Bool? {
        switch self {
        case .argMin: true
        case .argMax: false
        default: nil
        }
    }

    /// Nil where there is no kernel.
    var kernel: Compute.Reduction? {
        switch self {
        case .mean: .mean
        case .sum: .sum
        case .max: .maximum
        case .min: .minimum
        default: nil
        }
    }
}
