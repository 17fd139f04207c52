/// A transposed convolution as convolutions of stride 1.
///
/// Results whose place has the same remainder when it is divided by the stride, a *phase*, are sums over the same taps
/// of the kernel, so each phase is a convolution of its own, with about kernel / stride taps along each axis. Where the
/// stride divides the kernel all phases have the same window, and are channels of one convolution: it reads the input once.
struct TransposedPhases {
    /// One phase along one axis.
    struct Line {
        /// The remainder: the first tap of the kernel.
        var first: Int
        var taps: Int
        var before: Int
        var after: Int
        /// Positions that the convolution computes.
        var count: Int
        /// Of them, the first one that is a result, and how many are.
        var start: Int
        var used: Int
        /// Where that first one goes.
        var place: Int
    }

    /// Rows, then columns.
    let lines: [[Line]]
    let strides: [Int]
    let kernel: [Int]
    let groups: Int
    /// Whether all phases are channels of one convolution.
    let isOne: Bool

    /// Nil where the geometry has more than two dimensions or dilation, or cuts off more than a window covers.
    init?(_ geometry: GraphConvolution, input: [Int], output: [Int]) {
        guard (1...2).contains(geometry.kernel.count), geometry.dilations.allSatisfy({ $0 == 1 }),
            input.count == geometry.kernel.count + 2, output.count == input.count,
            !input.contains(0), !output.contains(0)
        else { return nil }
        let isDivided = zip(geometry.kernel, geometry.strides).allSatisfy { $0 % $1 == 0 }
        var lines: [[Line]] = geometry.kernel.count == 1 ? [[Self.row]] : []
        for axis in geometry.kernel.indices {
            guard
                let line = Self.lines(
                    kernel: geometry.kernel[axis], stride: geometry.strides[axis], before: geometry.before[axis],
                    input: input[axis + 2], output: output[axis + 2], alike: isDivided)
            else { return nil }
            lines.append(line)
        }
        // More phases than a plan should have steps.
        guard lines[0].count * lines[1].count <= 64 else { return nil }
        self.lines = lines
        let missing = geometry.kernel.count == 1 ? [1] : []
        strides = missing + geometry.strides
        kernel = missing + geometry.kernel
        groups = geometry.groups
        isOne = isDivided && geometry.groups == 1
    }

    /// What stands for the rows of one dimension.
    private static let row = Line(first: 0, taps: 1, before: 0, after: 0, count: 1, start: 0, used: 1, place: 0)

    /// Result o is the sum over taps k of x[i], where o = i · stride + k − before; k = first + j · stride for j < taps.
    private static func lines(
        kernel: Int, stride: Int, before: Int, input: Int, output: Int, alike: Bool
    ) -> [Line]? {
        let most = (kernel + stride - 1) / stride
        // i + j of the first and of the last result.
        let (low, high) = (before / stride, (output - 1 + before) / stride)
        guard most - 1 >= low else { return nil }
        return (0..<stride).map { first in
            var taps = first < kernel ? (kernel - first + stride - 1) / stride : 0
            if alike || taps - 1 < low { taps = most }
            let padding = taps - 1 - low
            var count = high - low + 1
            var after = count + taps - 1 - input - padding
            if after < 0 {
                count -= after
                after = 0
            }
            // The first and the last result with this remainder.
            let start = first >= before - low * stride ? 0 : 1
            let place = (low + start) * stride + first - before
            let used = place < output ? (output - 1 - place) / stride + 1 : 0
            return Line(
                first: first, taps: taps, before: padding, after: after, count: count, start: start, used: used,
                place: place)
        }
    }

    /// Pairs of a phase of the rows and one of the columns.
    var pairs: [(row: Line, column: Line)] {
        lines[0].flatMap { row in lines[1].map { (row: row, column: $0) } }
    }

    /// The weights of a convolution, from those of the transposed one.
    struct Filters: Sendable, Equatable {
        /// First taps of each phase, as rows and columns.
        var firsts: [[Int]]
        /// Of each phase's window.
        var taps: [Int]
        var kernel: [Int]
        var strides: [Int]
        var groups: Int
        /// Channels of the input, channels of the result, channels of the result that each phase has room for.
        var inputs: Int
        var outputs: Int
        var room: Int

        /// - Parameter values: [inputs][outputs / groups][kernel rows][kernel columns].
        /// - Returns: [phases · room][inputs / groups][rows][columns] of the taps, the last one first.
        func weights(_ values: [Float]) -> [Float] {
            let (perGroup, inputsPerGroup) = (outputs / groups, inputs / groups)
            let (rows, columns) = (taps[0], taps[1])
            var result = [Float](repeating: 0, count: firsts.count * room * inputsPerGroup * rows * columns)
            for (phase, first) in firsts.enumerated() {
                for output in 0..<outputs {
                    for input in 0..<inputsPerGroup {
                        let source = (output / perGroup * inputsPerGroup + input) * perGroup + output % perGroup
                        let target = ((phase * room + output) * inputsPerGroup + input) * rows * columns
                        for row in 0..<rows {
                            let y = first[0] + (rows - 1 - row) * strides[0]
                            for column in 0..<columns {
                                let x = first[1] + (columns - 1 - column) * strides[1]
                                guard y < kernel[0], x < kernel[1] else { continue }
                                result[target + row * columns + column] =
                                    values[(source * kernel[0] + y) * kernel[1] + x]
                            }
                        }
                    }
                }
            }
            return result
        }
    }

    func filters(_ phases: [(row: Line, column: Line)], inputs: Int, outputs: Int, room: Int) -> Filters {
        Filters(
            firsts: phases.map { [$0.row.first, $0.column.first] }, taps: [phases[0].row.taps, phases[0].column.taps],
            kernel: kernel, strides: strides, groups: groups, inputs: inputs, outputs: outputs, room: room)
    }
}
