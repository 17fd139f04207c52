internal import CHearthKernels

/// Simple arithmetic on arrays with double-precision sums: the reference for testing the fast image kernels, and the fallback
/// where there is none. Inconsistent sizes stop the program; callers must check them.
package enum ReferenceArithmetic {
    /// Sliding windows over an input of three dimensions; with fewer, leading dimensions of size 1 are added.
    package struct Windows: Sendable {
        /// Number of channels that a window spans.
        package var channels: Int
        /// Sizes of a channel, of the grid of windows, and of a window.
        package var input: [Int], output: [Int], kernel: [Int]
        /// Step from one window to the next, and between the elements of a window.
        package var strides: [Int], dilations: [Int]
        /// Padding before the first element.
        package var before: [Int]

        /// Creates windows over one to three dimensions.
        package init(
            channels: Int, input: [Int], output: [Int], kernel: [Int], strides: [Int], dilations: [Int], before: [Int]
        ) {
            precondition((1...3).contains(input.count))
            func three(_ sizes: [Int], _ missing: Int) -> [Int] {
                precondition(sizes.count == input.count)
                return [Int](repeating: missing, count: 3 - sizes.count) + sizes
            }
            self.channels = channels
            self.input = three(input, 1)
            self.output = three(output, 1)
            self.kernel = three(kernel, 1)
            self.strides = three(strides, 1)
            self.dilations = three(dilations, 1)
            self.before = three(before, 0)
        }

        /// Number of elements of a window, over all channels.
        package var depth: Int { kernel.reduce(channels, *) }
        /// Number of windows.
        package var count: Int { output.reduce(1, *) }

        fileprivate var raw: hk_windows {
            func tuple(_ sizes: [Int]) -> (Int, Int, Int) { (sizes[0], sizes[1], sizes[2]) }
            return hk_windows(
                channels: channels, in: tuple(input), out: tuple(output), kernel: tuple(kernel), stride: tuple(strides),
                dilation: tuple(dilations), before: tuple(before))
        }
    }

    /// The windows in `range` as rows, channel by channel, from the channels that start at `offset` of `x`; `fill` is used
    /// outside the input.
    package static func rows(
        of windows: Windows, in x: [Float], offset: Int, fill: Float = 0, range: Range<Int>
    ) -> [Float] {
        precondition(offset >= 0 && offset + windows.input.reduce(windows.channels, *) <= x.count)
        precondition(range.lowerBound >= 0 && range.upperBound <= windows.count)
        var raw = windows.raw
        return [Float](unsafeUninitializedCapacity: range.count * windows.depth) { buffer, initialized in
            initialized = range.count * windows.depth
            x.withUnsafeBufferPointer { source in
                guard let source = source.baseAddress, let target = buffer.baseAddress else { return }
                hk_reference_windows(source + offset, &raw, fill, range.lowerBound, range.count, target)
            }
        }
    }

    /// A matrix stored in an array: rows of `depth` elements from `offset` on.
    package struct Rows {
        /// The elements.
        package var values: [Float]
        /// Start of the first row.
        package var offset: Int
        /// Number of rows.
        package var count: Int

        /// Creates a matrix from rows of an array.
        package init(_ values: [Float], offset: Int = 0, count: Int) {
            self.values = values
            self.offset = offset
            self.count = count
        }
    }

    /// y[offset + i · row + j · column] = bias[j] + Σ a[i] · b[j], for every row of a and of b.
    /// - Parameter bias: one value per row of `b`, from its offset on.
    package static func product(
        _ a: Rows, _ b: Rows, bias: Rows? = nil, depth: Int, into y: inout [Float], offset: Int = 0, row: Int,
        column: Int
    ) {
        precondition(a.offset >= 0 && a.offset + a.count * depth <= a.values.count)
        precondition(b.offset >= 0 && b.offset + b.count * depth <= b.values.count)
        precondition(bias.map { $0.offset + b.count <= $0.values.count } ?? true)
        guard a.count > 0, b.count > 0 else { return }
        precondition(offset >= 0 && offset + (a.count - 1) * row + (b.count - 1) * column < y.count)
        let summands = bias.map { Array($0.values[$0.offset..<$0.offset + b.count]) }
        y.withUnsafeMutableBufferPointer { y in
            a.values.withUnsafeBufferPointer { left in
                b.values.withUnsafeBufferPointer { right in
                    guard let y = y.baseAddress, let left = left.baseAddress, let right = right.baseAddress else {
                        return
                    }
                    hk_reference_product(
                        left + a.offset, right + b.offset, summands, a.count, b.count, depth, y + offset, row, column)
                }
            }
        }
    }
}
