internal import Foundation

/// Measures loudness according to ITU-R BS.1770-5, for one channel.
///
/// Two filters apply the K-weighting of frequencies. The power of overlapping blocks of 400 ms is then averaged, except for
/// blocks that are silent or more than 10 LU below the others, so that pauses do not count.
package enum Loudness {
    /// The loudness of spoken stories in LUFS: quieter than music, close to audiobooks.
    package static let target = -20.0
    /// The maximum sample peak in dBFS.
    package static let peak = -1.0

    /// The loudness in LUFS; nil for silence.
    package static func of(_ audio: SpeechAudio) -> Double? {
        guard audio.sampleRate > 0, !audio.samples.isEmpty else { return nil }
        let rate = Double(audio.sampleRate)
        var shelf = Biquad.shelf(rate), highPass = Biquad.highPass(rate)
        let squares = audio.samples.map { sample in
            let weighted = highPass.filtered(shelf.filtered(Double(sample) / 32_768))
            return weighted * weighted
        }
        // Audio shorter than one block is measured as a single block.
        let block = min(Int(0.4 * rate), squares.count)
        let powers = stride(from: 0, through: squares.count - block, by: max(block / 4, 1)).map { start in
            squares[start..<start + block].reduce(0, +) / Double(block)
        }
        let heard = powers.filter { level($0) > -70 }
        guard !heard.isEmpty else { return nil }
        let threshold = level(mean(heard)) - 10
        return level(mean(heard.filter { level($0) > threshold }))
    }

    private static func level(_ power: Double) -> Double { -0.691 + 10 * log10(power) }
    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    /// A second-order filter; its coefficients are derived for any sample rate from the standard's analog prototypes.
    private struct Biquad {
        var b: (Double, Double, Double)
        var a: (Double, Double)
        private var state = (0.0, 0.0)

        private init(b: (Double, Double, Double), a: (Double, Double)) { (self.b, self.a) = (b, a) }

        /// The high-shelf filter for the acoustic effect of the head.
        static func shelf(_ rate: Double) -> Biquad {
            let (k, q) = (tan(.pi * 1681.974450955533 / rate), 0.7071752369554196)
            let high = pow(10, 3.999843853973347 / 20)
            let middle = pow(high, 0.4996667741545416)
            let scale = 1 + k / q + k * k
            return Biquad(
                b: (
                    (high + middle * k / q + k * k) / scale, 2 * (k * k - high) / scale,
                    (high - middle * k / q + k * k) / scale
                ), a: (2 * (k * k - 1) / scale, (1 - k / q + k * k) / scale))
        }

        /// The high-pass filter for the reduced audibility of low frequencies.
        static func highPass(_ rate: Double) -> Biquad {
            let (k, q) = (tan(.pi * 38.13547087602444 / rate), 0.5003270373238773)
            let scale = 1 + k / q + k * k
            return Biquad(b: (1, -2, 1), a: (2 * (k * k - 1) / scale, (1 - k / q + k * k) / scale))
        }

        mutating func filtered(_ x: Double) -> Double {
            let y = b.0 * x + state.0
            state = (b.1 * x - a.0 * y + state.1, b.2 * x - a.1 * y)
            return y
        }
    }
}

extension SpeechAudio {
    /// The same speech at the target loudness, or as close as its peaks permit; the dynamic range is not compressed.
    package var leveled: SpeechAudio {
        guard let loudness = Loudness.of(self), let top = samples.map(\.magnitude).max(), top > 0 else { return self }
        let headroom = Loudness.peak - 20 * log10(Double(top) / 32_768)
        let gain = pow(10, min(Loudness.target - loudness, headroom) / 20)
        var audio = self
        audio.samples = samples.map { SpeechAudio.sample(Float(Double($0) * gain / 32_767)) }
        return audio
    }
}
