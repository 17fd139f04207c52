/// What a step of a graph computes. Few and canonical: a file's squeeze, expand and flatten are `reshape` here, a linear
/// activation is a multiplication and an addition, axes are positive, defaults are filled in. Formulas are those of Core
/// ML's operations of the same name (coremltools, MIL).
package enum GraphOperation: Sendable, Equatable, Codable {
    /// x [N, C, spatial…], weight [O, C / groups, kernel…], bias [O]?
    case convolution(GraphConvolution)
    /// x [N, C, spatial…], weight [C, O / groups, kernel…], bias [O]?
    case transposedConvolution(GraphConvolution)
    /// x [N, C, spatial…]
    case pool(GraphPooling)
    /// x [… D], weight [O, D], bias [O]?
    case linear
    /// x, y; batched over the leading dimensions, which broadcast.
    case matmul(transposeX: Bool, transposeY: Bool)
    /// query [… L, E], key [… S, E], value [… S, V], mask [… L, S]?; softmax(q·kᵀ · scale + mask) · value.
    case attention(scale: Float)
    /// x; the result's shape says what remains.
    case reduce(GraphReduction, axes: [Int])
    /// x [N, C, …], mean [C], variance [C], gamma [C]?, beta [C]?
    case batchNorm(epsilon: Float)
    /// x, gamma?, beta? (of the shape of the axes)
    case layerNorm(axes: [Int], epsilon: Float)
    /// x [N, C, …], gamma [C]?, beta [C]?
    case instanceNorm(epsilon: Float)
    /// x [… C, H, W]; divided by the root of the sum of squares over the last three axes, plus epsilon.
    case l2Norm(epsilon: Float)
    /// x [N, C, …]; x / (k + alpha / size · sum of squares of `size` channels around it)^beta.
    case localResponseNorm(size: Int, alpha: Float, beta: Float, k: Float)
    /// x
    case unary(GraphFunction)
    /// x [N, C, …], alpha [C]
    case prelu
    /// x, y; broadcasting as NumPy does.
    case binary(GraphBinary)
    /// condition, a, b; broadcasting as NumPy does.
    case select
    /// x
    case softmax(axis: Int)
    /// x; the result's shape is the new shape.
    case reshape
    /// x; dimension i of the result is dimension `permutation[i]` of x.
    case transpose(permutation: [Int])
    /// Any number of tensors. Interleaved: result[k::n] = tensor k along the axis.
    case concat(axis: Int, interleaved: Bool)
    /// x; the results' shapes are the sizes.
    case split(axis: Int)
    /// x; element i of the result along an axis is begin + i · step (a step may be negative), its size the result's.
    case slice(begin: [Int], step: [Int])
    /// x
    case pad(before: [Int], after: [Int], GraphPadMode)
    /// x, indices; along one axis.
    case gather(axis: Int)
    /// x; repeated along each axis to the result's shape.
    case tile
    /// x; element i of the result is element (i, … indices[i …], …) of x: `indices` has the result's shape.
    case gatherAlongAxis(axis: Int)
    /// x, indices [… K]; the last axis of the indices holds places in the first K axes of x.
    case gatherND
    /// data, indices, updates; the data with updates at the indices.
    case scatter(GraphScatter)
    /// x; the first (result's size) values along the axis in order, and where they were. Ties keep their order.
    case topK(axis: Int, ascending: Bool)
    /// x; sums of all elements up to each one along the axis.
    case cumulativeSum(axis: Int, exclusive: Bool, reverse: Bool)
    /// x [… H, W]; to the result's size.
    case resize(GraphResize)
    /// x; rounded toward zero for integers, to 0 and 1 for truth values, unchanged for floats.
    case cast(GraphCast)
    /// boxes [B, N, 4] (center x, center y, width, height), scores [B, N, classes]; makes boxes [B, M, 4], scores
    /// [B, M, classes], indices [B, M] and counts [B], the best box first. What is left over is 0, and −1 for indices.
    case nonMaximumSuppression(GraphSuppression)
    /// products [T, B, G·H] of the inputs, weights [G·H, H], state [B, H], cell [B, H]? (LSTM), peephole [3·H]? (input,
    /// forget, output), bias [G·H]? of the state's products, weights [H, H]? of a candidate that stands apart; makes the
    /// states [T, B, H], the last one [B, H], and an LSTM's last cell [B, H].
    case recurrent(GraphRecurrence)
    /// x [N, C, H, W], places [N, H', W', 2] (column, row) in pixels; makes [N, C, H', W'].
    case sample(GraphSampling)
    /// x? (of a categorical distribution)
    case random(GraphRandom)
    /// x, update (of the result's rank), begin [rank]; x with the update at begin + i · step along each axis.
    case sliceUpdate(step: [Int])
}

/// A convolution's geometry, for each spatial dimension.
package struct GraphConvolution: Sendable, Equatable, Codable {
    package var kernel: [Int]
    package var strides: [Int]
    package var dilations: [Int]
    /// Padding, resolved to numbers: `same` is not kept.
    package var before: [Int]
    package var after: [Int]
    package var groups: Int

    package init(kernel: [Int], strides: [Int], dilations: [Int], before: [Int], after: [Int], groups: Int) {
        self.kernel = kernel
        self.strides = strides
        self.dilations = dilations
        self.before = before
        self.after = after
        self.groups = groups
    }
}

/// A pooling's geometry, for each spatial dimension.
package struct GraphPooling: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable { case max, average, l2 }
    package var kind: Kind
    package var kernel: [Int]
    package var strides: [Int]
    /// Padding, resolved. Windows may begin inside and end beyond it (`ceil_mode`): the overhang never counts.
    package var before: [Int]
    package var after: [Int]
    /// Whether padding counts in an average's divisor.
    package var countsPadding: Bool

    package init(kind: Kind, kernel: [Int], strides: [Int], before: [Int], after: [Int], countsPadding: Bool) {
        self.kind = kind
        self.kernel = kernel
        self.strides = strides
        self.before = before
        self.after = after
        self.countsPadding = countsPadding
    }
}

package enum GraphReduction: String, Sendable, Codable {
    case mean, sum, max, min, product, sumOfSquares, l2Norm, logSumExp, argMax, argMin
}

package enum GraphBinary: String, Sendable, Codable {
    case add, subtract, multiply, divide, maximum, minimum, power, floorDivide, modulo
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, and, or
}

package enum GraphPadMode: Sendable, Equatable, Codable { case constant(Float), reflect, replicate }

package enum GraphCast: String, Sendable, Codable { case float32, float16, integer, boolean }

/// A function of one number.
package enum GraphFunction: Sendable, Equatable, Codable {
    case relu, relu6, sigmoid, tanh, silu, softplus, softsign, exp, erf, abs, square, sqrt, floor, ceil, round, sign
    case sin, cos, tan, asin, acos, atan, sinh, cosh, atanh, exp2, not, negate
    /// 1 / √(x + epsilon), 1 / (x + epsilon), log(x + epsilon)
    case rsqrt(epsilon: Float), inverse(epsilon: Float), log(epsilon: Float)
    /// min(max(x, low), high)
    case clip(low: Float, high: Float)
    case leakyRelu(alpha: Float), elu(alpha: Float), thresholdedRelu(alpha: Float)
    /// clamp(alpha · x + beta, 0, 1)
    case hardSigmoid(alpha: Float, beta: Float)
    /// alpha · x + beta
    case linear(alpha: Float, beta: Float)
    /// alpha · tanh(beta · x)
    case scaledTanh(alpha: Float, beta: Float)
    /// min(beta, x ≥ 0 ? x : alpha · x)
    case clampedRelu(alpha: Float, beta: Float)
    /// x · Φ(x); with tanh; x · sigmoid(1.702 · x)
    case gelu, geluTanh, geluSigmoid
    /// Fused by a pass: max(x, −3) … of MobileNetV3: x · clamp(x / 6 + 0.5, 0, 1)
    case hardSwish
}

/// How the last two axes are enlarged or made smaller: element i of the result is taken at offset + i · spacing of the
/// input, clamped to its first and last element.
package struct GraphResize: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// The element at the place rounded down (an offset of ½ makes that the nearest one).
        case nearest
        /// Between the two elements around the place, in proportion.
        case linear
    }
    package var kind: Kind
    /// Rows first.
    package var spacing: [Double]
    package var offset: [Double]

    package init(kind: Kind, spacing: [Double], offset: [Double]) {
        self.kind = kind
        self.spacing = spacing
        self.offset = offset
    }
}

/// Suppression of boxes that overlap a better one. A box counts by its best score, and belongs to that class.
package struct GraphSuppression: Sendable, Equatable, Codable {
    /// Boxes that overlap a better one by more than this share of their union go.
    var intersectionOverUnion: Float
    /// Boxes whose best score is below it go first; where none is left, the best one stays.
    var score: Float
    /// Whether only boxes of the same class suppress each other.
    var perClass: Bool
}
