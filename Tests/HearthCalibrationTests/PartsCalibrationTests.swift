import Foundation
import HearthCalibration
import HearthCompression
import HearthCoreML
import HearthCoreMLFormat
import HearthImages
import Testing

/// Calibration of what is more than one program in one piece: pipelines, networks of layers, loops and branches.
struct PartsCalibrationTests {
    private static let fixtures = URL(fileURLWithPath: DigitsTests.folder).deletingLastPathComponent().path
    private static let pictures = "\(DigitsTests.folder)/calibration"

    /// A path for a copy, which is removed in the end.
    private func withOutput(_ ending: String, _ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "hearth-parts-\(UUID().uuidString).\(ending)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    private func compressed(
        _ path: String, to output: String, _ form: CompressionForm, _ choice: CalibratedCompression.Choice,
        inputs: String = PartsCalibrationTests.pictures, activations: Bool = false
    ) throws -> CompressionOutcome {
        var compression = CalibratedCompression(
            folder: inputs, labels: nil, choice: choice, steps: .all,
            compressor: PackageCompressor(form, threads: 1))
        compression.quantizesActivations = activations
        return try compression.run(
            path, to: output, replacing: true, began: { _ in }, progress: { _, _ in }, isCancelled: { false })
    }

    /// What two models make of pictures that neither was calibrated with: the squared difference as a share of the original.
    private func loss(of path: String, against original: String) throws -> Double {
        let (small, full) = (try CoreMLModel(path: path), try CoreMLModel(path: original))
        let input = try #require(full.inputs.first)
        let picture = try ImagePreprocessor(try #require(input.image))
        var (noise, signal) = (0.0, 0.0)
        for number in 0..<12 {
            let name = "\(DigitsTests.folder)/images/\(String(format: "%04d", number)).png"
            let values = try picture.values(ImageDecoder().picture(at: name, for: picture.target))
            let given = [input.name: CoreMLTensor(shape: input.shape, values: values)]
            let found = try #require(try small.predict(given)["scores"]).values
            let wanted = try #require(try full.predict(given)["scores"]).values
            #expect(found.count == 12 && wanted.count == 12)
            for (a, b) in zip(found, wanted) {
                noise += Double(a - b) * Double(a - b)
                signal += Double(b) * Double(b)
            }
        }
        return noise / signal
    }

    private func stages(_ path: String) throws -> [CoreMLPackage] { try CoreMLPackage(path: path).stages }

    /// Each model gets what the compressed ones before it make of the pictures.
    @Test(arguments: ["parts", "mixed"]) func everyModelOfAPipelineIsCalibrated(_ name: String) async throws {
        let path = "\(Self.fixtures)/shrinking/\(name).mlpackage"
        try await withOutput("mlpackage") { output in
            let form = CompressionForm.palette(Palettization(bits: 2))
            _ = try PackageCompressor(form, threads: 1).compress(path, to: output)
            let plain = try loss(of: output, against: path)
            let outcome = try compressed(path, to: output, form, .bits(2))
            let names = outcome.report.tensors.map(\.name)
            #expect(names.count == 4 && names.count(where: { $0.hasPrefix("backbone.") }) == 2, "\(names)")
            #expect(names.count(where: { $0.hasPrefix("head.") }) == 2)
            #expect(Set(outcome.calibration?.tensors.keys.map { $0 } ?? []) == Set(names))
            #expect(outcome.calibration?.tensors.values.allSatisfy(\.correctsBias) == true)
            let calibrated = try loss(of: output, against: path)
            #expect(calibrated < 0.8 * plain, "\(calibrated) calibrated, \(plain) not")
            let kinds = try stages(output).map(\.model.kindName)
            #expect(kinds == (try stages(path).map(\.model.kindName)))
        }
    }

    /// A feature has its range in the model that reads it; networks of layers have no integers and keep their bytes.
    @Test(arguments: ["parts", "mixed"]) func activationsOfAPipelineHaveRanges(_ name: String) async throws {
        let path = "\(Self.fixtures)/shrinking/\(name).mlpackage"
        try await withOutput("mlpackage") { output in
            let form = CompressionForm.linear(LinearQuantization(bits: 8))
            let outcome = try compressed(path, to: output, form, .form, activations: true)
            let counts = try stages(output).map { stage in
                stage.body?.operations.count { $0.type == "quantize" } ?? 0
            }
            #expect(counts[0] >= 2 && counts.reduce(0, +) == outcome.calibration?.activations, "\(counts)")
            let head = try stages(output)[1]
            if name == "parts" {
                let reads = head.body?.operations.filter { $0.inputs["input"]?.name == "features" } ?? []
                #expect(reads.map(\.type) == ["quantize"])
                #expect(head.model.specificationVersion == 8)
            } else {
                #expect(counts[1] == 0 && head.model.specificationVersion < 8)
            }
            let loss = try loss(of: output, against: path)
            #expect(loss < 0.01, "\(loss)")
        }
    }

    /// The digits' network as layers: two bits that are not calibrated get 59 of 400 right.
    @Test func aNetworkOfLayersIsCalibrated() async throws {
        let path = "\(DigitsTests.folder)/neuralnetwork_fp32.mlmodel"
        try await withOutput("mlmodel") { output in
            let form = CompressionForm.palette(Palettization(bits: 2))
            let outcome = try compressed(path, to: output, form, .bits(2))
            let names = Set(outcome.report.tensors.map(\.name))
            #expect(names.count > 10 && names == Set(outcome.calibration?.tensors.keys.map { $0 } ?? []))
            let right = try await DigitsTests.right(output)
            #expect(right >= 380, "\(right) of 400")
        }
    }

    /// What a network of layers cannot have is said before any picture is read.
    @Test func whatANetworkCannotHaveIsRefusedAtOnce() async throws {
        let path = "\(DigitsTests.folder)/neuralnetwork_fp32.mlmodel"
        try await withOutput("mlmodel") { output in
            #expect(throws: CompressionError.self) {
                try compressed(
                    path, to: output, .palette(Palettization(bits: 2, groupSize: 4)), .bits(2), inputs: "/nowhere")
            }
            #expect(throws: CompressionError.self) {
                try compressed(
                    path, to: output, .linear(LinearQuantization(bits: 8)), .form, inputs: "/nowhere", activations: true
                )
            }
            #expect(!FileManager.default.fileExists(atPath: output))
        }
    }
}

/// Weights that several steps of a graph share, and weights inside of loops and branches.
struct LoopCalibrationTests {
    private static let path =
        URL(fileURLWithPath: DigitsTests.folder).deletingLastPathComponent().path + "/shrinking/loop.mlpackage"

    /// Inputs by number: some have positive sums and some negative ones, so that both branches are taken.
    private static func input(_ number: Int) -> CoreMLTensor {
        var state = UInt64(number) &* 0x9e37_79b9_7f4a_7c15 | 1
        let values = (0..<80).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Float(state >> 40) / Float(1 << 23) - 1
        }
        return CoreMLTensor(shape: [4, 20], values: values)
    }

    private static func loss(of path: String) throws -> Double {
        let (small, full) = (try CoreMLModel(path: path), try CoreMLModel(path: Self.path))
        var (noise, signal) = (0.0, 0.0)
        for number in 1000..<1020 {
            let given = ["x": input(number)]
            for (a, b) in zip(
                try #require(try small.predict(given)["y"]).values, try #require(try full.predict(given)["y"]).values)
            {
                noise += Double(a - b) * Double(a - b)
                signal += Double(b) * Double(b)
            }
        }
        return noise / signal
    }

    /// Three rounds are three sites of one layer, whose weight is in the graph once, whether it stands in the loop or outside.
    @Test func roundsOfALoopShareTheirWeights() throws {
        let model = try CoreMLModel(path: Self.path)
        let layers = model.weightedLayers
        #expect(layers.count == 4, "\(layers.map(\.weight))")
        #expect(layers.map { LayerSamples.all($0, of: model).count } == [3, 3, 1, 1])
        #expect(layers.first?.weight == "outside" && Set(layers.map(\.weight)).count == 4)
        for layer in layers {
            let (inputs, outputs) = (
                try LayerProbe(model, .input(layer), threads: 1).values(["x": Self.input(1)]),
                try LayerProbe(model, .output(layer), threads: 1).values(["x": Self.input(1)])
            )
            let weights = try #require(try model.constant(layer.weight))
            let bias = try layer.bias.flatMap { try model.constant($0) }
            for (site, samples) in LayerSamples.all(layer, of: model).enumerated() {
                let given = samples.given(inputs[site], at: [0])
                let made = samples.made(outputs[site], at: [0])
                for output in 0..<layer.outputs {
                    let sum = (0..<layer.inputs).reduce(Double(bias?[output] ?? 0)) {
                        $0 + Double(weights[output * layer.inputs + $1]) * given[$1]
                    }
                    #expect(abs(sum - made[output]) < 1e-4, "\(layer.place), site \(site)")
                }
            }
        }
    }

    /// Also without calibration weights in nested blocks become smaller, and are found by their names.
    @Test func weightsInNestedBlocksAreCompressed() throws {
        let folder = NSTemporaryDirectory() + "hearth-loop-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 0..<32 {
            let bytes = Self.input(number).values.flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(number).f32"))
        }
        let form = CompressionForm.palette(Palettization(bits: 2))
        let compressor = PackageCompressor(form, threads: 1)
        let names = Set(try CoreMLModel(path: Self.path).weightedLayers.map(\.weight))
        let (plain, calibrated) = ("\(folder)/plain.mlpackage", "\(folder)/calibrated.mlpackage")
        let report = try compressor.compress(Self.path, to: plain)
        #expect(Set(report.tensors.map(\.name)) == names)
        let outcome = try CalibratedCompression(
            folder: folder, labels: nil, choice: .bits(2), steps: .all, compressor: compressor
        ).run(
            Self.path, to: calibrated, replacing: false, began: { _ in }, progress: { _, _ in },
            isCancelled: { false })
        #expect(Set(outcome.calibration?.tensors.keys.map { $0 } ?? []) == names)
        for path in [plain, calibrated] {
            let stored = try CoreMLPackage(path: path).weightSummaries().filter { names.contains($0.name) }
            #expect(stored.count == 4 && stored.allSatisfy { $0.encoding == "palette2" }, "\(stored)")
        }
        let (without, with) = (try Self.loss(of: plain), try Self.loss(of: calibrated))
        #expect(with < without, "\(with) calibrated, \(without) not")
        // A weight is kept by its name in there too.
        var keeping = compressor
        keeping.kept = ["outside"]
        let kept = try keeping.compress(Self.path, to: "\(folder)/kept.mlpackage")
        #expect(Set(kept.tensors.map(\.name)) == names.subtracting(["outside"]))
    }
}
