import Foundation
import HearthCLI
import HearthTestSupport
import Testing

/// Audio files as inputs of `hearth predict`, outputs that are carried on, and states that are kept.
@Suite(.serialized, .timeLimit(.minutes(20))) struct PredictAudioTests {
    private static let flow = "\(HearthProcess.root)/Tests/Fixtures/coreml/flow"

    /// A WAVE file, as the format says.
    private static func wave(
        _ channels: [[Double]], rate: Int = 8000, tag: Int = 1, bits: Int = 16, extensible: Bool = false,
        dataSize: Int? = nil
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let width = bits / 8
        var data: [UInt8] = []
        for frame in channels[0].indices {
            for channel in channels {
                let value = channel[frame]
                switch (tag, bits) {
                case (3, 32): data += number(Int(Float(value).bitPattern), 4)
                case (3, _): data += (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
                case (_, 8): data += number(Int(value * 128) + 128, 1)
                default: data += number(Int(value * Double(1 << (bits - 1))), width)
                }
            }
        }
        let align = channels.count * width
        var format = number(extensible ? 0xFFFE : tag, 2) + number(channels.count, 2) + number(rate, 4)
        format += number(rate * align, 4) + number(align, 2) + number(bits, 2)
        if extensible {
            format += number(22, 2) + number(bits, 2) + number(0, 4) + number(tag, 2)
            format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        }
        // A chunk of odd length in between, with the byte that fills it up.
        let body =
            Array("WAVEfmt ".utf8) + number(format.count, 4) + format + Array("JUNK".utf8) + number(3, 4) + [
                1, 2, 3, 0,
            ]
            + Array("data".utf8) + number(dataSize ?? data.count, 4) + data
        return Array("RIFF".utf8) + number(body.count, 4) + body
    }

    private static func floats(_ path: String) throws -> [Float] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return data.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
        }
    }

    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private static func write(_ values: [Float], _ path: String) throws {
        try write(
            values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) } }, path)
    }

    private struct Case: Decodable {
        struct Tensor: Decodable {
            var shape: [Int]
            var values: [Float]
        }
        struct Step: Decodable {
            var inputs: [String: Tensor]
            var outputs: [String: Tensor]
        }
        var model: String
        var steps: [Step]
    }

    private static func steps(_ model: String) throws -> [Case.Step] {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(flow).json"))
        return try #require(try JSONDecoder().decode([Case].self, from: data).first { $0.model == model }).steps
    }

    @Test(
        "every kind of WAVE file gives its samples, the mean of the channels",
        arguments: [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)])
    func kinds(tag: Int, bits: Int) throws {
        try Self.withFolder { folder in
            let left = [0.5, -0.5, 0.25, -1, 0], right = [0.25, -0.25, 0.75, -1, 0.5]
            for extensible in [false, true] {
                for size in [nil, 0, 0xFFFF_FFFF] {
                    let path = "\(folder)/a.wav"
                    try Self.write(
                        Self.wave([left, right], tag: tag, bits: bits, extensible: extensible, dataSize: size), path)
                    let samples = try AudioSamples(path: path, rate: nil, place: "test").values
                    #expect(samples == zip(left, right).map { Float(($0 + $1) / 2) })
                }
            }
        }
    }

    @Test("damaged WAVE files are refused, or read as far as they go; never a crash")
    func damaged() throws {
        try Self.withFolder { folder in
            let whole = Self.wave([[0.5, -0.5, 0.25, -1]])
            var random = SeededNumbers.fresh()
            for _ in 0..<2000 {
                var bytes = whole
                for _ in 0...random.below(3) {
                    bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
                }
                if random.below(3) == 0 { bytes.removeLast(random.below(bytes.count)) }
                let samples = WaveFile(bytes)?.samples
                #expect((samples?.count ?? 0) <= bytes.count)
            }
        }
    }

    @Test("a recording is one prediction a window, the last filled with silence; its outputs are carried on")
    func windows() throws {
        try Self.withFolder { folder in
            let steps = try Self.steps("memory")
            // Without the last sample: what fills it up is silence.
            let samples = steps.flatMap { $0.inputs["x"]?.values ?? [] }
            try Self.write(Self.wave([samples.map(Double.init)], tag: 3, bits: 32), "\(folder)/talk.wav")
            let words = [
                "predict", "--model", "\(Self.flow)/memory.mlpackage", "--output-dir", "\(folder)/out", "--json",
            ]
            let carried = try HearthProcess.run(words + ["--input", "x=\(folder)/talk.wav", "--carry", "h1=h0"])
            #expect(carried.status == 0, "\(carried.error)")
            #expect(carried.json["windows"] as? Int == 3)
            let outputs = try #require(carried.json["outputs"] as? [[String: Any]])
            #expect(outputs.map { $0["shape"] as? [Int] } == [[3, 1, 4], [3, 1]])
            for name in ["h1", "loudness"] {
                let expected = steps.flatMap { $0.outputs[name]?.values ?? [] }
                let found = try Self.floats("\(folder)/out/\(name).f32")
                #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-5 } && found.count == expected.count)
            }
            // A shorter recording: its windows are the same as long as it lasts.
            try Self.write(Self.wave([samples.prefix(6).map(Double.init)], tag: 3, bits: 32), "\(folder)/short.wav")
            let short = try HearthProcess.run(words + ["--input", "x=\(folder)/short.wav", "--carry", "h1=h0"])
            #expect(short.json["windows"] as? Int == 2)
            let found = try Self.floats("\(folder)/out/h1.f32")
            let whole = steps.flatMap { $0.outputs["h1"]?.values ?? [] }
            #expect(zip(found, whole).prefix(6).allSatisfy { abs($0 - $1) < 1e-5 })
            // Behind it there is silence, and what the memory holds.
            #expect(zip(found, whole).dropFirst(6).prefix(2).allSatisfy { abs($0 - $1) > 1e-4 })
        }
    }

    @Test("a recording in another sample rate, or in another format, is converted by ffmpeg")
    func resampling() throws {
        try Self.withFolder { folder in
            let tone = (0..<16000).map { 0.5 * sin(2 * Double.pi * 200 * Double($0) / 16000) }
            try Self.write(Self.wave([tone, tone], rate: 16000), "\(folder)/tone.wav")
            let half = try AudioSamples(path: "\(folder)/tone.wav", rate: 8000, place: "test").values
            #expect(abs(half.count - 8000) <= 8)
            // Away from the edges of the filter.
            let errors = (400..<7600).map { abs(Double(half[$0]) - tone[2 * $0]) }
            #expect((errors.max() ?? 1) < 0.01, "\(errors.max() ?? 1)")
            #expect(try AudioSamples(path: "\(folder)/tone.wav", rate: 16000, place: "test").values.count == 16000)
        }
    }

    @Test("states are kept from window to window, and with --state from run to run")
    func states() throws {
        try Self.withFolder { folder in
            let steps = try Self.steps("state")
            let words = ["predict", "--model", "\(Self.flow)/state.mlpackage", "--json"]
            for (index, step) in steps.enumerated() {
                try Self.write(step.inputs["x"]?.values ?? [], "\(folder)/x.f32")
                let outcome = try HearthProcess.run(
                    words + [
                        "--input", "x=\(folder)/x.f32", "--output-dir", "\(folder)/\(index)", "--state",
                        "\(folder)/state",
                    ])
                #expect(outcome.status == 0, "\(outcome.error)")
                for (name, expected) in step.outputs {
                    let found = try Self.floats("\(folder)/\(index)/\(name).f32")
                    #expect(zip(found, expected.values).allSatisfy { abs($0 - $1) < 1e-4 }, "\(name) \(index)")
                }
            }
            let samples = steps.flatMap { ($0.inputs["x"]?.values ?? []).map(Double.init) }
            try Self.write(Self.wave([samples], tag: 3, bits: 64), "\(folder)/x.wav")
            let audio = try HearthProcess.run(
                words + ["--input", "x=\(folder)/x.wav", "--output-dir", "\(folder)/all"])
            #expect(audio.status == 0 && audio.json["windows"] as? Int == steps.count, "\(audio.error)")
            let found = try Self.floats("\(folder)/all/y.f32"),
                expected = steps.flatMap { $0.outputs["y"]?.values ?? [] }
            #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-4 } && found.count == expected.count)
            // A state of another size is another model's.
            for file in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/state") {
                try Self.write([1, 2] as [Float], "\(folder)/state/\(file)")
            }
            let wrong = try HearthProcess.run(
                words + ["--input", "x=\(folder)/x.f32", "--output-dir", "\(folder)/0", "--state", "\(folder)/state"])
            #expect(
                wrong.status == 3 && wrong.error.contains("--state") && wrong.error.contains("8 bytes"),
                "\(wrong.error)")
        }
    }

    @Test("what does not fit is named")
    func failures() throws {
        try Self.withFolder { folder in
            try Self.write(Self.wave([[0, 0.5]]), "\(folder)/a.wav")
            try Self.write(Array("no audio".utf8), "\(folder)/bad.mp3")
            try Self.write(Self.wave([[]]), "\(folder)/empty.wav")
            try Self.write(Self.wave([[.nan]], tag: 3, bits: 32), "\(folder)/nan.wav")
            let memory = ["--model", "\(Self.flow)/memory.mlpackage"], x = ["--input", "x=\(folder)/a.wav"]
            let cases: [([String], Int32, String)] = [
                (memory + ["--input", "x=\(folder)/bad.mp3", "--carry", "h1=h0"], 3, "bad.mp3"),
                (memory + ["--input", "x=\(folder)/none.wav", "--carry", "h1=h0"], 3, "none.wav"),
                (memory + ["--input", "x=\(folder)/empty.wav", "--carry", "h1=h0"], 3, "no samples"),
                (memory + ["--input", "x=\(folder)/nan.wav", "--carry", "h1=h0"], 3, "sample 0"),
                (memory + x, 3, "h0"), (memory + x + ["--carry", "h1"], 2, "OUTPUT=INPUT"),
                (memory + x + ["--carry", "h9=h0"], 3, "no output 'h9'"), (memory + x + ["--carry", "h1=h9"], 3, "h9"),
                (memory + x + ["--carry", "loudness=h0"], 3, "loudness=h0"),
                (memory + x + ["--carry", "h1=h0", "--state", folder], 3, "no states"),
                (memory + x + ["--input", "h0=\(folder)/a.wav"], 2, "two inputs"),
                (memory + x + ["--sample-rate", "1"], 2, "--sample-rate"),
                (memory + ["--input", "x=\(folder)/none.f32", "--sample-rate", "8000"], 3, "none.f32"),
                (memory + ["--row", "{}", "--carry", "h1=h0"], 2, "--carry"),
                (["--model", "\(Self.flow)/lstm.mlpackage"] + x, 3, "sequence of samples"),
            ]
            for (words, status, part) in cases {
                let outcome = try HearthProcess.run(["predict"] + words + ["--output-dir", "\(folder)/out"])
                #expect(outcome.status == status && outcome.signal == nil, "\(words): \(outcome.error)")
                #expect(outcome.error.contains(part), "\(outcome.error)")
                #expect(outcome.error.split(separator: "\n").count == 1 && outcome.output.isEmpty)
            }
        }
    }
}
