import Foundation
import Testing

/// `hearth inspect` of Core ML packages, as a user runs it.
@Suite(.serialized, .timeLimit(.minutes(20))) struct InspectCoreMLTests {
    private func fixture(_ name: String) -> String { "\(HearthProcess.root)/Tests/Fixtures/coreml/\(name)" }

    @Test("a package: every field of the contract, and what it holds")
    func package() throws {
        let outcome = try HearthProcess.run(["inspect", fixture("digits/ios18_pal3.mlpackage"), "--json"])
        #expect(outcome.status == 0, "\(outcome.error)")
        let json = outcome.json
        let fields: Set = [
            "format", "architecture", "quantization", "parameters", "tensors", "metadata", "runnable", "reason",
            "operations", "inputs", "outputs", "memory", "specificationVersion", "opset", "classes", "bytes",
            "functions",
        ]
        #expect(Set(json.keys) == fields)
        #expect(json["format"] as? String == "mlpackage")
        #expect(json["architecture"] as? String == "mlProgram")
        #expect(json["quantization"] as? String == "palette3")
        #expect(json["specificationVersion"] as? Int == 9)
        #expect(json["classes"] as? Int == 10)
        #expect(json["runnable"] as? Bool == true)
        #expect(json["reason"] is NSNull)
        #expect((json["operations"] as? [String: Int])?["conv"] == 17)
        let input = try #require((json["inputs"] as? [[String: Any]])?.first)
        #expect(input["type"] as? String == "image")
        #expect((input["image"] as? [String: Any])?["colorSpace"] as? String == "RGB")
        #expect(input["shape"] as? [Int] == [1, 3, 32, 32])
        let tensors = try #require(json["tensors"] as? [[String: Any]])
        #expect(tensors.allSatisfy { Set($0.keys) == ["name", "type", "shape", "bytes"] })
        #expect(tensors.contains { $0["type"] as? String == "palette3" })
    }

    @Test("for people, with a slash at the end, and the format before programs")
    func tables() throws {
        let package = try HearthProcess.run(["inspect", fixture("digits/fp16.mlpackage/")])
        #expect(package.status == 0)
        for text in ["mlpackage", "CoreML6", "image 32 × 32 RGB", "classLabel_probs", "conv"] {
            #expect(package.output.contains(text), "\(text)")
        }
        let network = try HearthProcess.run(["inspect", fixture("digits/neuralnetwork_fp32.mlmodel"), "--json"])
        #expect(network.json["format"] as? String == "mlmodel")
        #expect(network.json["architecture"] as? String == "neuralNetworkClassifier")
        #expect(network.json["opset"] is NSNull)
        #expect((network.json["operations"] as? [String: Int])?["innerProduct"] == 1)
    }

    @Test(
        "damaged packages: status 3, one line, file and field",
        arguments: [
            ("no_manifest", "Manifest.json"), ("manifest_escape", "itemInfoEntries"), ("model_truncated", "mlProgram"),
            ("bad_sentinel", "offset"), ("blob_type_wrong", "blobFileValue.type"), ("weights_truncated", "offset"),
            ("unknown_op", "mlProgram.operations"),
        ])
    func damaged(name: String, field: String) throws {
        let path = fixture("bad/\(name).mlpackage")
        for words in [["inspect", path], ["inspect", path, "--json"]] {
            let outcome = try HearthProcess.run(words)
            #expect(outcome.status == 3)
            #expect(outcome.signal == nil)
            #expect(outcome.output.isEmpty)
            #expect(outcome.error.hasPrefix("hearth: error: "))
            #expect(outcome.error.contains(path) && outcome.error.contains(field), "\(outcome.error)")
            #expect(outcome.error.split(separator: "\n").count == 1)
        }
    }

    @Test("packages that are not there")
    func missing() throws {
        for path in ["none.mlpackage", "none.mlmodel", "/nowhere/none.mlpackage"] {
            let outcome = try HearthProcess.run(["inspect", path])
            #expect(outcome.status == 3 && outcome.error.contains(path), "\(outcome.error)")
        }
    }
}
