internal import Foundation

/// How loud speech is, as broadcasters measure it: ITU-R BS.1770-5 for one channel.
///
/// Two filters weigh frequencies as ears do, then the power of overlapping blocks of 400 ms is averaged, without blocks that are
/// silent or more than 10 LU below the rest, so that pauses do not count.
package enum Loudness {
    /// Of stories that are read aloud, in LUFS: quiet beside music, and close to audio books.
    package static let target = -20.0
    /// Greatest sample, in decibels of full scale.
    package static let peak = -1.0

    /// In LUFS; nil for silence.
    package static func of(_ audio: SpeechAudio) -> Double? {
        guard audio.sampleRate > 0, !audio.samples.isEmpty else { return nil }
        let rate = Double(audio.sampleRate)
        var shelf = Biquad.shelf(rate), highPass = Biquad.highPass(rate)
        let squares = audio.samples.map { sample in
            let weighted = highPass.filtered(shelf.filtered(Double(sample) / 32_768))
            return weighted * weighted
        }
        // What is shorter than a block is one.
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

    /// A filter of second order; its coefficients are derived for any sample rate from the standard's analogue prototypes.
    private struct Biquad {
        var b: (Double, Double, Double)
        var a: (Double, Double)
        private var state = (0.0, 0.0)

        private init(b: (Double, Double, Double), a: (Double, Double)) { (self.b, self.a) = (b, a) }

        /// The head: high tones are louder.
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

        /// Low tones are hardly heard.
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
    /// The same speech as loud as stories are, or as loud as its peaks allow: nothing is compressed.
    package var leveled: SpeechAudio {
        guard let loudness = Loudness.of(self), let top = samples.map(\.magnitude).max(), top > 0 else { return self }
        let headroom = Loudness.peak - 20 * log10(Double(top) / 32_768)
        let gain = pow(10, min(Loudness.target - loudness, headroom) / 20)
        var audio = self
        audio.samples = samples.map { SpeechAudio.sample(Float(Double($0) * gain / 32_767)) }
        return audio
    }
}
