/// Speech as 16-bit samples in one channel.
public struct SpeechAudio: Sendable, Equatable {
    /// The samples of one channel, -32768 to 32767.
    public var samples: [Int16]
    /// Samples per second.
    public var sampleRate: Int

    /// Creates audio from samples.
    public init(samples: [Int16], sampleRate: Int) {
        self.samples = samples
        self.sampleRate = sampleRate
    }

    /// Converts a sample from -1...1 to 16 bits, with clipping; NaN becomes silence.
    package static func sample(_ value: Float) -> Int16 {
        value.isNaN ? 0 : Int16((max(-1, min(1, value)) * 32_767).rounded())
    }

    /// Duration in seconds.
    package var duration: Double { sampleRate > 0 ? Double(samples.count) / Double(sampleRate) : 0 }

    /// The maximum number of samples read from a file: one hour at 48 kHz.
    static let longest = 3600 * 48_000

    /// Reads a RIFF WAVE file of 16-bit PCM; only the first channel is used. A data chunk that claims more bytes than the file
    /// has ends with the file: programs that do not know the length in advance write such files.
    /// - Throws: ``SpeechError/notAudio(_:)``.
    package init(wav bytes: [UInt8]) throws(SpeechError) {
        func word(_ at: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
        }
        guard bytes.count >= 12, bytes[0..<4].elementsEqual("RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8)
        else { throw .notAudio("it does not begin with RIFF and WAVE") }
        var at = 12
        var format: (channels: Int, rate: Int)?
        while at + 8 <= bytes.count {
            let size = min(word(at + 4, 4), bytes.count - at - 8)
            let body = at + 8
            if bytes[at..<at + 4].elementsEqual("fmt ".utf8) {
                guard size >= 16, word(body, 2) == 1, word(body + 14, 2) == 16 else {
                    throw .notAudio("only 16-bit PCM is read")
                }
                format = (word(body + 2, 2), word(body + 4, 4))
            } else if bytes[at..<at + 4].elementsEqual("data".utf8) {
                guard let format, (1...8).contains(format.channels), (1000...384_000).contains(format.rate) else {
                    throw .notAudio("the format chunk is missing or invalid")
                }
                let frame = 2 * format.channels
                guard size / frame <= Self.longest else { throw .notAudio("it is longer than an hour") }
                samples = (0..<size / frame).map { Int16(truncatingIfNeeded: word(body + $0 * frame, 2)) }
                sampleRate = format.rate
                return
            }
            at = body + size + size % 2
        }
        throw .notAudio("there is no data chunk")
    }

    /// The 44-byte header of a RIFF WAVE file with `sampleCount` samples.
    static func wavHeader(sampleCount: Int, sampleRate: Int) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let size = 2 * sampleCount
        var header = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8)
        header += little(16, 4) + little(1, 2) + little(1, 2) + little(sampleRate, 4) + little(2 * sampleRate, 4)
        header += little(2, 2) + little(16, 2) + Array("data".utf8) + little(size, 4)
        return header
    }

    /// The samples as bytes, little-endian.
    package var pcm: [UInt8] {
        // Minutes of speech are millions of samples: avoid allocating an array for each.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * samples.count)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }

    /// A complete RIFF WAVE file.
    public var wav: [UInt8] { Self.wavHeader(sampleCount: samples.count, sampleRate: sampleRate) + pcm }
}
