import Foundation
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Every package of the fixtures, against what another reader found in it.
@Suite(.timeLimit(.minutes(20))) struct CoreMLPackageTests {
    @Test("programs: versions, operations, and every constant")
    func programs() throws {
        let goldens = try CoreMLFixtures.goldens().programs
        #expect(goldens.count == 44)
        for (name, golden) in goldens.sorted(by: { $0.key < $1.key }) {
            let package = try CoreMLPackage(path: CoreMLFixtures.path(name))
            #expect(package.model.specificationVersion == golden.specificationVersion, "\(name)")
            #expect(package.function?.opset == golden.opset, "\(name)")
            #expect(package.operationCounts == golden.operations, "\(name)")
            #expect(package.function?.inputs.map(\.name) == golden.inputs.map(\.name), "\(name)")
            #expect(package.function?.inputs.map(\.type.description) == golden.inputs.map(\.type), "\(name)")
            #expect(package.body?.outputs == golden.outputs, "\(name)")
            #expect(package.unknownOperations.isEmpty && package.operationsBeyondVision.isEmpty, "\(name)")
            try checkConstants(package, golden, name)
        }
    }

    private func checkConstants(_ package: CoreMLPackage, _ golden: CoreMLFixtures.Program, _ name: String) throws {
        var weights: [CoreMLFixtures.Program.Weight] = []
        var rest: [UInt8] = []
        for operation in package.body?.operations ?? [] {
            guard let output = operation.outputs.last?.name else { continue }
            if let expression = try package.constantExpression(operation) {
                let dense = try package.expanded(expression)
                #expect(dense.values.count == expression.count)
                if dense.values.count >= 10 {
                    weights.append(.init(name: output, shape: dense.shape, digest: digest(dense.values)))
                } else {
                    rest += Array(output.utf8) + [0] + Array(text(dense.values).utf8) + [10]
                }
            } else if operation.type == "const" {
                let value = try #require(operation.attributes["val"])
                let tensor = try package.tensor(value)
                if tensor.type.isFloat, !tensor.shape.isEmpty, tensor.count >= 10 {
                    let values = try #require(tensor.floats())
                    weights.append(.init(name: output, shape: tensor.shape, digest: digest(values)))
                } else {
                    rest += Array(output.utf8) + [0] + Array(text(tensor).utf8) + [10]
                }
            } else if operation.type == "classify" {
                let classes = try #require(operation.inputs["classes"]?.value).members
                let texts = try classes.map { text(try package.tensor($0)) }
                rest += Array(output.utf8) + [0] + Array(texts.joined(separator: ",").utf8) + [10]
                #expect(package.classCount == classes.count)
            }
        }
        #expect(weights == golden.weights, "\(name)")
        #expect(SHA256.digest(of: rest).prefix(16) == golden.rest, "\(name)")
    }

    private func digest(_ values: [Float]) -> String {
        var hash = SHA256()
        values.map(\.bitPattern.littleEndian).withUnsafeBytes { hash.update($0) }
        return String(hash.finalize().prefix(16))
    }

    private func text(_ tensor: MILTensor) -> String {
        if let strings = tensor.strings() { return strings.joined(separator: ",") }
        if let integers = tensor.integers() { return integers.map(String.init).joined(separator: ",") }
        return text(tensor.floats() ?? [])
    }

    private func text(_ values: [Float]) -> String {
        values.map { $0.bitPattern.littleEndianBytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
            .joined(separator: ",")
    }

    @Test("a network of layers")
    func networks() throws {
        for (name, golden) in try CoreMLFixtures.goldens().networks {
            let package = try CoreMLPackage(path: CoreMLFixtures.path(name))
            #expect(package.model.specificationVersion == golden.specificationVersion)
            guard case .neuralNetwork(let network) = package.model.kind else {
                Issue.record("\(name) is no network")
                continue
            }
            #expect(network.role == .classifier)
            #expect(network.labels == .strings(golden.labels))
            #expect(network.layers.map(\.name) == golden.layers.map(\.name))
            #expect(network.layers.map(\.number) == golden.layers.map(\.number))
            #expect(network.layers.map(\.inputs) == golden.layers.map(\.inputs))
            #expect(network.layers.map(\.outputs) == golden.layers.map(\.outputs))
            let digests = network.layers.map { $0.weights.map { digest($0.weights.floats() ?? []) } }
            #expect(digests == golden.layers.map(\.weights))
            #expect(package.model.encoded == (try CoreMLFixtures.bytes(name)))
            // By hand from a dump of the file: (pixel · 1/64) and the bias of each channel; the first convolution.
            guard case .scaler(let scaler)? = network.preprocessing.first else {
                Issue.record("pictures are not scaled")
                continue
            }
            let biases: [Float] = [scaler.blueBias, scaler.greenBias, scaler.redBias].map { Float($0) }
            #expect(Float(scaler.scale) == Float(bitPattern: 0x3c00_8081) && biases == [-1.1, -1, -0.9])
            guard case .convolution(let first) = network.layers[0].kind,
                case .clip(let low, let high) = network.layers[1].kind
            else {
                Issue.record("the first layers are others")
                continue
            }
            #expect([first.outputChannels, first.kernelChannels] + first.kernelSize == [16, 3, 3, 3])
            #expect((low, high) == (0, 6))
        }
    }

    @Test("what a package takes and gives")
    func interface() throws {
        let digits = try CoreMLPackage(path: CoreMLFixtures.path("digits/fp16_bgr.mlpackage"))
        guard case .image(let image)? = digits.model.description.inputs.first?.kind else {
            Issue.record("the input is no picture")
            return
        }
        #expect((image.width, image.height, image.colorSpace, image.isFlexible) == (32, 32, .bgr, false))
        #expect(digits.model.description.predictedFeatureName == "classLabel")
        let labelled = try CoreMLPackage(path: CoreMLFixtures.path("digits/fp16_ios17_intlabels.mlpackage"))
        #expect(labelled.model.description.outputs.map(\.kind) == [.int64, .dictionary(keysAreIntegers: true)])
        let tensor = try CoreMLPackage(path: CoreMLFixtures.path("ops/resnet_f16io_fp16_ios16.mlpackage"))
        guard case .multiArray(let array)? = tensor.model.description.inputs.first?.kind else {
            Issue.record("the input is no tensor")
            return
        }
        #expect(array.element == .float16)
        #expect(array.shape == [1, 3, 64, 64])
    }

    @Test("weights are read where they lie")
    func inPlace() throws {
        let package = try CoreMLPackage(path: CoreMLFixtures.path("digits/fp16.mlpackage"))
        let operation = try #require(
            package.body?.operations.first {
                $0.type == "const" && $0.outputs[0].type.tensor?.dataType == .float16
                    && $0.outputs[0].type.tensor?.shape?.count == 4
            })
        let tensor = try package.tensor(try #require(operation.attributes["val"]))
        let halves = try #require(tensor.values(as: UInt16.self))
        #expect(halves.map { Float16Bits.float($0) } == tensor.floats())
        #expect(tensor.values(as: Float.self) == nil)
        #expect(tensor.byteCount == 2 * tensor.count)
    }

    @Test("activations: the most that is alive at once")
    func activations() throws {
        // mlp: found by hand from the shapes of its steps would only repeat the code; the bounds are certain.
        let package = try CoreMLPackage(path: CoreMLFixtures.path("ops/mlp_fp32_ios16.mlpackage"))
        let steps = package.body?.operations.filter { $0.type != "const" } ?? []
        let sizes = steps.flatMap(\.outputs).compactMap { $0.type.tensor?.elementCount }
        let input = try #require(package.function?.inputs.first?.type.tensor?.elementCount)
        let peak = try #require(package.activationByteCount)
        #expect(peak >= 4 * max(input + sizes[0], sizes.max() ?? 0))
        #expect(peak < 4 * (input + sizes.reduce(0, +)))
    }
}
