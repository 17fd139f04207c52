internal import CHearthKernels

/// Resizes an image: for each new row, a weighted mean of rows and then of columns, in float32 with a single rounding at the end.
package struct ImageResampler: Sendable {
    private let columns: ResamplingAxis
    private let rows: ResamplingAxis
    private let channels: Int

    /// - Parameters:
    ///   - columns: resampling along a row.
    ///   - rows: resampling along a column.
    ///   - channels: bytes per pixel, 1 or 3.
    package init(columns: ResamplingAxis, rows: ResamplingAxis, channels: Int) {
        (self.columns, self.rows, self.channels) = (columns, rows, channels)
    }

    /// - Parameter bytes: the original image, `rows.count · columns.count · channels` bytes.
    /// - Returns: the new image, `rows.newCount · columns.newCount · channels` bytes.
    package func apply(to bytes: [UInt8]) -> [UInt8] {
        let stride = columns.count * channels
        let newStride = columns.newCount * channels
        precondition(bytes.count == rows.count * stride && (channels == 1 || channels == 3))
        // The kernel reads four floats at a time.
        var mixed = [Float](repeating: 0, count: stride + 4)
        var result = [UInt8](repeating: 0, count: rows.newCount * newStride)
        // Restrict the work to columns that are used.
        let begin = Int(columns.firsts.first ?? 0) * channels
        let end = zip(columns.firsts, zip(columns.starts, columns.starts.dropFirst())).reduce(0) {
            max($0, Int($1.0 + $1.1.1 - $1.1.0))
        }
        bytes.withUnsafeBufferPointer { source in
            result.withUnsafeMutableBufferPointer { target in
                mixed.withUnsafeMutableBufferPointer { mixed in
                    guard let source = source.baseAddress, let target = target.baseAddress,
                        let mixed = mixed.baseAddress
                    else { return }
                    for row in 0..<rows.newCount {
                        let (from, to) = (Int(rows.starts[row]), Int(rows.starts[row + 1]))
                        rows.weights.withUnsafeBufferPointer { weights in
                            hk_resample_rows(
                                source + Int(rows.firsts[row]) * stride + begin, stride,
                                weights.baseAddress.map { $0 + from },
                                to - from, end * channels - begin, mixed + begin)
                        }
                        hk_resample_columns(
                            mixed, channels, columns.firsts, columns.starts, columns.weights, columns.newCount,
                            target + row * newStride)
                    }
                }
            }
        }
        return result
    }
}
