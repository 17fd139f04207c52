/// What a step of a graph computes. Few and canonical: a file's squeeze, expand and flatten are `reshape` here, a linear
/// activation is a multiplication and an addition, axes are positive, defaults are filled in. Formulas are those of Core
/// ML's operations of the same name (coremltools, MIL).
enum GraphOperation: Sendable, Equatable {
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
    /// query [… L, E], key [… S, E], value [… S, V], mask [… L, S]?; softmax(q·kᵀ · scale + mask) · value. A mask of truth
    /// values (`isBoolean`) lets through where it is true, another one is added.
    case attention(scale: Float, maskIsBoolean: Bool)
    /// x; the result's shape says what remains.
    case reduce(GraphReduction, axes: [Int])
    /// x [N, C, …], mean [C], variance [C], gamma [C]?, beta [C]?
    case batchNorm(epsilon: Float)
    /// x, gamma?, beta? (of the shape of the axes)
    case layerNorm(axes: [Int], epsilon: Float)
    /// x [N, C, …], gamma [C]?, beta [C]?
    case instanceNorm(epsilon: Float)
    /// x; divided by the root of the sum of squares over all axes but the first, plus epsilon.
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
    /// x [N, C, H, W]; to the result's size.
    case resize(GraphResize)
    /// x; rounded toward zero for integers, to 0 and 1 for truth values, unchanged for floats.
    case cast(GraphCast)
    /// boxes [B, N, 4], scores [B, N, classes]; makes boxes, scores, indices and counts.
    case nonMaximumSuppression(GraphSuppression)
}

/// A convolution's geometry, for each spatial dimension.
struct GraphConvolution: Sendable, Equatable {
    var kernel: [Int]
    var strides: [Int]
    var dilations: [Int]
    /// Padding, resolved to numbers: `same` is not kept.
    var before: [Int]
    var after: [Int]
    var groups: Int
}

/// A pooling's geometry, for each spatial dimension.
struct GraphPooling: Sendable, Equatable {
    enum Kind: Sendable { case max, average, l2 }
    var kind: Kind
    var kernel: [Int]
    var strides: [Int]
    /// Padding, resolved. Windows may begin inside and end beyond it (`ceil_mode`): the overhang never counts.
    var before: [Int]
    var after: [Int]
    /// Whether padding counts in an average's divisor.
    var countsPadding: Bool
}

enum GraphReduction: Sendable { case mean, sum, max, min, product, sumOfSquares, l2Norm, argMax, argMin }

enum GraphBinary: Sendable {
    case add, subtract, multiply, divide, maximum, minimum, power, floorDivide, modulo
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, and, or
}

enum GraphPadMode: Sendable, Equatable { case constant(Float), reflect, replicate }

enum GraphCast: Sendable { case float32, float16, integer, boolean }

/// A function of one number.
enum GraphFunction: Sendable, Equatable {
    case relu, relu6, sigmoid, tanh, silu, softplus, softsign, exp, erf, abs, square, sqrt, floor, ceil, round, sign
    case sin, cos, not, negate
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

/// How a picture is enlarged or made smaller.
struct GraphResize: Sendable, Equatable {
    enum Kind: Sendable { case nearest, bilinear }
    /// Where the sample of an output element lies in the input.
    enum Grid: Sendable { case halfPixel, alignCorners, asymmetric }
    var kind: Kind
    var grid: Grid
}

/// Suppression of boxes that overlap a better one.
struct GraphSuppression: Sendable, Equatable {
    var intersectionOverUnion: Float
    var score: Float
    var maximumBoxes: Int
    var perClass: Bool
}
