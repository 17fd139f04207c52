import HearthCoreML
import HearthTestSupport

/// Random graphs of the kind that rewrites look for: functions spelled out step by step, exactly and nearly, with an ε here
/// and there, between products, poolings and steps that only move elements.
struct FunctionGraphs {
    private var maker: GraphMaker
    private var random: SeededNumbers
    private var tensors: [Int] = []

    static func graph(seed: UInt64) -> (graph: CoreMLGraph, inputs: [CoreMLTensor]) {
        var graphs = FunctionGraphs(seed: seed)
        let graph = graphs.make()
        return (graph, graph.inputs.map { graphs.sample(graph.tensors[$0].shape) })
    }

    private init(seed: UInt64) {
        maker = GraphMaker(seed: seed)
        random = SeededNumbers(seed: seed ^ 0x5EED)
    }

    private func shape(_ id: Int) -> [Int] { maker.graph.tensors[id].shape }
    private mutating func below(_ count: Int) -> Int { random.below(count) }
    private mutating func chance(_ one: Int) -> Bool { below(one) == 0 }
    private mutating func any<T>(_ values: [T]) -> T { values[below(values.count)] }
    private mutating func number(_ low: Float, _ high: Float) -> Float { random.next(low, high) }

    /// 10⁻¹² to 10⁻³.
    private mutating func epsilon() -> Float {
        number(1, 10) * any([1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4])
    }

    /// Ordinary numbers, and those at which functions have their corners, poles and ends.
    private mutating func sample(_ shape: [Int]) -> CoreMLTensor {
        let isTame = chance(2)
        let values = (0..<shape.reduce(1, *)).map { _ -> Float in
            switch below(isTame ? 6 : 16) {
            case 0...5: number(-4, 4)
            case 6, 7: 0
            case 8: number(-1, 1) * any([1e-12, 1e-9, 1e-6, 1e-4, 1e-2])
            case 9, 10: Float(below(13) - 6)
            case 11: number(-100, 100)
            case 12: number(-1, 1) * any([1e3, 1e4, 1e6])
            case 13: any([-3, 3, 6, -0.5, 0.5, -88, 88])
            default: number(-1, 1)
            }
        }
        return CoreMLTensor(shape: shape, values: values)
    }

    private mutating func make() -> CoreMLGraph {
        let shapes = [
            [1, any([1, 3, 16, 17]), any([1, 2, 4]), any([1, 3, 5])], [1, any([3, 8, 16]), any([4, 6])],
            [any([1, 3]), any([4, 16, 18])], [2, 4, 3, 3],
        ]
        tensors = [maker.input(any(shapes))]
        for _ in 0..<(1 + below(7)) { tensors.append(next()) }
        var outputs = [tensors[tensors.count - 1]]
        if chance(4) { outputs.append(any(tensors)) }
        maker.graph.outputs = outputs.reduce(into: []) { list, id in
            if !list.contains(id), !maker.graph.inputs.contains(id) { list.append(id) }
        }
        return maker.graph
    }

    private mutating func next() -> Int {
        let x = tensors[max(0, tensors.count - 1 - below(3) * below(2))]
        switch below(24) {
        case 0...5: return spelled(x)
        case 6...8: return guarded(x)
        case 9...11: return known(x)
        case 12...14: return affine(x)
        case 15: return pair(x)
        case 16, 17: return product(x)
        case 18: return pooled(x)
        case 19: return joined(x)
        case 20: return moved(x)
        case 21: return reduced(x)
        case 22: return normalized(x)
        default: return attention(x)
        }
    }

    /// A number of a spelled function: as it should be, or not quite.
    private mutating func constant(_ value: Float) -> Int {
        var value = value
        switch below(12) {
        case 0: value *= 1 + number(-1, 1) * any([1e-6, 1e-5, 1e-4, 1e-3])
        case 1: value += epsilon() * any([-1, 1])
        default: break
        }
        return maker.scalar(value)
    }

    /// A step of a spelled function, perhaps with something next to nothing behind it.
    private mutating func perhaps(_ x: Int) -> Int {
        switch below(24) {
        case 0: maker.binary(.add, x, maker.scalar(epsilon()))
        case 1: maker.binary(.maximum, x, maker.scalar(epsilon()))
        case 2: maker.binary(.multiply, x, maker.scalar(1 + number(-1, 1) * any([1e-6, 1e-5, 1e-4])))
        case 3: maker.unary(.clip(low: -any([1e4, 1e6, 65504]), high: any([1e4, 1e6, 65504])), x)
        default: x
        }
    }

    private mutating func spelled(_ x: Int) -> Int {
        func c(_ value: Float) -> Int { constant(value) }
        switch below(14) {
        case 0: return perhaps(maker.binary(.multiply, x, perhaps(maker.unary(.sigmoid, x))))
        case 1:
            let clip = maker.unary(.clip(low: 0, high: 6), perhaps(maker.binary(.add, x, c(3))))
            return perhaps(maker.binary(.divide, maker.binary(.multiply, x, clip), c(6)))
        case 2:
            let clip = maker.unary(.relu6, maker.binary(.add, c(3), x))
            return maker.binary(.multiply, x, perhaps(maker.binary(.multiply, clip, c(1 / 6))))
        case 3:
            let erf = perhaps(maker.unary(.erf, maker.binary(.multiply, x, c(0.707_106_77))))
            return perhaps(
                maker.binary(.multiply, maker.binary(.multiply, x, c(0.5)), maker.binary(.add, erf, c(1))))
        case 4:
            let cube = maker.binary(.power, x, maker.scalar(3))
            let inner = maker.binary(.add, x, maker.binary(.multiply, cube, c(0.044_715)))
            let tanh = maker.unary(.tanh, perhaps(maker.binary(.multiply, inner, c(0.797_884_56))))
            return maker.binary(.multiply, maker.binary(.multiply, c(0.5), x), maker.binary(.add, c(1), tanh))
        case 5: return maker.binary(.multiply, x, maker.unary(.sigmoid, maker.binary(.multiply, x, c(1.702))))
        case 6: return perhaps(maker.binary(.maximum, x, c(0)))
        case 7: return perhaps(maker.binary(.minimum, perhaps(maker.unary(.relu, x)), c(6)))
        case 8:
            let power = perhaps(maker.unary(.exp, maker.unary(.negate, x)))
            return maker.unary(.inverse(epsilon: 0), maker.binary(.add, power, c(1)))
        case 9: return perhaps(maker.binary(.multiply, x, x))
        case 10: return perhaps(maker.unary(.sqrt, perhaps(maker.unary(.square, x))))
        case 11: return perhaps(maker.binary(.divide, x, maker.binary(.add, perhaps(maker.unary(.abs, x)), c(1))))
        case 12: return perhaps(maker.unary(.log(epsilon: 0), maker.binary(.add, maker.unary(.exp, x), c(1))))
        default: return perhaps(maker.unary(.hardSigmoid(alpha: any([0.2, 1 / 6]), beta: 0.5), perhaps(x)))
        }
    }

    /// Logarithms, roots and reciprocals, which an ε keeps from their poles.
    private mutating func guarded(_ x: Int) -> Int {
        let positive: Int =
            switch below(4) {
            case 0: maker.unary(.relu, x)
            case 1: maker.unary(.abs, x)
            case 2: maker.binary(.multiply, x, x)
            default: maker.unary(.square, x)
            }
        let small = epsilon()
        let sum = maker.binary(.add, positive, maker.scalar(small))
        switch below(9) {
        case 0: return maker.unary(.log(epsilon: 0), sum)
        case 1: return maker.unary(.sqrt, sum)
        case 2: return maker.unary(.inverse(epsilon: 0), sum)
        case 3: return maker.unary(.rsqrt(epsilon: 0), sum)
        case 4: return maker.binary(.divide, x, sum)
        case 5: return maker.unary(.log(epsilon: small), positive)
        case 6: return maker.binary(.power, sum, maker.scalar(any([0.5, -0.5, -1, 0.33, 2])))
        case 7: return maker.unary(.inverse(epsilon: small), positive)
        default: return sum
        }
    }

    private mutating func known(_ x: Int) -> Int {
        let all: [GraphFunction] = [
            .relu, .relu6, .sigmoid, .tanh, .silu, .softplus, .softsign, .exp, .erf, .abs, .square, .sqrt, .floor,
            .ceil,
            .round, .sign, .negate, .sin, .cos, .gelu, .geluTanh, .geluSigmoid, .hardSwish, .leakyRelu(alpha: 0.1),
            .elu(alpha: 0.7), .thresholdedRelu(alpha: 0.5), .hardSigmoid(alpha: 0.2, beta: 0.5),
            .scaledTanh(alpha: 1.7, beta: 0.6), .clampedRelu(alpha: 0.1, beta: 3), .linear(alpha: 0.3, beta: -2),
            .clip(low: epsilon(), high: 3), .clip(low: -epsilon(), high: epsilon()), .rsqrt(epsilon: epsilon()),
            .log(epsilon: 1e-6), .atan,
        ]
        return maker.unary(any(all), x)
    }

    /// Scales and shifts, by one number or by channel, of every magnitude.
    private mutating func affine(_ x: Int) -> Int {
        let channels = shape(x).count > 1 ? shape(x)[1] : 1
        func operand(_ low: Float, _ high: Float) -> Int {
            guard chance(2), shape(x).count > 1 else { return maker.scalar(number(low, high)) }
            return maker.constant(
                [channels] + [Int](repeating: 1, count: shape(x).count - 2),
                (0..<channels).map { _ in number(low, high) })
        }
        switch below(9) {
        case 0: return maker.binary(.multiply, x, operand(-2, 2))
        case 1: return maker.binary(.add, x, operand(-2, 2))
        case 2: return maker.binary(.subtract, x, operand(-2, 2))
        case 3: return maker.binary(.subtract, operand(-2, 2), x)
        case 4: return maker.binary(.divide, x, operand(0.1, 4))
        case 5: return maker.binary(.add, x, maker.scalar(epsilon()))
        case 6:
            return maker.binary(.multiply, x, maker.scalar(any([1e-30, 1e-20, 1e-12, 1e-6, 1e6, 1e12, 1e20, 1e30])))
        case 7: return maker.binary(.divide, x, maker.scalar(any([1e-38, 1e-20, 1e-12, 255, 1e12, 1e30])))
        default:
            guard shape(x).count >= 3 else { return maker.unary(.linear(alpha: number(-2, 2), beta: number(-1, 1)), x) }
            let variance = maker.constant([channels], (0..<channels).map { _ in number(0, 1) * any([1, 1e-3, 1e-8]) })
            return maker.step(
                .batchNorm(epsilon: any([1e-5, 1e-3, 1e-12])),
                [x, maker.weights([channels]), variance, maker.weights([channels]), maker.weights([channels])], shape(x)
            )
        }
    }

    private mutating func pair(_ x: Int) -> Int {
        let twins = tensors.filter { shape($0) == shape(x) }
        let functions: [GraphBinary] = [.add, .add, .multiply, .maximum, .minimum, .subtract, .divide]
        return maker.binary(any(functions), x, any(twins))
    }

    private mutating func product(_ x: Int) -> Int {
        let size = shape(x)
        switch size.count {
        case 4:
            let kernel = min(any([1, 1, 3]), size[2] + 2, size[3] + 2)
            let isDepthwise = chance(4)
            return maker.convolution(
                x, isDepthwise ? size[1] : any([2, 16, 20]), kernel: kernel, stride: 1 + below(2), pad: kernel / 2,
                groups: isDepthwise ? size[1] : 1, bias: chance(2))
        case 2, 3:
            let outputs = any([3, 16, 18])
            guard chance(2) else {
                return maker.step(
                    .linear,
                    [x, maker.weights([outputs, size[size.count - 1]]), chance(2) ? maker.weights([outputs]) : nil],
                    size.dropLast() + [outputs])
            }
            return maker.step(
                .matmul(transposeX: false, transposeY: false), [x, maker.weights([size[size.count - 1], outputs])],
                size.dropLast() + [outputs])
        default: return maker.unary(.relu, x)
        }
    }

    private mutating func pooled(_ x: Int) -> Int {
        let size = shape(x)
        guard size.count == 4, size[2] > 1, size[3] > 1 else { return maker.unary(.relu, x) }
        let pool = GraphPooling(
            kind: any([.max, .average, .l2]), kernel: [2, 2], strides: [1, 1], before: [0, 0], after: [0, 0],
            countsPadding: chance(2))
        return maker.step(.pool(pool), [x], [size[0], size[1], size[2] - 1, size[3] - 1])
    }

    private mutating func joined(_ x: Int) -> Int {
        let size = shape(x)
        guard size.count > 1 else { return maker.unary(.abs, x) }
        if chance(2), size[1] > 1 {
            let first = 1 + below(size[1] - 1)
            let parts = maker.steps(
                .split(axis: 1), [x], [first, size[1] - first].map { [size[0], $0] + size.dropFirst(2) })
            tensors.append(parts[0])
            return parts[1]
        }
        let others = tensors.filter { shape($0) == size }
        let parts = [x, any(others)]
        return maker.step(
            .concat(axis: 1, interleaved: chance(3)), parts, [size[0], 2 * size[1]] + size.dropFirst(2))
    }

    private mutating func moved(_ x: Int) -> Int {
        let size = shape(x)
        let last = size.count - 1
        switch below(4) {
        case 0:
            var order = Array(size.indices)
            order.swapAt(below(size.count), below(size.count))
            return maker.step(.transpose(permutation: order), [x], order.map { size[$0] })
        case 1:
            let count = size.reduce(1, *)
            return maker.step(.reshape, [x], any([[1, count], [count, 1], [1, count, 1, 1]]))
        case 2 where size[last] > 1:
            let begin = below(size[last])
            return maker.step(
                .slice(begin: size.indices.map { $0 == last ? begin : 0 }, step: size.map { _ in 1 }), [x],
                size.dropLast() + [size[last] - begin])
        default:
            let before = size.indices.map { $0 == last ? 1 : 0 }
            let mode: GraphPadMode =
                size[last] > 1 ? any([.constant(0), .constant(0.5), .reflect, .replicate]) : .constant(0)
            return maker.step(.pad(before: before, after: before, mode), [x], size.dropLast() + [size[last] + 2])
        }
    }

    private mutating func reduced(_ x: Int) -> Int {
        let size = shape(x)
        let axes = size.count == 4 && chance(2) ? [2, 3] : [size.count - 1]
        return maker.step(
            .reduce(any([.mean, .mean, .sum, .max, .min, .sumOfSquares, .l2Norm]), axes: axes), [x],
            size.indices.map { axes.contains($0) ? 1 : size[$0] })
    }

    /// Softmax, and layer normalisation as one step or spelled out.
    private mutating func normalized(_ x: Int) -> Int {
        let size = shape(x)
        let axis = size.count - 1
        if chance(3) { return maker.step(.softmax(axis: axis), [x], size) }
        let small: Float = any([1e-12, 1e-6, 1e-5, 1e-3])
        if chance(3) {
            return maker.step(
                .layerNorm(axes: [axis], epsilon: small),
                [x, maker.weights([size[axis]]), maker.weights([size[axis]])], size)
        }
        let narrow = size.dropLast() + [1]
        let mean = maker.step(.reduce(.mean, axes: [axis]), [x], Array(narrow))
        let centred = maker.binary(.subtract, x, mean)
        let squares = chance(2) ? maker.unary(.square, centred) : maker.binary(.multiply, centred, centred)
        let variance = maker.step(.reduce(.mean, axes: [axis]), [perhaps(squares)], Array(narrow))
        let sum = maker.binary(.add, perhaps(variance), maker.scalar(small))
        let normal =
            chance(2)
            ? maker.binary(.multiply, centred, maker.unary(.rsqrt(epsilon: chance(2) ? 0 : epsilon()), sum))
            : maker.binary(.divide, centred, maker.unary(.sqrt, sum))
        let scaled = maker.binary(.multiply, normal, maker.weights([size[axis]]))
        return maker.binary(.add, scaled, maker.weights([size[axis]]))
    }

    private mutating func attention(_ x: Int) -> Int {
        let size = shape(x)
        guard size.count == 3 else { return maker.unary(.silu, x) }
        let (rows, width) = (size[1], size[2])
        let queries = maker.step(.linear, [x, maker.weights([width, width]), nil], size)
        let turned = maker.step(.transpose(permutation: [0, 2, 1]), [x], [size[0], width, rows])
        var scores = maker.step(
            .matmul(transposeX: false, transposeY: false), [queries, turned], [size[0], rows, rows])
        if chance(2) { scores = maker.binary(.multiply, scores, maker.scalar(number(0.1, 1))) }
        if chance(3) { scores = perhaps(scores) }
        if chance(2) { scores = maker.binary(.add, scores, maker.weights([1, rows, rows])) }
        let weights = maker.step(.softmax(axis: 2), [scores], [size[0], rows, rows])
        return maker.step(.matmul(transposeX: false, transposeY: false), [weights, x], size)
    }
}
