import Foundation
import Testing

/// `hearth predict` as a process: files in, files out, statuses.
@Suite(.serialized, .timeLimit(.minutes(20))) struct PredictCommandTests {
    private struct Network: Decodable {
        var name: String
        var input: String
        var input_shape: [Int]
        var output: String
        var output_shape: [Int]
        var tol_abs: Float
    }

    private func fixture(_ name: String) -> String { "\(HearthProcess.root)/Tests/Fixtures/coreml/\(name)" }

    private func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-predict-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        return path.path
    }

    private func floats(_ path: String) throws -> [Float] {
        try Data(contentsOf: URL(fileURLWithPath: path)).withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
            }
        }
    }

    private func write(_ values: [Float], _ path: String) throws {
        var data = Data()
        for value in values { withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) } }
        try data.write(to: URL(fileURLWithPath: path))
    }

    @Test("raw tensors in and out, with and without a shape")
    func tensors() throws {
        let networks = try JSONDecoder().decode(
            [Network].self, from: Data(contentsOf: URL(fileURLWithPath: fixture("ops/ops.json"))))
        let output = try folder()
        defer { try? FileManager.default.removeItem(atPath: output) }
        for (index, network) in networks.enumerated() where index % 8 == 0 {
            let shape = index % 16 == 0 ? ":" + network.input_shape.map(String.init).joined(separator: "x") : ""
            let outcome = try HearthProcess.run([
                "predict", "--model", fixture("ops/\(network.name).mlpackage"), "--input",
                "\(network.input)=\(fixture("ops/\(network.name).in.f32"))\(shape)", "--output-dir",
                "\(output)/made/\(index)",
                "--json",
            ])
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(Set(outcome.json.keys) == ["outputs", "ms"])
            let listed = try #require((outcome.json["outputs"] as? [[String: Any]])?.first)
            #expect(listed["name"] as? String == network.output && listed["shape"] as? [Int] == network.output_shape)
            let found = try floats("\(output)/made/\(index)/\(network.output).f32")
            let expected = try floats(fixture("ops/\(network.name).out.f32"))
            #expect(found.count == expected.count)
            #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= network.tol_abs })
        }
    }

    @Test("a classifier: probabilities, and the label")
    func classifier() throws {
        let output = try folder()
        defer { try? FileManager.default.removeItem(atPath: output) }
        let pictures = try Data(contentsOf: URL(fileURLWithPath: fixture("digits/images32.u8")))
        let values = (0..<3).flatMap { channel in (0..<1024).map { Float(pictures[$0 * 3 + channel]) } }
        try write(values, "\(output)/in.f32")
        let expected = Array(try floats(fixture("digits/ref/fp16.probs.f32")).prefix(10))
        let best = try #require(expected.indices.max { expected[$0] < expected[$1] })
        let names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        for (model, label) in [("fp16", names[best]), ("fp16_ios17_intlabels", "\(best)")] {
            let outcome = try HearthProcess.run([
                "predict", "--model", fixture("digits/\(model).mlpackage"), "--input", "image=\(output)/in.f32",
                "--output-dir", output, "--json",
            ])
            #expect(outcome.status == 0, "\(outcome.error)")
            let outputs = try #require(outcome.json["outputs"] as? [[String: Any]])
            #expect(outputs.contains { $0["label"] as? String == label })
            #expect(try floats("\(output)/classLabel.f32") == [Float(best)])
            #expect(zip(try floats("\(output)/classLabel_probs.f32"), expected).allSatisfy { abs($0 - $1) < 1.1e-3 })
        }
    }

    @Test("what cannot be understood, and what does not fit")
    func failures() throws {
        let output = try folder()
        defer { try? FileManager.default.removeItem(atPath: output) }
        try write([1, 2, 3], "\(output)/short.f32")
        try write([Float](repeating: .nan, count: 84), "\(output)/nan.f32")
        let model = fixture("ops/attention_fp32_ios18.mlpackage")
        let file = fixture("ops/attention_fp32_ios18.in.f32")
        let cases: [([String], Int32, String)] = [
            (["--model", model, "--input", "x"], 2, "'x'"),
            (["--model", model, "--input", "x=\(file)", "--input", "x=\(file)"], 2, "twice"),
            (["--model", model], 3, "input x"),
            (["--model", model, "--input", "y=\(file)"], 3, "input y"),
            (["--model", model, "--input", "x=\(output)/none.f32"], 3, "none.f32"),
            (["--model", model, "--input", "x=\(output)/short.f32"], 3, "short.f32"),
            (["--model", model, "--input", "x=\(output)/nan.f32"], 3, "element 0"),
            (["--model", model, "--input", "x=\(file):1x7x13"], 3, "[1, 7, 12]"),
            (["--model", fixture("bad/unknown_op.mlpackage"), "--input", "x=\(file)"], 3, "mlProgram.operations"),
            (["--model", fixture("bad/weights_truncated.mlpackage"), "--input", "x=\(file)"], 3, "offset"),
            (["--model", "none.mlpackage", "--input", "x=\(file)"], 3, "none.mlpackage"),
        ]
        for (words, status, part) in cases {
            let outcome = try HearthProcess.run(["predict"] + words + ["--output-dir", "\(output)/made"])
            #expect(outcome.status == status && outcome.signal == nil, "\(words): \(outcome.error)")
            #expect(outcome.error.contains(part), "\(outcome.error)")
            #expect(outcome.error.split(separator: "\n").count == 1 && outcome.output.isEmpty)
        }
        #expect(try HearthProcess.run(["predict", "--model", model, "--input", "x=\(file)"]).status == 2)
        let words = ["predict", "--model", model, "--input", "x=\(file)", "--output-dir", "\(output)/made"]
        #expect(try HearthProcess.run(words + ["--threads", "1"]).status == 0)
        #expect(try HearthProcess.run(words + ["--threads", "0"]).status == 2)
        // Results that are not finite: the work failed.
        try write([Float](repeating: 3e38, count: 84), "\(output)/large.f32")
        let large = try HearthProcess.run([
            "predict", "--model", model, "--input", "x=\(output)/large.f32", "--output-dir", output,
        ])
        #expect(
            large.status == 1 && large.error.contains("the output 'y' is not finite, because this operation"),
            "\(large.error)")
    }
}
