import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import Testing

/// Each rewrite leaves the outputs what they were, and does what it is for.
@Suite("graph passes", .timeLimit(.minutes(20)))
struct GraphPassTests {
    private func optimized(
        _ graph: CoreMLGraph, range: ClosedRange<Float> = -3...3, tolerance: Float = 2e-6,
        location: SourceLocation = #_sourceLocation
    ) throws -> CoreMLGraph {
        let result = try GraphOptimizer.optimized(graph)
        let samples = graph.sampleInputs(range: range)
        expectSame(
            try result.referenceOutputs(samples), try graph.referenceOutputs(samples), tolerance: tolerance,
            location: location)
        return result
    }

    @Test("steps that nobody needs go, and their constants with them")
    func deadSteps() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4, 3, 3])
        let kept = maker.unary(.relu, x)
        _ = maker.convolution(kept, 5)
        let result = try optimized(maker.finished(kept))
        #expect(result.operationNames == ["unary"])
        #expect(result.constants.isEmpty)
    }

    @Test("what depends on constants alone is computed once")
    func constants() throws {
        var maker = GraphMaker()
        let x = maker.input([2, 3])
        let sum = maker.binary(.add, maker.scalar(2), maker.scalar(0.5))
        let root = maker.unary(.sqrt, sum)
        let grid = maker.step(.tile, [maker.constant([1, 3], [1, 2, 3])], [2, 3])
        let result = try optimized(maker.finished(maker.binary(.multiply, maker.binary(.maximum, x, grid), root)))
        #expect(result.steps.count == 2)
    }

    @Test("the same step twice is one, in whatever order its operands stand")
    func common() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4])
        let c = maker.scalar(3)
        let first = maker.unary(.exp, maker.binary(.add, x, c))
        let second = maker.unary(.exp, maker.binary(.add, c, x))
        let result = try optimized(maker.finished(maker.binary(.divide, first, maker.binary(.add, second, second))))
        #expect(result.operationNames.filter { $0 == "unary" }.count == 1)
    }

    @Test("casts between floating-point types, empty pads and full slices hand on what they get")
    func identities() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 2, 4, 4])
        var y = maker.step(.cast(.float16), [x], [1, 2, 4, 4], type: .float16)
        y = maker.step(.pad(before: [0, 0, 0, 0], after: [0, 0, 0, 0], .constant(0)), [y], [1, 2, 4, 4])
        y = maker.step(.slice(begin: [0, 0, 0, 0], step: [1, 1, 1, 1]), [y], [1, 2, 4, 4])
        y = maker.binary(.multiply, y, maker.scalar(1))
        y = maker.step(.concat(axis: 1, interleaved: false), [y], [1, 2, 4, 4])
        let result = try optimized(maker.finished(y))
        #expect(result.steps.isEmpty)
        #expect(result.outputs == result.inputs)
    }

    @Test("a slice that turns an axis around is kept")
    func reversal() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 5])
        let result = try optimized(maker.finished(maker.step(.slice(begin: [0, 4], step: [1, -1]), [x], [1, 5])))
        #expect(result.steps.count == 1)
    }

    @Test("reshapes follow each other as one, transposes compose, cancel, or are reshapes")
    func shapes() throws {
        var maker = GraphMaker()
        let x = maker.input([2, 3, 4])
        var y = maker.step(.transpose(permutation: [2, 0, 1]), [x], [4, 2, 3])
        y = maker.step(.transpose(permutation: [1, 2, 0]), [y], [2, 3, 4])
        y = maker.step(.reshape, [y], [6, 4])
        y = maker.step(.reshape, [y], [1, 6, 4])
        y = maker.step(.transpose(permutation: [1, 0, 2]), [y], [6, 1, 4])
        let result = try optimized(maker.finished(y))
        #expect(result.operationNames == ["reshape"])
    }

    @Test("batch norm behind a convolution is in its weights, also with groups and without a bias")
    func batchNorm() throws {
        for (groups, bias) in [(1, true), (2, false), (8, true)] {
            var maker = GraphMaker(seed: UInt64(groups))
            let x = maker.input([1, 8, 5, 5])
            let y = maker.convolution(x, 8, groups: groups, bias: bias)
            let variance = maker.constant([8], (1...8).map { Float($0) / 3 })
            let z = maker.step(
                .batchNorm(epsilon: 1e-3),
                [y, maker.weights([8]), variance, maker.weights([8]), maker.weights([8])], [1, 8, 5, 5])
            let result = try optimized(maker.finished(z))
            #expect(result.operationNames == ["convolution"])
        }
    }

    @Test("scales, divisions and biases behind a product are in its weights")
    func scales() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 3, 6, 6])
        var y = maker.convolution(x, 4, stride: 2)
        y = maker.binary(.multiply, y, maker.constant([1, 4, 1, 1], [1, 2, -0.5, 3]))
        y = maker.binary(.divide, y, maker.scalar(4))
        y = maker.binary(.subtract, maker.constant([4, 1, 1], [1, 2, 3, 4]), y)
        y = maker.unary(.linear(alpha: 2, beta: -1), y)
        #expect(try optimized(maker.finished(y)).operationNames == ["convolution"])

        var rows = GraphMaker()
        let z = rows.input([2, 5, 6])
        let linear = rows.step(.linear, [z, rows.weights([7, 6]), nil], [2, 5, 7])
        let sum = rows.binary(.add, linear, rows.weights([7]))
        #expect(try optimized(rows.finished(sum)).operationNames == ["linear"])
    }

    @Test("a picture's scale goes into a convolution, and with a bias, which may make exact zeros, it stays in front")
    func preprocessing() throws {
        for (bias, pad, expected) in [
            (true, 1, ["batchNorm", "convolution"]), (true, 0, ["batchNorm", "convolution"]),
            (false, 1, ["convolution"]),
        ] {
            var maker = GraphMaker()
            let x = maker.input([1, 3, 6, 6])
            var y = maker.binary(.multiply, x, maker.scalar(1 / 127.5))
            if bias { y = maker.binary(.add, y, maker.constant([1, 3, 1, 1], [-1, -0.9, -0.8])) }
            let result = try optimized(maker.finished(maker.convolution(y, 4, pad: pad)), range: 0...255)
            #expect(result.operationNames == expected)
        }
    }

    @Test("a shift in front of padding is never moved behind it")
    func shiftAheadOfPadding() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4, 4, 4])
        let y = maker.binary(.add, x, maker.scalar(100))
        let result = try optimized(maker.finished(maker.convolution(y, 2)))
        #expect(result.steps.count == 2)
    }

    @Test("a scale that a second step uses too stays")
    func sharedScale() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4, 4, 4])
        let y = maker.convolution(x, 4)
        let z = maker.binary(.multiply, y, maker.scalar(3))
        let result = try optimized(maker.finished(z, y))
        #expect(result.steps.count == 2)
    }

    @Test("zeros put around a picture become the convolution's padding, other values do not")
    func padding() throws {
        for (value, count) in [(Float(0), 1), (1, 2)] {
            var maker = GraphMaker()
            let x = maker.input([1, 2, 5, 5])
            let y = maker.step(.pad(before: [0, 0, 0, 1], after: [0, 0, 1, 2], .constant(value)), [x], [1, 2, 6, 8])
            let result = try optimized(maker.finished(maker.convolution(y, 3)))
            #expect(result.steps.count == count)
        }
    }

    @Test("products: transposes of operands become flags, constant matrices linear layers")
    func matrices() throws {
        var maker = GraphMaker()
        let x = maker.input([2, 3, 4])
        let y = maker.input([2, 5, 4], "y")
        let turned = maker.step(.transpose(permutation: [0, 2, 1]), [y], [2, 4, 5])
        let product = maker.step(.matmul(transposeX: false, transposeY: false), [x, turned], [2, 3, 5])
        let last = maker.step(
            .matmul(transposeX: false, transposeY: false), [product, maker.weights([5, 6])], [2, 3, 6])
        let result = try optimized(maker.finished(last))
        #expect(result.operationNames == ["matmul", "linear"])
        #expect(result.steps[0].operation == .matmul(transposeX: false, transposeY: true))
    }

    @Test("attention that is spelled out, with and without scale and mask")
    func attention() throws {
        let masks: [[Int]?] = [nil, [1, 1, 5, 6], [1, 1, 1, 6], [1, 6]]
        for (hasScale, mask) in [false, true].flatMap({ scale in masks.map { (scale, $0) } }) {
            var maker = GraphMaker()
            let q = maker.input([1, 2, 5, 4], "q")
            let k = maker.input([1, 2, 6, 4], "k")
            let v = maker.input([1, 2, 6, 3], "v")
            var scores = maker.step(.matmul(transposeX: false, transposeY: true), [q, k], [1, 2, 5, 6])
            if hasScale { scores = maker.binary(.divide, scores, maker.scalar(2)) }
            if let mask { scores = maker.binary(.add, scores, maker.input(mask, "mask")) }
            let weights = maker.step(.softmax(axis: 3), [scores], [1, 2, 5, 6])
            let out = maker.step(.matmul(transposeX: false, transposeY: false), [weights, v], [1, 2, 5, 3])
            let result = try optimized(maker.finished(out), tolerance: 1e-5)
            let isRepeated = mask.map { $0.suffix(2) == [1, 6] } ?? false
            #expect(result.operationNames == (isRepeated ? ["tile", "attention"] : ["attention"]))
            #expect(result.steps.last?.operation == .attention(scale: hasScale ? 0.5 : 1))
        }
    }

    @Test("scores that somebody else sees too are computed as they are written")
    func sharedScores() throws {
        var maker = GraphMaker()
        let q = maker.input([2, 5, 4], "q")
        let scores = maker.step(.matmul(transposeX: false, transposeY: true), [q, q], [2, 5, 5])
        let weights = maker.step(.softmax(axis: 2), [scores], [2, 5, 5])
        let out = maker.step(.matmul(transposeX: false, transposeY: false), [weights, q], [2, 5, 4])
        #expect(try optimized(maker.finished(out, weights)).steps.count == 3)
        #expect(try optimized(maker.finished(out, scores)).steps.count == 3)
    }

    @Test("the logarithm of a softmax that nobody else sees, unless its ε is one that counts")
    func logSoftmax() throws {
        let stable = ["reduce", "binary", "unary", "reduce", "unary", "binary"]
        for (epsilon, isShared, expected) in [
            (Float(0), false, stable), (.leastNonzeroMagnitude, false, stable + ["unary"]),
            (1e-6, false, ["softmax", "unary"]), (0, true, ["softmax", "unary"]),
        ] {
            for axis in 0..<3 {
                var maker = GraphMaker()
                let shares = maker.step(.softmax(axis: axis), [maker.input([3, 5, 4])], [3, 5, 4])
                let logs = maker.unary(.log(epsilon: epsilon), shares)
                let result = try optimized(isShared ? maker.finished(logs, shares) : maker.finished(logs))
                #expect(result.operationNames == expected)
            }
        }
    }

    @Test("layer normalisation that is spelled out in three ways")
    func layerNorm() throws {
        for way in 0..<3 {
            var maker = GraphMaker()
            let x = maker.input([2, 3, 8])
            let mean = maker.step(.reduce(.mean, axes: [2]), [x], [2, 3, 1])
            let centred = maker.binary(.subtract, x, mean)
            let squares: Int =
                switch way {
                case 0: maker.unary(.square, centred)
                case 1: maker.binary(.multiply, centred, centred)
                default: maker.binary(.power, centred, maker.scalar(2))
                }
            let variance = maker.step(.reduce(.mean, axes: [2]), [squares], [2, 3, 1])
            let normal: Int
            if way == 0 {
                normal = maker.binary(.multiply, centred, maker.unary(.rsqrt(epsilon: 1e-5), variance))
            } else {
                let root = maker.unary(.sqrt, maker.binary(.add, variance, maker.scalar(1e-5)))
                normal = maker.binary(.divide, centred, root)
            }
            let scaled = maker.binary(.multiply, normal, maker.weights([8]))
            let result = try optimized(maker.finished(maker.binary(.add, scaled, maker.weights([8]))), tolerance: 1e-5)
            #expect(result.operationNames == ["layerNorm"])
            #expect(result.steps.first?.inputs.compactMap(\.self).count == 3)
        }
    }
}
