import Foundation
import HearthSystem

/// The samples of an audio file, its channels mixed to one: WAVE as it is, everything else, and other sample rates, by ffmpeg.
package struct AudioSamples: Equatable {
    package var values: [Float]

    /// The endings of names of audio files.
    private static let endings: Set<String> = [
        "wav", "wave", "mp3", "m4a", "aac", "flac", "ogg", "oga", "opus", "aif", "aiff", "caf",
    ]

    /// Whether a file is audio by its name.
    static func isAudio(_ path: String) -> Bool { endings.contains((path as NSString).pathExtension.lowercased()) }

    /// - Parameters:
    ///   - rate: samples per second of the result; nil for those of the file.
    ///   - place: the option, for messages.
    package init(path: String, rate: Int?, place: String) throws {
        let bytes = try InputFile.bytes(path, option: place)
        if let wave = WaveFile(bytes), rate == nil || wave.rate == rate {
            values = wave.samples
        } else {
            values = try Self.decoded(path, rate: rate, place: place)
        }
        guard !values.isEmpty else {
            throw CommandFailure(
                .invalidInput, "the audio file has no samples", at: "\(path): \(place)",
                todo: "Pass one that has sound.")
        }
        if let index = values.firstIndex(where: { !$0.isFinite }) {
            throw CommandFailure(
                .invalidInput, "sample \(index) of the audio file is not a finite number", at: "\(path): \(place)",
                todo: "Write the file again.")
        }
    }

    private static func decoded(_ path: String, rate: Int?, place: String) throws -> [Float] {
        guard let program = ProgramPath.find("ffmpeg", in: ProgramPath.folders) else {
            throw CommandFailure(
                .unavailable, "decoding this audio file needs ffmpeg, which was not found", at: "\(path): \(place)",
                todo:
                    "Install it, for example with 'apt install ffmpeg', or pass a WAVE file in the model's sample rate."
            )
        }
        let resampling = rate.map { ["-ar", String($0)] } ?? []
        let process = try ChildProcess(
            program,
            [
                "-nostdin", "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-i", "file:\(path)",
                "-map", "0:a:0", "-vn", "-sn", "-dn",
            ] + resampling + ["-f", "wav", "-c:a", "pcm_f32le", "pipe:1"], input: .file([]))
        defer { process.kill() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = process.read(into: &buffer, from: 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
            guard bytes.count <= most else {
                throw CommandFailure(
                    .invalidInput, "the audio file decodes to more than \(most >> 20) MiB", at: "\(path): \(place)",
                    todo: "Pass a shorter one, or a lower --sample-rate.")
            }
        }
        let outcome = process.finish()
        guard outcome.status == 0 else {
            let line = String(decoding: outcome.message.prefix(300), as: UTF8.self).split(separator: "\n").first
            throw CommandFailure(
                .invalidInput,
                "ffmpeg cannot read the audio file: \(line.map(String.init) ?? "status \(outcome.status)")",
                at: "\(path): \(place)", todo: "Check that it is audio that ffmpeg plays.")
        }
        // Channels are mixed here: ffmpeg's sum of two is louder than their mean.
        return WaveFile(bytes)?.samples ?? []
    }

    /// Bytes of float samples: 23 minutes in stereo at 48 kHz, 70 minutes at 16 kHz.
    private static let most = 1 << 28

    /// Windows of a length, one after the other; the last one is filled with silence.
    func windows(of length: Int) -> [[Float]] {
        stride(from: 0, to: values.count, by: length).map { start in
            let window = values[start..<min(start + length, values.count)]
            return Array(window) + [Float](repeating: 0, count: length - window.count)
        }
    }
}

/// A RIFF WAVE file with integers of 8 to 32 bits or floats (Microsoft, "Multiple channel audio data and WAVE files").
package struct WaveFile {
    private enum Kind {
        case integer
        case float
    }

    /// Samples per second.
    let rate: Int
    private let kind: Kind
    private let channels: Int
    private let width: Int
    private let data: ArraySlice<UInt8>

    /// nil if it is not a WAVE file, or of a kind that ffmpeg has to decode.
    package init?(_ bytes: [UInt8]) {
        func number(_ at: Int, _ count: Int) -> Int? {
            guard at >= 0, count <= bytes.count, at <= bytes.count - count else { return nil }
            return bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WAVE".utf8) else { return nil }
        var format: (tag: Int, channels: Int, rate: Int, align: Int, bits: Int)?
        var at = 12
        while let size = number(at + 4, 4) {
            let start = at + 8
            if bytes[at..<at + 4].elementsEqual("fmt ".utf8), size >= 16, var tag = number(start, 2),
                let channels = number(start + 2, 2), let rate = number(start + 4, 4), let align = number(start + 12, 2),
                let bits = number(start + 14, 2)
            {
                // The extensible format names its kind at the start of an identifier.
                if tag == 0xFFFE, size >= 40 { tag = number(start + 24, 2) ?? tag }
                format = (tag, channels, rate, align, bits)
            }
            if bytes[at..<at + 4].elementsEqual("data".utf8), let format {
                guard (1...64).contains(format.channels), format.rate > 0, format.bits % 8 == 0,
                    format.align == format.channels * format.bits / 8
                else { return nil }
                switch (format.tag, format.bits) {
                case (1, 8), (1, 16), (1, 24), (1, 32): kind = .integer
                case (3, 32), (3, 64): kind = .float
                default: return nil
                }
                (rate, channels, width) = (format.rate, format.channels, format.bits / 8)
                // Programs that write to a pipe leave a size of 0 or of the largest number.
                let rest = bytes.count - start
                let count = size == 0 || size >= 0xFFFF_FF00 ? rest : min(size, rest)
                data = bytes[start..<start + count - count % format.align]
                return
            }
            at = start + size + size % 2
        }
        return nil
    }

    /// The mean of the channels, integers from -1 to 1.
    package var samples: [Float] {
        let frame = channels * width
        return stride(from: data.startIndex, to: data.endIndex, by: frame).map { start in
            let sum = stride(from: start, to: start + frame, by: width).reduce(0.0) { $0 + value(at: $1) }
            return Float(sum / Double(channels))
        }
    }

    private func value(at place: Int) -> Double {
        let bits = data[place..<place + width].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch (kind, width) {
        case (.float, 4): return Double(Float(bitPattern: UInt32(bits)))
        case (.float, _): return Double(bitPattern: bits)
        // Eight bits are unsigned, all others signed.
        case (.integer, 1): return (Double(bits) - 128) / 128
        case (.integer, _):
            let shift = UInt64(64 - 8 * width)
            return Double(Int64(bitPattern: bits << shift) >> Int64(shift)) / Double(UInt64(1) << UInt64(8 * width - 1))
        }
    }
}
