import HearthCoreML
import HearthGraphProof
import HearthTestSupport

/// Networks that nobody would design, in all shapes: what fuses, shares memory or changes layouts next to what does not.
struct RandomGraphs {
    private var maker: GraphMaker
    private var pictures: [Int] = []
    private var random: SeededNumbers

    static func graph(seed: UInt64) -> CoreMLGraph {
        var graphs = RandomGraphs(seed: seed)
        return graphs.make()
    }

    private init(seed: UInt64) {
        maker = GraphMaker(seed: seed)
        random = SeededNumbers(seed: seed ^ 0xABCD)
    }

    private func shape(_ id: Int) -> [Int] { maker.graph.tensors[id].shape }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func any(_ values: [Int]) -> Int { values[below(values.count)] }

    private mutating func make() -> CoreMLGraph {
        let batch = below(8) == 0 ? 2 : 1
        let channels = any([1, 3, 5, 16, 20, 32])
        pictures = [maker.input([batch, channels, any([1, 4, 7, 8]), any([1, 5, 8])])]
        for _ in 0..<(4 + below(12)) { pictures.append(next()) }
        var outputs = [pictures[pictures.count - 1]]
        if below(2) == 0 { outputs.append(pictures[below(pictures.count)]) }
        if below(3) == 0 { outputs.append(head(pictures[pictures.count - 1])) }
        maker.graph.outputs = outputs.reduce(into: []) { list, id in if !list.contains(id) { list.append(id) } }
        return maker.graph
    }

    private mutating func next() -> Int {
        // The latest ones most of the time, so that chains are made.
        let x = pictures[max(0, pictures.count - 1 - below(3) * below(3))]
        let shape = shape(x)
        switch below(16) {
        case 0...3: return convolution(x)
        case 4, 5: return activation(x)
        case 6: return sum(x)
        case 7: return joined(x)
        case 8: return cut(x)
        case 9: return pooled(x)
        case 10: return excited(x)
        case 11:
            return maker.step(
                .batchNorm(epsilon: 1e-3),
                [
                    x, maker.weights([shape[1]]), maker.constant([shape[1]], [Float](repeating: 0.7, count: shape[1])),
                    nil,
                    maker.weights([shape[1]]),
                ], shape)
        case 12: return maker.binary(.multiply, x, below(2) == 0 ? maker.scalar(0.5) : maker.weights([shape[1], 1, 1]))
        case 13: return moved(x)
        case 14: return maker.step(.softmax(axis: 1 + below(3)), [x], shape)
        default: return normalized(x)
        }
    }

    private mutating func convolution(_ x: Int) -> Int {
        let input = shape(x)
        var groups = 1
        var outputs = any([2, 4, 8, 16, 24, 32])
        switch below(4) {
        case 0:
            groups = input[1]
            outputs = input[1]
        case 1 where input[1] % 2 == 0: groups = 2
        case 2: outputs = any([1, outputs])
        default: break
        }
        let kernel = min(any([1, 1, 3, 5]), input[2] + 2, input[3] + 2)
        return maker.convolution(
            x, outputs, kernel: kernel, stride: 1 + below(2), pad: kernel / 2, groups: groups, bias: below(3) > 0)
    }

    private mutating func activation(_ x: Int) -> Int {
        let all: [GraphFunction] = [
            .relu, .relu6, .silu, .hardSwish, .sigmoid, .tanh, .gelu, .leakyRelu(alpha: 0.1), .clip(low: -1, high: 2),
            .sin,
            .linear(alpha: 0.5, beta: 1), .abs,
        ]
        return maker.unary(all[below(all.count)], x)
    }

    private mutating func sum(_ x: Int) -> Int {
        let twins = pictures.filter { shape($0) == shape(x) }
        let functions: [GraphBinary] = [.add, .add, .add, .multiply, .maximum, .subtract]
        return maker.binary(functions[below(functions.count)], x, twins[below(twins.count)])
    }

    private mutating func joined(_ x: Int) -> Int {
        let size = shape(x)
        let others = pictures.filter { shape($0)[0] == size[0] && shape($0).dropFirst(2) == size.dropFirst(2) }
        var parts = [x]
        for _ in 0..<(1 + below(2)) { parts.append(others[below(others.count)]) }
        let channels = parts.reduce(0) { $0 + shape($1)[1] }
        guard channels <= 96 else { return maker.unary(.relu, x) }
        let isInterleaved = below(2) == 0 && parts.allSatisfy { shape($0) == size }
        return maker.step(
            .concat(axis: 1, interleaved: isInterleaved), parts, [size[0], channels, size[2], size[3]])
    }

    private mutating func cut(_ x: Int) -> Int {
        let size = shape(x)
        guard size[1] >= 2 else { return maker.unary(.abs, x) }
        let first = size[1] > 16 && below(2) == 0 ? 16 : 1 + below(size[1] - 1)
        let parts = maker.steps(
            .split(axis: 1), [x], [first, size[1] - first].map { [size[0], $0, size[2], size[3]] })
        pictures.append(parts[0])
        return parts[1]
    }

    private mutating func pooled(_ x: Int) -> Int {
        let size = shape(x)
        guard size[2] > 1, size[3] > 1 else { return maker.unary(.square, x) }
        let pool = GraphPooling(
            kind: below(2) == 0 ? .max : .average, kernel: [2, 2], strides: [2, 2], before: [0, 0], after: [0, 0],
            countsPadding: below(2) == 0)
        return maker.step(.pool(pool), [x], [size[0], size[1], size[2] / 2, size[3] / 2])
    }

    private mutating func excited(_ x: Int) -> Int {
        let size = shape(x)
        let mean = maker.step(.reduce(.mean, axes: [2, 3]), [x], [size[0], size[1], 1, 1])
        let small = maker.unary(.relu, maker.convolution(mean, 8, kernel: 1, pad: 0))
        return maker.binary(.multiply, x, maker.unary(.sigmoid, maker.convolution(small, size[1], kernel: 1, pad: 0)))
    }

    private mutating func moved(_ x: Int) -> Int {
        let size = shape(x)
        let turned = maker.step(.transpose(permutation: [0, 1, 3, 2]), [x], [size[0], size[1], size[3], size[2]])
        guard below(2) == 0 else { return turned }
        return maker.step(.reshape, [turned], [size[0], size[2] * size[1], 1, size[3]])
    }

    private mutating func normalized(_ x: Int) -> Int {
        let size = shape(x)
        return maker.step(.layerNorm(axes: [3], epsilon: 1e-2), [x, maker.weights([size[3]]), nil], size)
    }

    /// Rows, a linear layer, attention over the positions.
    private mutating func head(_ x: Int) -> Int {
        let size = shape(x)
        let (rows, width) = (size[2] * size[3], size[1])
        let flat = maker.step(.reshape, [x], [size[0], width, rows])
        let turned = maker.step(.transpose(permutation: [0, 2, 1]), [flat], [size[0], rows, width])
        let queries = maker.step(
            .linear, [turned, maker.weights([8, width]), maker.weights([8])], [size[0], rows, 8])
        let scores = maker.step(
            .matmul(transposeX: false, transposeY: true), [queries, queries], [size[0], rows, rows])
        let weights = maker.step(
            .softmax(axis: 2), [maker.binary(.multiply, scores, maker.scalar(0.3))], [size[0], rows, rows])
        let mixed = maker.step(.matmul(transposeX: false, transposeY: false), [weights, queries], [size[0], rows, 8])
        return maker.binary(.add, mixed, maker.step(.reduce(.mean, axes: [1]), [queries], [size[0], 1, 8]))
    }
}
