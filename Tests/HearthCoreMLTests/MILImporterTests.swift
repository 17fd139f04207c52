import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import Testing

/// What becomes of programs: constants, shapes, padding, and what is refused.
@Suite("programs as graphs", .timeLimit(.minutes(20)))
struct ProgramBuilderTests {
    private func error(_ package: CoreMLPackage) -> CoreMLError? {
        do {
            _ = try CoreMLModel(package)
            return nil
        } catch {
            return error as? CoreMLError
        }
    }

    @Test("operations that are not computed are listed at once, by type, name and place")
    func unsupported() throws {
        let package = try VisionFixtures.changed("ops/resnet_fp32_ios16") { block in
            var count = 0
            for index in block.operations.indices where block.operations[index].type == "relu" && count < 3 {
                block.operations[index].type = "conv_quantized"
                count += 1
            }
        }
        guard case .unsupportedOperations(let place, let operations)? = error(package) else {
            Issue.record("the model was not refused")
            return
        }
        #expect(operations.count == 3 && place.field == "mlProgram.operations")
        #expect(operations[0].hasPrefix("conv_quantized '") && operations[0].contains("at operations["))
    }

    @Test("what a mask selects is refused where its number would matter", arguments: ["flow/masked", "flow/masked17"])
    func selectedRows(_ name: String) throws {
        let package = try VisionFixtures.changed(name) { block in
            let gathered = try #require(block.operations.first { $0.type == "gather_nd" }?.outputs.first?.name)
            let index = try #require(
                block.operations.firstIndex { $0.type == "mul" && $0.inputs["x"]?.name == gathered })
            block.operations[index].type = "cumsum"
        }
        guard case .unsupported(let place, let what)? = error(package) else {
            Issue.record("the model was not refused")
            return
        }
        #expect(place.field.contains("cumsum") && what.contains("number is computed"))
    }

    @Test("a result of another shape than it is declared to have")
    func wrongShape() throws {
        let package = try VisionFixtures.changed("ops/resnet_fp32_ios16") { block in
            let index = try #require(block.operations.firstIndex { $0.type == "max_pool" })
            block.operations[index].outputs[0].type = MILValueType(.float32, [1, 16, 16, 17])
        }
        guard case .wrongShape(let place, let computed, let declared)? = error(package) else {
            Issue.record("the model was not refused")
            return
        }
        #expect(place.field.contains("max_pool") && computed.count == 4 && declared == "fp32[1, 16, 16, 17]")
    }

    @Test("a part without elements adds nothing to what is joined, as in the sizes of a flexible sequence")
    func emptyPart() throws {
        func joined(with extra: [Int]) throws -> CoreMLPackage {
            try VisionFixtures.changed("ops/mix_fp32_ios16") { block in
                let index = try #require(block.operations.firstIndex { $0.type == "concat" })
                let nothing = MILValue(
                    type: MILValueType(.float32, extra),
                    content: .immediate(MILImmediate(.tensor(MILTensorData(floats: [])))))
                let parts = try #require(block.operations[index].inputs["values"]?.bindings)
                #expect(parts.count == 2)
                // Parts that alternate are all alike.
                block.operations[index].inputs["interleave"] = nil
                block.operations[index].inputs["values"] = MILArgument(
                    [MILBinding(.value(nothing))] + parts + [MILBinding(.value(nothing))])
            }
        }
        let model = try CoreMLModel(joined(with: [1, 0, 5, 6]))
        let plain = try CoreMLModel(CoreMLPackage(path: VisionFixtures.path("ops/mix_fp32_ios16.mlpackage")))
        #expect(model.graph.operationNames == plain.graph.operationNames)
        // It has to fit all the same.
        #expect(error(try joined(with: [1, 0, 5, 7])) != nil)
        #expect(error(try joined(with: [0])) != nil)
    }

    @Test("a parameter that is missing, and one that is impossible")
    func parameters() throws {
        let missing = try VisionFixtures.changed("ops/pools_fp32_ios16") { block in
            let index = try #require(block.operations.firstIndex { $0.type == "avg_pool" })
            block.operations[index].inputs["kernel_sizes"] = nil
        }
        guard case .invalid(let place, let problem)? = error(missing) else {
            Issue.record("the model was not refused")
            return
        }
        #expect(place.field.contains("avg_pool") && problem.contains("'kernel_sizes'"))
        let impossible = try VisionFixtures.changed("ops/pools_fp32_ios16") { block in
            let index = try #require(block.operations.firstIndex { $0.type == "avg_pool" })
            let ints = MILValue(
                type: MILValueType(.int32, [2]),
                content: .immediate(MILImmediate(.tensor(MILTensorData(ints: [1 << 30, 1 << 30])))))
            block.operations[index].inputs["kernel_sizes"] = MILArgument([MILBinding(.value(ints))])
        }
        #expect(error(impossible) != nil)
    }

    @Test("padding is numbers, constants are in the file, and nothing is left to be inferred")
    func geometry() throws {
        let graph = try CoreMLModel(path: VisionFixtures.path("ops/same_padding_fp32_ios16.mlpackage")).graph
        let convolutions = graph.steps.compactMap { step -> GraphConvolution? in
            if case .convolution(let geometry) = step.operation { geometry } else { nil }
        }
        #expect(!convolutions.isEmpty)
        #expect(convolutions.contains { $0.before != $0.after })
        for step in graph.steps {
            #expect(!step.place.isEmpty)
            for id in step.inputs.compactMap({ $0 }) {
                let isDefined =
                    graph.constants[id] != nil || graph.inputs.contains(id)
                    || graph.steps.contains { $0.outputs.contains(id) }
                #expect(isDefined)
            }
        }
        #expect(graph.constants.values.contains { if case .tensor = $0 { true } else { false } })
    }

    @Test("compressed weights stay as they are until someone wants them")
    func compressed() throws {
        let graph = try CoreMLModel(path: VisionFixtures.path("digits/pal4.mlpackage")).graph
        let expressions = graph.constants.filter { if case .expression = $0.value { true } else { false } }
        #expect(expressions.count > 10)
        for (id, constant) in expressions { #expect(try constant.floats().count == graph.tensors[id].count) }
    }

    @Test("inputs that do not fit: unknown, missing, of another shape, not finite")
    func inputs() throws {
        let model = try CoreMLModel(path: VisionFixtures.path("ops/attention_fp32_ios18.mlpackage"))
        let good = CoreMLTensor(shape: [1, 7, 12], repeating: 0.5)
        #expect(throws: CoreMLError.unknownInput(name: "z", inputs: ["x"])) {
            try model.predict(["x": good, "z": good])
        }
        #expect(throws: CoreMLError.missingInput(name: "x")) { try model.predict([:]) }
        let short = CoreMLTensor(shape: [1, 7, 11], repeating: 0)
        #expect(throws: CoreMLError.inputShape(name: "x", expected: [1, 7, 12], found: [1, 7, 11])) {
            try model.predict(["x": short])
        }
        let lying = CoreMLTensor(shape: [1, 7, 12], values: [1])
        #expect(throws: CoreMLError.self) { try model.predict(["x": lying]) }
        var bad = good
        bad.values[5] = .nan
        #expect(throws: CoreMLError.nonFiniteInput(name: "x", index: 5)) { try model.predict(["x": bad]) }
        bad.values[5] = 3e38
        bad.values[6] = -3e38
        #expect(throws: CoreMLError.self) {
            let results = try model.predict(["x": bad])
            #expect(results.values.allSatisfy { $0.values.allSatisfy(\.isFinite) })
            throw CoreMLError.missingInput(name: "the result is finite")
        }
        #expect(throws: CoreMLError.self) {
            try CoreMLModel(path: model.path, inputShapes: ["x": [1, 8, 12]])
        }
    }

    @Test("a cancelled prediction ends")
    func cancelled() async throws {
        let model = try CoreMLModel(path: VisionFixtures.path("ops/resnet_fp32_ios16.mlpackage"))
        let input = CoreMLTensor(shape: model.inputs[0].shape, repeating: 1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try model.predict(["x": input])
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("work and memory are judged before anything is computed")
    func limits() {
        #expect(GraphShape.count([1 << 20, 1 << 20, 1 << 20, 1 << 20]) == nil)
        #expect(GraphShape.count([Int.max, 2], limit: .max) == nil)
        #expect(GraphShape.count([2, -1]) == nil)
        let huge = GraphOperation.matmul(transposeX: false, transposeY: false)
            .work([[1 << 40, 1 << 40], [1 << 40, 1 << 40]], [[1 << 40, 1 << 40]])
        #expect(huge == .max)
    }
}
