internal import HearthCompute

/// A step whose kernel, operands and weights are found and checked: running it allocates nothing but what plain loops
/// need.
struct PreparedStep: Sendable {
    enum Work: Sendable {
        case convolution(Convolution, FloatRegion, residual: FloatRegion?)
        case byteConvolution(ByteConvolution, FloatRegion, residual: FloatRegion?)
        case quantize(CodeShape, FloatRegion, CodedFloats)
        case dequantize(CodeShape, FloatRegion, isBlocked: Bool)
        case codeSum(CodeOperand, CodeOperand, ElementFunction, CodeShape)
        case product(MatrixProduct, FloatRegion, weights: ProductWeights, residual: FloatRegion?)
        case pool(Pooling, FloatRegion)
        case average(ImageShape, FloatRegion)
        case softmax(FloatRegion, outer: Int, count: Int, stride: Int)
        case reduce(Compute.Reduction, FloatRegion, outer: Int, count: Int, stride: Int)
        case extreme(AxisShape, least: Bool, FloatRegion)
        case runningSum(AxisShape, isExclusive: Bool, isReversed: Bool, FloatRegion)
        /// Makes values and places.
        case order(AxisOrder, FloatRegion)
        case layerNorm(FloatRegion, rows: Int, width: Int, epsilon: Float, gain: FloatWeights?, shift: FloatWeights?)
        case attention(AttentionShape, q: FloatRegion, k: FloatRegion, v: FloatRegion, mask: FloatRegion?)
        case matrices(BatchedProduct, FloatRegion, FloatRegion)
        case function(ElementFunction, FloatRegion, count: Int)
        case pair(PairOperation, FloatRegion, FloatRegion)
        case scale(ImageShape, FloatRegion, scale: FloatWeights, shift: FloatWeights?, ElementFunction)
        /// One plane after the other, each with a function of its own.
        case planes([(function: ElementFunction, input: FloatRegion, output: FloatRegion)])
        case toBlocked(ImageShape, FloatRegion)
        case fromBlocked(ImageShape, FloatRegion)
        case channels([ChannelCopy])
        case copies([(copy: StridedCopy, input: FloatRegion, output: FloatRegion)])
        case recurrent(RecurrentStep)
        case resize(PlaneResize, FloatRegion)
        case gather(Lookup, FloatWeights, indices: FloatRegion)
        case select(Choice, condition: FloatRegion, FloatRegion, FloatRegion)
        case reference(GraphOperation, [(shape: [Int], region: FloatRegion)?], shapes: [[Int]])
    }

    struct CodeOperand: Sendable {
        var shape: CodeShape
        var region: FloatRegion
    }

    struct ChannelCopy: Sendable {
        var source: ImageShape
        var input: FloatRegion
        var target: ImageShape
        var output: FloatRegion
        var part: PlanChannels
    }

    var work: Work
    var outputs: [FloatRegion]
    /// Floats of scratch.
    var scratch = 0

    /// Computes the step. Returns early with unfinished results where `compute` is cancelled.
    /// - Throws: `ComputeError` where tensors do not fit, what plain loops throw.
    func run(_ compute: Compute, scratch: FloatRegion) throws {
        let output = outputs[0]
        switch work {
        case .convolution(let convolution, let x, let residual):
            try compute.convolve(convolution, x, residual: residual, scratch: scratch, into: output)
        case .byteConvolution(let convolution, let x, let residual):
            try compute.convolve(convolution, x, residual: residual, into: output)
        case .quantize(let shape, let x, let order):
            try compute.quantize(shape, x, order, into: output)
        case .dequantize(let shape, let x, let isBlocked):
            try compute.dequantize(shape, x, isBlocked: isBlocked, into: output)
        case .codeSum(let x, let y, let function, let shape):
            try compute.addCodes(
                (x.shape, x.region), (y.shape, y.region), function: function, shape, into: output)
        case .product(let product, let x, let weights, let residual):
            try compute.multiply(product, x, weights: weights, residual: residual, into: output)
        case .pool(let pooling, let x): try compute.pool(pooling, x, into: output)
        case .average(let shape, let x): try compute.average(shape, x, into: output)
        case .softmax(let x, let outer, let count, let stride):
            try compute.softmax(x, outer: outer, count: count, stride: stride, into: output)
        case .reduce(let reduction, let x, let outer, let count, let stride):
            try compute.reduce(reduction, x, outer: outer, count: count, stride: stride, into: output)
        case .extreme(let axis, let least, let x): try compute.findExtremes(least: least, axis, x, into: output)
        case .runningSum(let axis, let isExclusive, let isReversed, let x):
            try compute.sumUp(axis, isExclusive: isExclusive, isReversed: isReversed, x, into: output)
        case .order(let order, let x):
            try compute.order(order, x, scratch: scratch, values: output, places: outputs[1])
        case .layerNorm(let x, let rows, let width, let epsilon, let gain, let shift):
            try compute.normalizeLayers(
                x, rows: rows, count: width, gain: gain, shift: shift, epsilon: epsilon, into: output)
        case .attention(let shape, let q, let k, let v, let mask):
            try compute.attend(shape, queries: q, keys: k, values: v, mask: mask, scratch: scratch, into: output)
        case .matrices(let product, let x, let y):
            try compute.multiply(product, x, y, scratch: scratch, into: output)
        case .function(let function, let x, let count): try compute.apply(function, x, count: count, into: output)
        case .pair(let operation, let x, let y): try compute.combine(operation, x, y, into: output)
        case .scale(let shape, let x, let scale, let shift, let function):
            try compute.scaleChannels(shape, x, scale: scale, shift: shift, function: function, into: output)
        case .planes(let planes):
            for plane in planes {
                try compute.apply(plane.function, plane.input, count: plane.input.count, into: plane.output)
            }
        case .toBlocked(let shape, let x): try compute.toBlocked(shape, x, into: output)
        case .fromBlocked(let shape, let x): try compute.fromBlocked(shape, x, into: output)
        case .channels(let copies):
            for copy in copies {
                try compute.copyChannels(
                    of: copy.source, copy.input, from: copy.part.first, count: copy.part.count,
                    to: copy.part.resultFirst,
                    step: copy.part.resultStep, of: copy.target, copy.output)
            }
        case .copies(let copies):
            for copy in copies { try compute.copy(copy.copy, copy.input, into: copy.output) }
        case .recurrent(let step): try step.run(compute, scratch: scratch, into: outputs)
        case .resize(let resize, let x): try compute.resize(resize, x, into: output)
        case .gather(let lookup, let table, let indices):
            try compute.lookUp(lookup, table, indices: indices, into: output)
        case .select(let choice, let condition, let x, let y):
            try compute.choose(choice, condition: condition, x, y, into: output)
        case .reference(let operation, let operands, let shapes):
            let operands = operands.map { operand in
                operand.map { CoreMLTensor(shape: $0.shape, values: $0.region.values) }
            }
            let results = try ReferenceExecutor { compute.isCancelled }.run(operation, operands, shapes: shapes)
            for (region, result) in zip(outputs, results) { region.set(result.values) }
        }
    }
}
