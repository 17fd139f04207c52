import Foundation
import HearthSpeech
import Testing

@Suite("Loudness")
struct LoudnessTests {
    private func tone(_ amplitude: Double, seconds: Double, rate: Int = 48_000, frequency: Double = 997) -> SpeechAudio
    {
        SpeechAudio(
            samples: (0..<Int(seconds * Double(rate))).map {
                SpeechAudio.sample(Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate))))
            }, sampleRate: rate)
    }

    @Test(
        "The standard's own figure: a sine of 997 Hz at full scale has -3.01 LUFS", arguments: [16_000, 22_050, 48_000])
    func calibration(rate: Int) throws {
        let loudness = try #require(Loudness.of(tone(1, seconds: 3, rate: rate)))
        #expect(abs(loudness + 3.01) < 0.1, "\(loudness)")
        let soft = try #require(Loudness.of(tone(0.1, seconds: 3, rate: rate)))
        #expect(abs(loudness - soft - 20) < 0.1)
        // Of low tones less is heard.
        #expect(try #require(Loudness.of(tone(1, seconds: 3, rate: rate, frequency: 40))) < loudness - 4)
    }

    @Test("Pauses do not count, and silence has none")
    func gating() throws {
        let speech = tone(0.2, seconds: 2)
        var paused = speech
        paused.samples += Array(repeating: 0, count: 5 * 48_000)
        // Blocks that are half a pause count by half.
        #expect(abs(try #require(Loudness.of(paused)) - #require(Loudness.of(speech))) < 0.4)
        #expect(Loudness.of(SpeechAudio(samples: Array(repeating: 0, count: 48_000), sampleRate: 48_000)) == nil)
        #expect(Loudness.of(SpeechAudio(samples: [], sampleRate: 48_000)) == nil)
    }

    @Test("Levelled: as loud as stories are, or with its peak where it may be; the rhythm stays")
    func levelled() throws {
        for amplitude in [0.01, 0.1, 0.9] {
            let audio = tone(amplitude, seconds: 1).leveled
            #expect(abs(try #require(Loudness.of(audio)) - Loudness.target) < 0.2)
            #expect(audio.samples.count == 48_000)
        }
        // One loud sample among soft ones: the peak decides.
        var peaked = tone(0.01, seconds: 1)
        peaked.samples[100] = 30_000
        let top = try #require(peaked.leveled.samples.map(\.magnitude).max())
        #expect(abs(20 * log10(Double(top) / 32_768) - Loudness.peak) < 0.01)
        let silence = SpeechAudio(samples: [0, 0], sampleRate: 8000)
        #expect(silence.leveled == silence)
        let brief = tone(0.5, seconds: 0.05)
        #expect(abs(try #require(Loudness.of(brief.leveled)) - Loudness.target) < 0.5)
    }
}
