import HearthCompute
import Testing

@Suite("resampling images", .timeLimit(.minutes(20)))
struct ImageResamplerTests {
    /// The definition, pixel by pixel, in double precision: the mean of all old pixels, weighted by a triangle around the new
    /// pixel's centre, along one axis.
    private func weights(_ count: Int, _ begin: Double, _ size: Double, _ newCount: Int, _ index: Int) -> [Double] {
        let scale = size / Double(newCount)
        let center = begin + (Double(index) + 0.5) * scale
        let triangle = (0..<count).map { (pixel: Int) -> Double in
            let distance = abs(Double(pixel) + 0.5 - center)
            return max(0, 1 - distance / max(1, scale))
        }
        let sum = triangle.reduce(0, +)
        return triangle.map { $0 / sum }
    }

    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            // xorshift64* (Vigna 2016)
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return state &* 0x2545_F491_4F6C_DD1D
        }
    }

    @Test("weights are the triangle's, in runs inside the image, and add up to 1")
    func axis() {
        var random = Random(state: 11)
        for _ in 0..<300 {
            let count = Int.random(in: 1...60, using: &random)
            let begin = Double.random(in: 0..<Double(count) * 0.9, using: &random)
            let size = Double.random(in: 0.05...1, using: &random) * (Double(count) - begin)
            let newCount = Int.random(in: 1...50, using: &random)
            let axis = ResamplingAxis(count: count, from: begin, size: size, to: newCount)
            #expect(axis.newCount == newCount && axis.starts.count == newCount + 1)
            for index in 0..<newCount {
                let first = Int(axis.firsts[index])
                let run = axis.weights[Int(axis.starts[index])..<Int(axis.starts[index + 1])]
                #expect(!run.isEmpty && first >= 0 && first + run.count <= count)
                let sum: Float = run.reduce(0, +)
                #expect(abs(sum - 1) < 1e-5)
                var spread = [Double](repeating: 0, count: count)
                for (offset, weight) in run.enumerated() { spread[first + offset] = Double(weight) }
                let expected = weights(count, begin, size, newCount, index)
                #expect(zip(spread, expected).allSatisfy { abs($0 - $1) < 1e-6 })
            }
        }
    }

    @Test("images are those of the definition, rounded")
    func images() {
        var random = Random(state: 12)
        for _ in 0..<60 {
            let (width, height) = (Int.random(in: 1...70, using: &random), Int.random(in: 1...40, using: &random))
            let (newWidth, newHeight) = (Int.random(in: 1...30, using: &random), Int.random(in: 1...30, using: &random))
            let channels = Bool.random(using: &random) ? 1 : 3
            let x = Double.random(in: 0..<Double(width) / 2, using: &random)
            let wide = Double(width) / 2
            let bytes = (0..<width * height * channels).map { _ in UInt8.random(in: 0...255, using: &random) }
            let result = ImageResampler(
                columns: ResamplingAxis(count: width, from: x, size: wide, to: newWidth),
                rows: ResamplingAxis(count: height, from: 0, size: Double(height), to: newHeight), channels: channels
            ).apply(to: bytes)
            #expect(result.count == newWidth * newHeight * channels)
            for row in 0..<newHeight {
                let down = weights(height, 0, Double(height), newHeight, row)
                for column in 0..<newWidth {
                    let across = weights(width, x, wide, newWidth, column)
                    for channel in 0..<channels {
                        var sum = 0.0
                        for i in 0..<height where down[i] > 0 {
                            for j in 0..<width where across[j] > 0 {
                                sum += down[i] * across[j] * Double(bytes[(i * width + j) * channels + channel])
                            }
                        }
                        let found = Double(result[(row * newWidth + column) * channels + channel])
                        #expect(abs(found - sum) < 0.501)
                    }
                }
            }
        }
    }
}
