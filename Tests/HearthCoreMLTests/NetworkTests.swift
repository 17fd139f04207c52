import Foundation
import HearthCompute
import HearthCoreML
import HearthGraphProof
import Testing

/// Whole networks of torchvision's as coremltools converts them, narrow ones, against PyTorch (Tests/Fixtures/coreml/
/// make_networks.py). Tests/Vision/check_torchvision.py does the same with the networks that people use.
@Suite("whole networks against PyTorch", .timeLimit(.minutes(20)))
struct NetworkTests {
    struct Network: Decodable, CustomTestStringConvertible {
        var file: String
        var network: String
        var shape: [Int]
        var count: Int
        var tolerance: Float

        var testDescription: String { file }
    }

    static let networks = (try? VisionFixtures.json("networks/networks.json", as: [Network].self)) ?? []

    @Test("there are networks in every form") func fixtures() {
        #expect(Self.networks.count == 9 && Set(Self.networks.map(\.network)).count == 5)
        #expect(Self.networks.contains { $0.file.hasSuffix(".mlmodel") })
    }

    @Test("results are PyTorch's on every kernel set", arguments: networks)
    func results(_ network: Network) async throws {
        let model = try CoreMLModel(path: VisionFixtures.path("networks/\(network.file)"))
        let input = CoreMLTensor(
            shape: network.shape, values: try VisionFixtures.floats("networks/\(network.network).in.f32"))
        let expected = try VisionFixtures.floats("networks/\(network.network).out.f32")
        #expect(expected.count == network.count && model.inputs.map(\.shape) == [network.shape])
        // Not a network whose results are all alike.
        #expect((expected.max() ?? 0) - (expected.min() ?? 0) > 30 * network.tolerance)
        let name = try #require(model.inputs.first?.name)
        let output = try #require(model.outputs.first?.name)
        let plain = try #require(try model.predict([name: input])[output])
        #expect(VisionFixtures.difference(plain.values, expected) <= network.tolerance)
        for kernels in KernelSet.available {
            let session = try CoreMLSession(model: model, threads: 2, kernels: kernels)
            let found = try #require(try await session.predict([name: input])[output])
            let difference = VisionFixtures.difference(found.values, expected)
            #expect(difference <= network.tolerance, "\(kernels.name): \(difference)")
        }
    }
}
