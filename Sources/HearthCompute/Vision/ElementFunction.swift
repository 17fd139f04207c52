internal import CHearthKernels

/// A function of one value.
package enum ElementFunction: Hashable, Sendable {
    case identity
    case relu
    /// min(max(x, low), high)
    case clip(low: Float, high: Float)
    /// x >= 0 ? x : slope * x
    case leakyReLU(slope: Float)
    /// x >= threshold ? x : 0
    case thresholded(Float)
    /// min(limit, x >= 0 ? x : slope * x)
    case clampedReLU(slope: Float, limit: Float)
    /// scale * x + offset
    case linear(scale: Float, offset: Float)
    case sigmoid
    /// clamp(scale * x + offset, 0, 1)
    case hardSigmoid(scale: Float, offset: Float)
    /// x * clamp(scale * x + offset, 0, 1)
    case hardSwish(scale: Float, offset: Float)
    /// x * sigmoid(x)
    case silu
    /// x / 2 * (1 + erf(x / sqrt 2))
    case gelu
    /// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
    case geluTanh
    /// x * sigmoid(1.702 x)
    case geluSigmoid
    case tanh
    /// scale * tanh(slope * x)
    case scaledTanh(scale: Float, slope: Float)
    /// x >= 0 ? x : scale * (e^x - 1)
    case elu(scale: Float)
    /// log(1 + e^x)
    case softplus
    /// x / (1 + |x|)
    case softsign
    case exp
    /// log(x + epsilon)
    case log(epsilon: Float)
    case sqrt
    /// 1 / sqrt(x + epsilon)
    case inverseSqrt(epsilon: Float)
    /// 1 / (x + epsilon)
    case inverse(epsilon: Float)
    case erf, abs, square, floor, ceil
    /// Rounds halves to even.
    case round
    case sign
    /// x == 0 ? 1 : 0
    case not
    /// Rounds toward zero.
    case truncate
    /// x == 0 ? 0 : 1
    case truth

    /// Its number in CHearthKernels, and its parameters.
    package var numbers: (function: UInt32, a: Float, b: Float) {
        let (function, a, b) = kernel
        return (UInt32(function.rawValue), a, b)
    }

    var kernel: (function: hk_function, a: Float, b: Float) {
        switch self {
        case .identity: (HK_IDENTITY, 0, 0)
        case .relu: (HK_RELU, 0, 0)
        case .clip(let low, let high): (HK_CLIP, low, high)
        case .leakyReLU(let slope): (HK_LEAKY_RELU, slope, 0)
        case .thresholded(let threshold): (HK_THRESHOLDED, threshold, 0)
        case .clampedReLU(let slope, let limit): (HK_CLAMPED_RELU, slope, limit)
        case .linear(let scale, let offset): (HK_LINEAR, scale, offset)
        case .sigmoid: (HK_SIGMOID, 0, 0)
        case .hardSigmoid(let scale, let offset): (HK_HARD_SIGMOID, scale, offset)
        case .hardSwish(let scale, let offset): (HK_HARD_SWISH, scale, offset)
        case .silu: (HK_SILU, 0, 0)
        case .gelu: (HK_GELU, 0, 0)
        case .geluTanh: (HK_GELU_TANH, 0, 0)
        case .geluSigmoid: (HK_GELU_SIGMOID, 0, 0)
        case .tanh: (HK_TANH, 0, 0)
        case .scaledTanh(let scale, let slope): (HK_SCALED_TANH, scale, slope)
        case .elu(let scale): (HK_ELU, scale, 0)
        case .softplus: (HK_SOFTPLUS, 0, 0)
        case .softsign: (HK_SOFTSIGN, 0, 0)
        case .exp: (HK_EXP, 0, 0)
        case .log(let epsilon): (HK_LOG, epsilon, 0)
        case .sqrt: (HK_SQRT, 0, 0)
        case .inverseSqrt(let epsilon): (HK_RSQRT, epsilon, 0)
        case .inverse(let epsilon): (HK_INVERSE, epsilon, 0)
        case .erf: (HK_ERF, 0, 0)
        case .abs: (HK_ABS, 0, 0)
        case .square: (HK_SQUARE, 0, 0)
        case .floor: (HK_FLOOR, 0, 0)
        case .ceil: (HK_CEIL, 0, 0)
        case .round: (HK_ROUND, 0, 0)
        case .sign: (HK_SIGN, 0, 0)
        case .not: (HK_NOT, 0, 0)
        case .truncate: (HK_TRUNCATE, 0, 0)
        case .truth: (HK_TRUTH, 0, 0)
        }
    }
}

/// A function of two values.
package enum PairFunction: Hashable, Sendable, CaseIterable {
    case add, subtract, multiply, divide, maximum, minimum, power
    /// x >= 0 ? x : y * x
    case prelu
    /// 1 where it holds, else 0: for NaN only `notEqual` holds.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// Of truth values: everything is true that is not 0.
    case and, or

    /// Its number in CHearthKernels.
    package var number: UInt32 { UInt32(kernel.rawValue) }

    var kernel: hk_binary {
        switch self {
        case .add: HK_ADD
        case .subtract: HK_SUBTRACT
        case .multiply: HK_MULTIPLY
        case .divide: HK_DIVIDE
        case .maximum: HK_MAXIMUM
        case .minimum: HK_MINIMUM
        case .power: HK_POWER
        case .prelu: HK_PRELU
        case .equal: HK_EQUAL
        case .notEqual: HK_NOT_EQUAL
        case .less: HK_LESS
        case .lessOrEqual: HK_LESS_OR_EQUAL
        case .greater: HK_GREATER
        case .greaterOrEqual: HK_GREATER_OR_EQUAL
        case .and: HK_AND
        case .or: HK_OR
        }
    }
}

/// Applied to a result before it is stored: adds the bias, then the residual, then applies the function; or adds the residual last.
package struct Epilogue: Hashable, Sendable {
    /// Where a second tensor of the output's shape is added, if at all.
    package enum Residual: Hashable, Sendable { case none, beforeFunction, afterFunction }

    /// Applied to the sum.
    package var function: ElementFunction
    /// Whether and where a residual is added.
    package var residual: Residual

    /// Creates an epilogue; the default does nothing.
    package init(function: ElementFunction = .identity, residual: Residual = .none) {
        self.function = function
        self.residual = residual
    }

    func kernel(bias: FloatWeights?, residual region: FloatRegion?) -> hk_epilogue {
        let (function, a, b) = function.kernel
        return hk_epilogue(
            bias: bias?.base, residual: residual == .none ? nil : region.map { UnsafePointer($0.base) },
            residual_after: residual == .afterFunction, function: function, a: a, b: b)
    }

    /// Checks that a required residual is given and has the output's size.
    func check(residual region: FloatRegion?, count: Int) throws(ComputeError) {
        guard residual != .none else { return }
        guard let region, region.count >= count else {
            throw .shapeMismatch(what: "values of a residual", expected: count, found: region?.count ?? 0)
        }
    }
}
