import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import Testing

/// Small networks and a trained classifier, against the results of `mlpkg.py`, which shares no code with this module
/// (double precision on the weights as they are in the package; its own results agree with PyTorch's).
@Suite("Core ML models against another reader's results", .timeLimit(.minutes(20)))
struct ModelFixtureTests {
    struct Network: Decodable, CustomTestStringConvertible {
        var name: String
        var input: String
        var input_shape: [Int]
        var output: String
        var output_shape: [Int]
        var tol_abs: Float

        var testDescription: String { name }
    }

    struct Digits: Decodable {
        struct Variant: Decodable {
            var tol: Float
        }

        var classes: [String]
        var reference_images: Int
        var variants: [String: Variant]
    }

    static let networks = (try? VisionFixtures.json("ops/ops.json", as: [Network].self)) ?? []
    static let trained = try? VisionFixtures.json("digits/digits.json", as: Digits.self)

    @Test("there are fixtures") func fixtures() {
        #expect(Self.networks.count == 25)
        #expect(Self.trained?.variants.count == 19)
    }

    @Test("small networks", arguments: networks)
    func network(_ network: Network) throws {
        let model = try CoreMLModel(path: VisionFixtures.path("ops/\(network.name).mlpackage"))
        #expect(model.inputs.map(\.name) == [network.input] && model.inputs[0].shape == network.input_shape)
        #expect(model.outputs.map(\.name) == [network.output] && model.outputs[0].shape == network.output_shape)
        let input = CoreMLTensor(
            shape: network.input_shape, values: try VisionFixtures.floats("ops/\(network.name).in.f32"))
        let results = try model.predict([network.input: input])
        let expected = try VisionFixtures.floats("ops/\(network.name).out.f32")
        let result = try #require(results[network.output])
        #expect(result.shape == network.output_shape)
        #expect(VisionFixtures.difference(result.values, expected) <= network.tol_abs)
        // Not the same for another input: the network is not a constant.
        let other = CoreMLTensor(shape: input.shape, values: input.values.reversed())
        let changed = try #require(try model.predict([network.input: other])[network.output])
        #expect(VisionFixtures.difference(changed.values, expected) > network.tol_abs / 100)
    }

    @Test("digits in every encoding", arguments: (trained?.variants.keys.sorted() ?? []) + ["neuralnetwork_fp32"])
    func digit(_ variant: String) throws {
        let digits = try #require(Self.trained)
        let isNetwork = variant == "neuralnetwork_fp32"
        let reference = isNetwork ? "fp32" : variant
        let model = try CoreMLModel(
            path: VisionFixtures.path("digits/\(variant).\(isNetwork ? "mlmodel" : "mlpackage")"))
        let input = try #require(model.inputs.first)
        #expect(input.image?.colorSpace == (variant == "fp16_bgr" ? .bgr : .rgb) && input.shape == [1, 3, 32, 32])
        let labels = try #require(model.labels)
        let isInteger = variant == "fp16_ios17_intlabels"
        #expect(labels == (isInteger ? .integers(Array(0..<10)) : .strings(digits.classes)))
        let probabilities = try #require(model.outputs.first { $0.kind == .probabilities })
        let label = try #require(model.outputs.first { $0.kind == .label })

        let pictures = try VisionFixtures.data("digits/images32.u8")
        let expected = try VisionFixtures.floats("digits/ref/\(reference).probs.f32")
        let tolerance = try #require(digits.variants[reference]?.tol)
        let graph = try model.graph.expanded()
        for index in 0..<digits.reference_images {
            let picture = VisionFixtures.digit(index, pictures, isBGR: variant == "fp16_bgr")
            let prepared = try model.interface.prepared([input.name: picture])
            let results = try model.interface.named(
                try ReferenceExecutor.stoppedByTask.run(graph, prepared), [:], file: model.path)
            let row = Array(expected[index * 10..<index * 10 + 10])
            let found = try #require(results[probabilities.name])
            #expect(found.shape == [10])
            #expect(VisionFixtures.difference(found.values, row) <= tolerance, "picture \(index)")
            let best = row.indices.max { row[$0] < row[$1] }
            #expect(results[label.name] == CoreMLTensor(shape: [], values: [Float(best ?? -1)]))
        }
    }
}
