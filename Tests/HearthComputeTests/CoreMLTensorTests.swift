import Foundation
import HearthCompute
import HearthTestSupport
import Testing

@Suite("Products, attention and elementwise operations", .timeLimit(.minutes(20)))
struct VisionTensorTests {
    static func packed(_ w: [Float], inner: Int, columns: Int, isTransposed: Bool, _ kernels: KernelSet) throws
        -> FloatWeights
    {
        var packed = [Float](repeating: .nan, count: MatrixProduct.packedCount(inner: inner, columns: columns))
        try w.withUnsafeBufferPointer { w in
            try packed.withUnsafeMutableBufferPointer {
                try MatrixProduct.pack(
                    w, inner: inner, columns: columns, isTransposed: isTransposed, kernels: kernels, into: $0)
            }
        }
        return try FloatWeights(packed)
    }

    @Test("A linear layer is the plain sum", arguments: VisionMachine.all)
    func linear(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(21)
        for (rows, inner, columns) in [(1, 1, 1), (1, 40, 100), (3, 17, 16), (15, 33, 47), (30, 20, 20)] {
            let x = random.floats(rows * inner)
            let w = random.floats(columns * inner)
            let bias = random.floats(columns)
            let residual = random.floats(rows * columns)
            let product = try MatrixProduct(
                rows: rows, inner: inner, columns: columns,
                bias: FloatWeights(bias + [Float](repeating: 0, count: 15)),
                epilogue: Epilogue(function: .geluTanh, residual: .afterFunction))
            let y = try FloatRegion(count: rows * columns)
            try compute.multiply(
                product, FloatRegion(x),
                weights: Self.packed(w, inner: inner, columns: columns, isTransposed: true, machine.kernels),
                residual: FloatRegion(residual), into: y)
            let want = (0..<rows * columns).map { index in
                let (row, column) = index.quotientAndRemainder(dividingBy: columns)
                let sum = (0..<inner).reduce(Double(bias[column])) {
                    $0 + Double(x[row * inner + $1]) * Double(w[column * inner + $1])
                }
                let gelu = 0.5 * sum * (1 + Foundation.tanh(0.7978845608028654 * (sum + 0.044715 * sum * sum * sum)))
                return gelu + Double(residual[index])
            }
            close(y.values, want, within: 1e-5, "\(rows) × \(inner) × \(columns)")
        }
    }

    @Test("Batches of matrices, transposed or not", arguments: VisionMachine.all)
    func batched(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(22)
        for (transposeX, transposeW) in [(false, false), (false, true), (true, false), (true, true)] {
            let (batch, rows, inner, columns) = (3, 19, 21, 35)
            let x = random.floats(batch * rows * inner)
            let w = random.floats(batch * inner * columns)
            let product = try MatrixProduct(
                rows: rows, inner: inner, columns: columns, inputStride: transposeX ? (1, rows) : nil, scale: 0.25)
            let batched = try BatchedProduct(batch: batch, product: product, isTransposed: transposeW)
            let y = try FloatRegion(count: batch * rows * columns)
            try compute.multiply(
                batched, FloatRegion(x), FloatRegion(w), scratch: FloatRegion(count: batched.scratchCount), into: y)
            let want = (0..<batch * rows * columns).map { index in
                let (matrix, rest) = index.quotientAndRemainder(dividingBy: rows * columns)
                let (row, column) = rest.quotientAndRemainder(dividingBy: columns)
                return (0..<inner).reduce(0.0) { sum, k in
                    let a = x[matrix * rows * inner + (transposeX ? k * rows + row : row * inner + k)]
                    let b = w[matrix * inner * columns + (transposeW ? column * inner + k : k * columns + column)]
                    return sum + 0.25 * Double(a) * Double(b)
                }
            }
            close(y.values, want, within: 1e-5, "transposed \(transposeX) \(transposeW)")
        }
    }

    @Test("Attention over interleaved heads, with a mask", arguments: VisionMachine.all)
    func attention(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(23)
        let (heads, queries, keys, width, valueWidth) = (3, 31, 50, 20, 24)
        var shape = try AttentionShape(
            heads: heads, queries: queries, keys: keys, width: width, valueWidth: valueWidth, scale: 0.3)
        shape.queryStride = .init(head: width, row: heads * width)
        shape.outputStride = .init(head: valueWidth, row: heads * valueWidth)
        let q = random.floats(heads * queries * width, within: 3)
        let k = random.floats(heads * keys * width, within: 3)
        let v = random.floats(heads * keys * valueWidth)
        let mask = (0..<queries * keys).map { (index: Int) -> Float in
            index % 7 == 0 ? -.infinity : Float(index % 5) * 0.1
        }
        let y = try FloatRegion(count: heads * queries * valueWidth)
        try compute.attend(
            shape, queries: FloatRegion(q), keys: FloatRegion(k), values: FloatRegion(v), mask: FloatRegion(mask),
            scratch: FloatRegion(count: shape.scratchCount), into: y)
        var want = [Double](repeating: 0, count: heads * queries * valueWidth)
        for head in 0..<heads {
            for query in 0..<queries {
                let weights = (0..<keys).map { key in
                    let score = (0..<width).reduce(0.0) {
                        $0 + Double(q[query * heads * width + head * width + $1])
                            * Double(k[(head * keys + key) * width + $1])
                    }
                    return exp(0.3 * score + Double(mask[query * keys + key]))
                }
                let total = weights.reduce(0, +)
                for column in 0..<valueWidth {
                    want[query * heads * valueWidth + head * valueWidth + column] =
                        zip(weights, 0..<keys).reduce(0.0) {
                            $0 + $1.0 * Double(v[(head * keys + $1.1) * valueWidth + column])
                        } / total
                }
            }
        }
        close(y.values, want, within: 5e-6, "attention")
    }

    /// The functions by the C library, in double precision.
    static func exact(_ function: ElementFunction, _ x: Double) -> Double {
        switch function {
        case .identity: x
        case .relu: max(0, x)
        case .clip(let low, let high): min(max(x, Double(low)), Double(high))
        case .leakyReLU(let slope): x >= 0 ? x : Double(slope) * x
        case .thresholded(let threshold): x >= Double(threshold) ? x : 0
        case .clampedReLU(let slope, let limit): min(Double(limit), x >= 0 ? x : Double(slope) * x)
        case .linear(let scale, let offset): Double(scale) * x + Double(offset)
        case .sigmoid: 1 / (1 + Foundation.exp(-x))
        case .hardSigmoid(let scale, let offset): min(max(Double(scale) * x + Double(offset), 0), 1)
        case .hardSwish(let scale, let offset): x * min(max(Double(scale) * x + Double(offset), 0), 1)
        case .silu: x / (1 + Foundation.exp(-x))
        case .gelu: 0.5 * x * erfc(-x / 2.0.squareRoot())
        case .geluTanh: 0.5 * x * (1 + Foundation.tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)))
        case .geluSigmoid: x / (1 + Foundation.exp(-1.702 * x))
        case .tanh: Foundation.tanh(x)
        case .scaledTanh(let scale, let slope): Double(scale) * Foundation.tanh(Double(slope) * x)
        case .elu(let scale): x >= 0 ? x : Double(scale) * expm1(x)
        case .softplus: log1p(Foundation.exp(x))
        case .softsign: x / (1 + Swift.abs(x))
        case .exp: Foundation.exp(x)
        case .log(let epsilon): Foundation.log(x + Double(epsilon))
        case .sqrt: x.squareRoot()
        case .inverseSqrt(let epsilon): 1 / (x + Double(epsilon)).squareRoot()
        case .inverse(let epsilon): 1 / (x + Double(epsilon))
        case .erf: Foundation.erf(x)
        case .abs: Swift.abs(x)
        case .square: x * x
        case .floor: x.rounded(.down)
        case .ceil: x.rounded(.up)
        case .round: x.rounded(.toNearestOrEven)
        case .sign: x == 0 ? 0 : x > 0 ? 1 : -1
        case .not: x == 0 ? 1 : 0
        case .truncate: x.rounded(.towardZero)
        case .truth: x == 0 ? 0 : 1
        }
    }

    static let functions: [ElementFunction] = [
        .identity, .relu, .clip(low: -1, high: 2), .leakyReLU(slope: 0.1), .thresholded(-3),
        .clampedReLU(slope: 0.25, limit: 3), .linear(scale: 2, offset: -1), .sigmoid,
        .hardSigmoid(scale: 0.2, offset: 0.5), .hardSwish(scale: 1 / 6, offset: 0.5), .silu, .gelu, .geluTanh,
        .geluSigmoid, .tanh, .scaledTanh(scale: 1.5, slope: 0.5), .elu(scale: 0.7), .softplus, .softsign, .exp,
        .log(epsilon: 1e-3), .sqrt, .inverseSqrt(epsilon: 0.5), .inverse(epsilon: 0.1), .erf, .abs, .square, .floor,
        .ceil, .round, .sign, .not, .truncate, .truth,
    ]

    @Test("Functions agree with Double over their whole range", arguments: VisionMachine.all)
    func functions(machine: VisionMachine) throws {
        let compute = try machine.compute()
        let x = (0...600).map { Float($0 - 300) * 0.05 } + [1e-8, -1e-8, 0, 40, -40, 1e4, -1e4]
        for function in Self.functions {
            let region = try FloatRegion(x)
            try compute.apply(function, region, count: x.count, into: region)
            var wrong = 0
            for (value, got) in zip(x, region.values) {
                let want = Self.exact(function, Double(value))
                if want > 3e38, got > 2e38 { continue }
                let isRight = isClose(got, want, relative: 4e-6, absolute: 3e-7)
                if !isRight { wrong += 1 }
                if !isRight, wrong == 1 { Issue.record("\(function)(\(value)) is \(got) instead of \(want)") }
            }
        }
    }

    @Test("Pairs are broadcast as NumPy does", arguments: VisionMachine.all)
    func pairs(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(24)
        let shapes: [([Int], [Int])] = [
            ([5], [5]), ([], [3]), ([2, 3, 4], [2, 3, 4]), ([2, 3, 17], [17]), ([4, 1, 5], [3, 1]),
            ([1, 6, 1, 1], [2, 6, 7, 5]),
            ([20_000], [1]), ([3, 50, 16], [3, 1, 16]),
        ]
        for (a, b) in shapes {
            for function in PairFunction.allCases {
                let operation = try PairOperation(function, then: .relu, broadcasting: a, with: b)
                let x = random.floats(a.reduce(1, *)).map { abs($0) + 0.1 }
                let y = random.floats(b.reduce(1, *)).map { $0 + 0.05 }
                let out = try FloatRegion(count: operation.count)
                try compute.combine(operation, FloatRegion(x), FloatRegion(y), into: out)
                let rank = max(a.count, b.count)
                let left = [Int](repeating: 1, count: rank - a.count) + a
                let right = [Int](repeating: 1, count: rank - b.count) + b
                let full = zip(left, right).map(max)
                #expect(operation.count == full.reduce(1, *))
                let want = (0..<full.reduce(1, *)).map { flat in
                    var (rest, i, j) = (flat, 0, 0)
                    var (iStep, jStep) = (1, 1)
                    for d in (0..<rank).reversed() {
                        let index = rest % full[d]
                        rest /= full[d]
                        i += left[d] == 1 ? 0 : index * iStep
                        j += right[d] == 1 ? 0 : index * jStep
                        iStep *= left[d]
                        jStep *= right[d]
                    }
                    return max(0, Self.exact(function, Double(x[i]), Double(y[j])))
                }
                var wrong = 0
                for (got, want) in zip(out.values, want) where !isClose(got, want, relative: 2e-6, absolute: 1e-6) {
                    wrong += 1
                }
                #expect(wrong == 0, "\(function) of \(a) and \(b)")
            }
        }
    }

    static func exact(_ function: PairFunction, _ x: Double, _ y: Double) -> Double {
        switch function {
        case .add: x + y
        case .subtract: x - y
        case .multiply: x * y
        case .divide: x / y
        case .maximum: max(x, y)
        case .minimum: min(x, y)
        case .power: pow(x, y)
        case .prelu: x >= 0 ? x : x * y
        case .equal: x == y ? 1 : 0
        case .notEqual: x != y ? 1 : 0
        case .less: x < y ? 1 : 0
        case .lessOrEqual: x <= y ? 1 : 0
        case .greater: x > y ? 1 : 0
        case .greaterOrEqual: x >= y ? 1 : 0
        case .and: x != 0 && y != 0 ? 1 : 0
        case .or: x != 0 || y != 0 ? 1 : 0
        }
    }

    @Test("Softmax, reductions and layer norms of rows and columns", arguments: VisionMachine.all)
    func rows(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(25)
        for (outer, count, stride) in [(1, 1, 1), (3, 50, 1), (40, 7, 1), (2, 19, 37), (1, 500, 1)] {
            let x = random.floats(outer * count * stride, within: 4)
            let region = try FloatRegion(x)
            let y = try FloatRegion(count: x.count)
            try compute.softmax(region, outer: outer, count: count, stride: stride, into: y)
            let softened = y.values
            func column(_ o: Int, _ s: Int) -> [Double] {
                (0..<count).map { Double(x[(o * count + $0) * stride + s]) }
            }
            let reduced = try Compute.Reduction.allCases.map { kind in
                let out = try FloatRegion(count: outer * stride)
                try compute.reduce(kind, region, outer: outer, count: count, stride: stride, into: out)
                return out.values
            }
            for o in 0..<outer {
                for s in 0..<stride {
                    let values = column(o, s)
                    let total = values.reduce(0) { $0 + exp($1) }
                    close(
                        (0..<count).map { softened[(o * count + $0) * stride + s] }, values.map { exp($0) / total },
                        within: 1e-6, "softmax")
                    let sum = values.reduce(0, +)
                    let want = [sum, sum / Double(count), values.max() ?? 0, values.min() ?? 0]
                    close(reduced.map { $0[o * stride + s] }, want, within: 2e-4, "reductions")
                }
            }
            let gain = random.floats(count)
            let shift = random.floats(count)
            try compute.normalizeLayers(
                region, rows: outer * stride, count: count, gain: FloatWeights(gain), shift: FloatWeights(shift),
                epsilon: 1e-3, into: region)
            let normed = region.values
            for row in 0..<outer * stride {
                let values = x[row * count..<(row + 1) * count].map(Double.init)
                let mean = values.reduce(0, +) / Double(count)
                let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
                let deviation = (variance + 1e-3).squareRoot()
                var want: [Double] = []
                for index in 0..<count {
                    let scaled: Double = (values[index] - mean) / deviation
                    want.append(scaled * Double(gain[index]) + Double(shift[index]))
                }
                close(Array(normed[row * count..<(row + 1) * count]), want, within: 2e-5, "layer norm")
            }
        }
    }

    @Test("Strided copies: transposes, slices backwards, tiles and joins", arguments: VisionMachine.all)
    func copies(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(26)
        let x = Plain([3, 20, 33], &random)
        let input = try FloatRegion(x.values)
        let y = try FloatRegion(count: 3 * 20 * 33)
        try compute.copy(
            StridedCopy(sizes: [33, 3, 20], inputStrides: [1, 660, 33], outputStrides: [60, 20, 1]), input, into: y)
        let transposed: [Float] = (0..<1980).map { (index: Int) -> Float in
            let (column, rest) = index.quotientAndRemainder(dividingBy: 60)
            return x[rest / 20, rest % 20, column]
        }
        #expect(y.values == transposed)
        // Every second column from the last one backwards.
        let z = try FloatRegion(count: 3 * 20 * 17)
        try compute.copy(
            StridedCopy(sizes: [60, 17], inputStrides: [33, -2], outputStrides: [17, 1], inputOffset: 32), input,
            into: z)
        let backwards: [Float] = (0..<1020).map { (index: Int) -> Float in
            let (row, column) = index.quotientAndRemainder(dividingBy: 17)
            return x.values[row * 33 + 32 - 2 * column]
        }
        #expect(z.values == backwards)
        // One row four times.
        try compute.copy(StridedCopy(sizes: [4, 33], inputStrides: [0, 1], outputStrides: [33, 1]), input, into: y)
        #expect(Array(y.values.prefix(132)) == Array((0..<4).map { _ in x.values.prefix(33) }.joined()))
        #expect(throws: ComputeError.self) {
            try StridedCopy(sizes: [2, 2], inputStrides: [-1, 1], outputStrides: [2, 1])
        }
        // More values than places, whose number overflows or would take for ever.
        for sizes in [[2, 1 << 42], [Int.max, 2], [1 << 40, 1 << 40, 1 << 40]] {
            let strides = sizes.map { _ in 0 }
            #expect(throws: ComputeError.self) {
                try StridedCopy(sizes: sizes, inputStrides: strides, outputStrides: strides)
            }
        }
        let tooFar = try StridedCopy(sizes: [61, 33], inputStrides: [33, 1], outputStrides: [33, 1])
        #expect(throws: ComputeError.self) { try compute.copy(tooFar, input, into: y) }
    }
}
