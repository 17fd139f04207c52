import Foundation
import HearthCoreML

/// A tensor of ranges.
struct RangeTensor {
    var shape: [Int]
    var elements: [FloatRange]
}

/// Computes a graph step by step, as it is written, on ranges: what any order of the same arithmetic in float32 may give.
/// Written apart from `ReferenceExecutor`, whose results have to lie inside too.
struct RangeExecutor {
    struct NotCovered: Error { var operation: GraphOperation }

    static func run(_ graph: CoreMLGraph, _ inputs: [CoreMLTensor]) throws -> [RangeTensor] {
        var tensors: [Int: RangeTensor] = [:]
        func known(_ id: Int) throws -> RangeTensor {
            if let tensor = tensors[id] { return tensor }
            let values = try graph.constants[id]?.floats() ?? []
            return RangeTensor(shape: graph.tensors[id].shape, elements: values.map { FloatRange(Double($0)) })
        }
        for (id, input) in zip(graph.inputs, inputs) {
            tensors[id] = RangeTensor(shape: input.shape, elements: input.values.map { FloatRange(Double($0)) })
        }
        for step in graph.steps {
            let operands = try step.inputs.map { try $0.map(known) }
            let isSquare = step.inputs.count == 2 && step.inputs[0] == step.inputs[1]
            let results = try run(
                step.operation, operands, step.outputs.map { graph.tensors[$0].shape }, isSquare: isSquare)
            for (id, result) in zip(step.outputs, results) { tensors[id] = result }
        }
        return try graph.outputs.map(known)
    }

    private static func run(
        _ operation: GraphOperation, _ operands: [RangeTensor?], _ shapes: [[Int]], isSquare: Bool
    ) throws -> [RangeTensor] {
        guard let x = operands[0] else { throw NotCovered(operation: operation) }
        func operand(_ place: Int) -> RangeTensor? { place < operands.count ? operands[place] : nil }
        switch operation {
        case .unary(let function):
            return [RangeTensor(shape: x.shape, elements: x.elements.map { unary(function, $0) })]
        case .binary(let function):
            guard let y = operand(1) else { break }
            if isSquare, function == .multiply {
                return [RangeTensor(shape: x.shape, elements: x.elements.map { unary(.square, $0) })]
            }
            let (a, b) = (broadcast(x, shapes[0]), broadcast(y, shapes[0]))
            let elements = try zip(a, b).map { try binary(function, $0, $1, operation) }
            return [RangeTensor(shape: shapes[0], elements: elements)]
        case .reshape, .transpose, .concat, .slice, .split, .pad, .tile:
            return try moved(operation, operands.compactMap(\.self), shapes)
        case .reduce(let kind, let axes):
            let elements = try rows(x, axes).map { try reduced(kind, $0, operation) }
            return [RangeTensor(shape: shapes[0], elements: elements)]
        case .softmax(let axis): return [each(x, [axis], softmax)]
        case .layerNorm(let axes, let epsilon):
            let (gamma, beta) = (operand(1)?.elements, operand(2)?.elements)
            return [
                each(x, axes) { row in
                    normalized(row, epsilon).enumerated().map { place, value in
                        let scaled = gamma.map { value * $0[place] } ?? value
                        return beta.map { scaled + $0[place] } ?? scaled
                    }
                }
            ]
        case .batchNorm(let epsilon):
            return [RangeTensor(shape: x.shape, elements: batchNorm(x, operands, epsilon))]
        case .convolution(let geometry):
            guard let weight = operand(1) else { break }
            return [convolved(x, weight, operand(2), geometry, shapes[0])]
        case .linear:
            guard let weight = operand(1) else { break }
            let (depth, filters) = (weight.shape[1], weight.shape[0])
            let elements = (0..<x.elements.count / depth).flatMap { row in
                (0..<filters).map { filter in
                    dot(
                        (0..<depth).map { (x.elements[row * depth + $0], weight.elements[filter * depth + $0]) },
                        operand(2)?.elements[filter])
                }
            }
            return [RangeTensor(shape: shapes[0], elements: elements)]
        case .matmul(let transposeX, let transposeY):
            guard let y = operand(1) else { break }
            return [multiplied(x, y, transposeX, transposeY, shapes[0])]
        case .pool(let geometry): return [pooled(x, geometry, shapes[0])]
        default: break
        }
        throw NotCovered(operation: operation)
    }

    // MARK: - Element by element

    private static func unary(_ function: GraphFunction, _ x: FloatRange) -> FloatRange {
        let compute = ReferenceExecutor.function(function)
        switch function {
        case .relu, .relu6, .clip, .abs, .floor, .ceil, .round, .sign, .negate, .thresholdedRelu, .not:
            return x.mapped(isRounded: false, compute)
        case .square: return x.mapped(isRounded: false, compute).rounded()
        case .log(let epsilon): return (x + FloatRange(Double(epsilon))).mapped(isRounded: true) { Foundation.log($0) }
        case .rsqrt(let epsilon):
            return (x + FloatRange(Double(epsilon))).mapped(isRounded: true) { 1 / $0.squareRoot() }
        case .inverse(let epsilon): return FloatRange(1) / (x + FloatRange(Double(epsilon)))
        case .linear(let alpha, let beta): return x * FloatRange(Double(alpha)) + FloatRange(Double(beta))
        case .sin: return periodic(x, compute, peak: .pi / 2)
        case .cos: return periodic(x, compute, peak: 0)
        case .tan: return isPole(x) ? .open : x.mapped(isRounded: true, compute)
        case .hardSigmoid(let alpha, let beta):
            return unary(.clip(low: 0, high: 1), x * FloatRange(Double(alpha)) + FloatRange(Double(beta)))
        case .hardSwish: return x * unary(.hardSigmoid(alpha: 1 / 6, beta: 0.5), x)
        default:
            let y = x.mapped(isRounded: true, compute)
            // Those that fall before they rise: what is least lies inside a range that is wide enough.
            guard let least = Self.least(function), !y.isOpen, y.value.isFinite, x.low < least, x.high > least else {
                return y
            }
            return FloatRange(y.value, min(y.low, compute(least)), y.high)
        }
    }

    /// Where a function has its least value.
    private static func least(_ function: GraphFunction) -> Double? {
        switch function {
        case .silu: -1.2784645427610738
        case .gelu: -0.7517915241946957
        case .geluTanh: -0.7524614220710162
        case .geluSigmoid: -1.2784645427610738 / 1.702
        default: nil
        }
    }

    /// A sine: between the ends of the range it may reach its peaks.
    private static func periodic(_ x: FloatRange, _ compute: (Double) -> Double, peak: Double) -> FloatRange {
        let y = x.mapped(isRounded: true, compute)
        guard !y.isOpen, y.value.isFinite else { return y }
        let width = FloatRange.unit * abs(x.value)
        func reaches(_ peak: Double) -> Bool {
            ((x.high + width - peak) / (2 * .pi)).rounded(.down) >= ((x.low - width - peak) / (2 * .pi)).rounded(.up)
        }
        return FloatRange(y.value, reaches(peak + .pi) ? -1 : y.low, reaches(peak) ? 1 : y.high)
    }

    private static func isPole(_ x: FloatRange) -> Bool {
        let width = FloatRange.unit * abs(x.value)
        return ((x.high + width) / .pi - 0.5).rounded(.down) >= ((x.low - width) / .pi - 0.5).rounded(.up)
    }

    private static func binary(
        _ function: GraphBinary, _ a: FloatRange, _ b: FloatRange, _ operation: GraphOperation
    ) throws -> FloatRange {
        switch function {
        case .add: return a + b
        case .subtract: return a - b
        case .multiply: return a * b
        case .divide: return a / b
        case .maximum: return .greater(a, b)
        case .minimum: return .lesser(a, b)
        case .power: return .power(a, b, ReferenceExecutor.function(.power))
        default: throw NotCovered(operation: operation)
        }
    }

    private static func broadcast(_ x: RangeTensor, _ shape: [Int]) -> [FloatRange] {
        let strides = GraphShape.strides(x.shape, broadcastTo: shape)
        let own = GraphShape.strides(shape)
        return (0..<shape.reduce(1, *)).map { index in
            x.elements[shape.indices.reduce(0) { $0 + index / own[$1] % shape[$1] * strides[$1] }]
        }
    }

    // MARK: - Elements that move

    /// Where each element comes from says the plain movement of their numbers.
    private static func moved(
        _ operation: GraphOperation, _ operands: [RangeTensor], _ shapes: [[Int]]
    ) throws -> [RangeTensor] {
        var all: [FloatRange] = []
        let places = operands.map { operand in
            defer { all += operand.elements }
            return CoreMLTensor(
                shape: operand.shape, values: operand.elements.indices.map { Float(all.count + $0) })
        }
        var operation = operation
        if case .pad(let before, let after, .constant(let value)) = operation {
            operation = .pad(before: before, after: after, .constant(Float(all.count)))
            all.append(FloatRange(Double(value)))
        }
        return try ReferenceExecutor.stoppedByTask.run(operation, places, shapes: shapes).map { result in
            RangeTensor(shape: result.shape, elements: result.values.map { all[Int($0)] })
        }
    }

    // MARK: - Rows

    /// The places of the elements of each row along some axes, rows in order.
    private static func places(_ shape: [Int], _ axes: [Int]) -> [[Int]] {
        let strides = GraphShape.strides(shape)
        func all(_ axes: [Int]) -> [Int] {
            axes.reduce([0]) { starts, axis in
                starts.flatMap { start in (0..<shape[axis]).map { start + $0 * strides[axis] } }
            }
        }
        let inner = all(axes)
        return all(shape.indices.filter { !axes.contains($0) }).map { start in inner.map { start + $0 } }
    }

    private static func rows(_ x: RangeTensor, _ axes: [Int]) -> [[FloatRange]] {
        places(x.shape, axes).map { $0.map { x.elements[$0] } }
    }

    private static func each(
        _ x: RangeTensor, _ axes: [Int], _ compute: ([FloatRange]) -> [FloatRange]
    ) -> RangeTensor {
        var result = x
        for row in places(x.shape, axes) {
            for (place, value) in zip(row, compute(row.map { x.elements[$0] })) { result.elements[place] = value }
        }
        return result
    }

    /// A sum of products in any order: off by so many units of the sum of their magnitudes.
    static func dot(_ products: [(FloatRange, FloatRange)], _ bias: FloatRange? = nil) -> FloatRange {
        var sum = FloatRange(0)
        var (value, low, high, magnitude) = (0.0, 0.0, 0.0, 0.0)
        for (a, b) in products {
            if a.isOpen || b.isOpen { sum = sum.value.isNaN ? sum : .open }
            if a.value.isNaN || b.value.isNaN, !a.isOpen, !b.isOpen { sum = .notANumber }
            if a.isCertainlyNone || b.isCertainlyNone { sum = sum.value.isNaN ? sum : .open }
            guard !sum.isOpen, sum.value.isFinite else { continue }
            let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
            value += a.value * b.value
            low += corners.min() ?? 0
            high += corners.max() ?? 0
            magnitude += corners.map(abs).max() ?? 0
            // Weights below the normal numbers have few digits.
            magnitude += abs(a.value) * 0x1p-96
        }
        if sum.isOpen || !sum.value.isFinite { return sum }
        let total = FloatRange(value, low, high).rounded(magnitude * Double(products.count + 2) / 2)
        return bias.map { total + $0 } ?? total
    }

    private static func sum(_ row: [FloatRange]) -> FloatRange { dot(row.map { ($0, FloatRange(1)) }) }

    private static func reduced(
        _ kind: GraphReduction, _ row: [FloatRange], _ operation: GraphOperation
    ) throws -> FloatRange {
        let count = FloatRange(Double(row.count))
        switch kind {
        case .sum: return sum(row)
        case .mean: return sum(row) / count
        case .max: return row.dropFirst().reduce(row[0], FloatRange.greater)
        case .min: return row.dropFirst().reduce(row[0], FloatRange.lesser)
        case .sumOfSquares: return sum(row.map { unary(.square, $0) }).atLeastZero
        case .l2Norm: return unary(.sqrt, sum(row.map { unary(.square, $0) }).atLeastZero)
        case .product: return row.dropFirst().reduce(row[0], *)
        default: throw NotCovered(operation: operation)
        }
    }

    private static func softmax(_ row: [FloatRange]) -> [FloatRange] {
        if row.contains(where: { $0.value.isNaN && !$0.isOpen }) { return row.map { _ in .notANumber } }
        if row.contains(where: { $0.isOpen || !$0.value.isFinite }) { return row.map { _ in .open } }
        let largest = row.map(\.value).max() ?? 0
        let powers = row.map { exp($0.value - largest) }
        let total = powers.reduce(0, +)
        let widest = row.map { max($0.high - $0.value, $0.value - $0.low) + FloatRange.unit * abs($0.value) }.max() ?? 0
        let relative = expm1(2 * (widest + FloatRange.unit * abs(largest))) + Double(row.count + 8) * FloatRange.unit
        // Powers of far smaller values are off by their exponent's digits.
        return zip(row, powers).map { x, power in
            let y = power / total
            let width = y * (relative + FloatRange.unit * abs(x.value - largest))
            return FloatRange(y, max(y - width, 0), min(y + width, 1)).rounded()
        }
    }

    private static func normalized(_ row: [FloatRange], _ epsilon: Float) -> [FloatRange] {
        let count = FloatRange(Double(row.count))
        let mean = sum(row) / count
        let centred = row.map { $0 - mean }
        let variance = sum(centred.map { unary(.square, $0) }).atLeastZero / count
        let root = (variance + FloatRange(Double(epsilon))).mapped(isRounded: true) { 1 / $0.squareRoot() }
        return centred.map { $0 * root }
    }

    private static func batchNorm(_ x: RangeTensor, _ operands: [RangeTensor?], _ epsilon: Float) -> [FloatRange] {
        func number(_ place: Int, _ channel: Int) -> FloatRange? {
            place < operands.count ? operands[place]?.elements[channel] : nil
        }
        let plane = x.shape.dropFirst(2).reduce(1, *)
        return x.elements.enumerated().map { index, value in
            let channel = index / plane % x.shape[1]
            guard let mean = number(1, channel), let variance = number(2, channel) else { return .open }
            let root = (variance + FloatRange(Double(epsilon))).mapped(isRounded: true) { $0.squareRoot() }
            let scale = (number(3, channel) ?? FloatRange(1)) / root
            let shift = (number(4, channel) ?? FloatRange(0)) - mean * scale
            return value * scale + shift
        }
    }

    // MARK: - Windows and products

    private static func convolved(
        _ x: RangeTensor, _ weight: RangeTensor, _ bias: RangeTensor?, _ geometry: GraphConvolution, _ shape: [Int]
    ) -> RangeTensor {
        let (channels, filters) = (x.shape[1] / geometry.groups, shape[1] / geometry.groups)
        let (height, width) = (x.shape[2], x.shape[3])
        let (rows, columns) = (geometry.kernel[0], geometry.kernel[1])
        var elements: [FloatRange] = []
        for picture in 0..<shape[0] {
            for filter in 0..<shape[1] {
                for place in 0..<shape[2] * shape[3] {
                    var products: [(FloatRange, FloatRange)] = []
                    for channel in 0..<channels {
                        let plane = (picture * x.shape[1] + filter / filters * channels + channel) * height * width
                        for tap in 0..<rows * columns {
                            let row =
                                place / shape[3] * geometry.strides[0] - geometry.before[0] + tap / columns
                                * geometry.dilations[0]
                            let column =
                                place % shape[3] * geometry.strides[1] - geometry.before[1] + tap % columns
                                * geometry.dilations[1]
                            guard (0..<height).contains(row), (0..<width).contains(column) else { continue }
                            products.append(
                                (
                                    x.elements[plane + row * width + column],
                                    weight.elements[(filter * channels + channel) * rows * columns + tap]
                                ))
                        }
                    }
                    elements.append(dot(products, bias?.elements[filter]))
                }
            }
        }
        return RangeTensor(shape: shape, elements: elements)
    }

    private static func multiplied(
        _ x: RangeTensor, _ y: RangeTensor, _ transposeX: Bool, _ transposeY: Bool, _ shape: [Int]
    ) -> RangeTensor {
        let (rows, columns) = (shape[shape.count - 2], shape[shape.count - 1])
        let depth = x.shape[x.shape.count - (transposeX ? 2 : 1)]
        let isShared = y.elements.count == depth * columns
        var elements: [FloatRange] = []
        for batch in 0..<shape.dropLast(2).reduce(1, *) {
            let (left, right) = (batch * rows * depth, isShared ? 0 : batch * depth * columns)
            for row in 0..<rows {
                for column in 0..<columns {
                    elements.append(
                        dot(
                            (0..<depth).map { k in
                                (
                                    x.elements[left + (transposeX ? k * rows + row : row * depth + k)],
                                    y.elements[right + (transposeY ? column * depth + k : k * columns + column)]
                                )
                            }))
                }
            }
        }
        return RangeTensor(shape: shape, elements: elements)
    }

    private static func pooled(_ x: RangeTensor, _ geometry: GraphPooling, _ shape: [Int]) -> RangeTensor {
        let (height, width) = (x.shape[2], x.shape[3])
        var elements: [FloatRange] = []
        for plane in 0..<shape[0] * shape[1] {
            for place in 0..<shape[2] * shape[3] {
                var window: [FloatRange] = []
                for tap in 0..<geometry.kernel[0] * geometry.kernel[1] {
                    let row = place / shape[3] * geometry.strides[0] - geometry.before[0] + tap / geometry.kernel[1]
                    let column = place % shape[3] * geometry.strides[1] - geometry.before[1] + tap % geometry.kernel[1]
                    guard (0..<height).contains(row), (0..<width).contains(column) else { continue }
                    window.append(x.elements[plane * height * width + row * width + column])
                }
                // Padding is inside the pictures that are tried, so that it counts whole or not at all.
                let count = geometry.countsPadding ? geometry.kernel.reduce(1, *) : window.count
                switch geometry.kind {
                case .max: elements.append(window.dropFirst().reduce(window[0], FloatRange.greater))
                case .average: elements.append(sum(window) / FloatRange(Double(count)))
                case .l2: elements.append(unary(.sqrt, sum(window.map { unary(.square, $0) }).atLeastZero))
                }
            }
        }
        return RangeTensor(shape: shape, elements: elements)
    }
}

extension FloatRange {
    /// A sum of what is not negative.
    fileprivate var atLeastZero: FloatRange {
        guard !isOpen, value.isFinite else { return self }
        return FloatRange(value, max(low, 0), max(high, 0))
    }
}
