import Foundation
import HearthCompute
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import HearthTestSupport
import Testing

/// Every operation by itself, over random shapes and parameters, against PyTorch and numpy (`make_operations.py`).
@Suite("operations against PyTorch and numpy", .timeLimit(.minutes(20)))
struct OperationTests {
    struct Case: Decodable {
        struct Tensor: Decodable {
            var name: String
            var shape: [Int]
            var offset: Int
        }

        var operation: String
        var model: Int
        var bytes: Int
        var tolerance: Float
        var inputs: [Tensor]
        var outputs: [Tensor]
    }

    static let cases = (try? VisionFixtures.json("operations.json", as: [Case].self)) ?? []
    static let operations = Set(cases.map(\.operation)).sorted()
    static let layerCases = (try? VisionFixtures.json("layers.json", as: [Case].self)) ?? []
    static let layers = Set(layerCases.map(\.operation)).sorted()
    static let contents = (try? VisionFixtures.data("operations.bin")) ?? Data()

    static func tensor(_ tensor: Case.Tensor) -> CoreMLTensor {
        let count = tensor.shape.reduce(1, *)
        let start = contents.startIndex + tensor.offset
        return CoreMLTensor(shape: tensor.shape, values: VisionFixtures.floats(contents[start..<start + count * 4]))
    }

    /// The program of a case, as a file.
    static func model(_ operation: Case, in folder: TemporaryFolder) throws -> CoreMLModel {
        let start = contents.startIndex + operation.model
        let path = try folder.write(
            contents[start..<start + operation.bytes], "\(operation.operation)-\(operation.model).mlmodel")
        return try CoreMLModel(path: path)
    }

    @Test("every operation that is computed has cases, and is listed as one that runs")
    func coverage() {
        let lowered = Set(MILImporter.lowerings.keys)
        #expect(lowered == Set(Self.operations))
        // Operations that hold blocks, and those of lists and states, have networks of their own (ProgramFlowTests).
        let constants = OperationSet.vision.filter { $0.hasPrefix("const") }.union(["classify"])
            .union(MILImporter.controlOperations)
        #expect(OperationSet.vision == lowered.union(constants))
        #expect(Self.layers.count >= 26)
    }

    @Test("every operation", arguments: operations)
    func operation(_ name: String) throws { try check(Self.cases.filter { $0.operation == name }) }

    @Test("every layer of networks", arguments: layers)
    func layer(_ name: String) throws { try check(Self.layerCases.filter { $0.operation == name }) }

    @Test(
        "operations that have kernels, on every kernel set",
        arguments: [
            "conv_transpose", "prelu", "pad", "tile", "upsample_nearest_neighbor", "upsample_bilinear",
            "resize_bilinear", "reduce_l2_norm", "reduce_sum_square", "equal", "not_equal", "less", "less_equal",
            "greater", "greater_equal", "logical_and", "logical_or", "logical_xor", "logical_not", "cast", "cumsum",
            "reduce_argmax", "reduce_argmin", "topk", "argsort", "one_hot",
        ])
    func kernels(_ name: String) async throws {
        let folder = try TemporaryFolder()
        var fast = 0
        for operation in Self.cases where operation.operation == name {
            let model = try Self.model(operation, in: folder)
            let inputs = Dictionary(uniqueKeysWithValues: operation.inputs.map { ($0.name, Self.tensor($0)) })
            for kernels in KernelSet.available {
                let session = try CoreMLSession(model: model, threads: 2, kernels: kernels)
                fast += session.plan.referenceSteps.isEmpty ? 1 : 0
                let results = try await session.predict(inputs)
                for output in operation.outputs {
                    let difference = VisionFixtures.difference(
                        try #require(results[output.name]).values, Self.tensor(output).values)
                    #expect(difference <= operation.tolerance, "\(kernels.name), \(name) \(operation.inputs)")
                }
            }
        }
        #expect(fast > 0)
    }

    private func check(_ cases: [Case]) throws {
        let folder = try TemporaryFolder()
        #expect(!cases.isEmpty)
        for operation in cases {
            let model = try Self.model(operation, in: folder)
            let inputs = Dictionary(uniqueKeysWithValues: operation.inputs.map { ($0.name, Self.tensor($0)) })
            let results = try model.predict(inputs)
            for output in operation.outputs {
                let expected = Self.tensor(output)
                let found = try #require(results[output.name])
                #expect(found.shape == expected.shape)
                let difference = VisionFixtures.difference(found.values, expected.values)
                #expect(
                    difference <= operation.tolerance,
                    "\(operation.operation) \(operation.inputs): \(found.values), not \(expected.values)")
            }
        }
    }
}
