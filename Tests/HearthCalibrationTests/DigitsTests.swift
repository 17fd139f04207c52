import Foundation
import HearthCalibration
import HearthCompression
import HearthCoreML
import HearthCoreMLFormat
import HearthImages
import HearthVision
import Testing

/// A trained classifier, calibrated with some pictures that it was trained on, judged by 400 that it was not.
struct DigitsTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/coreml/digits").path

    static func model(_ name: String = "fp16") throws -> CoreMLModel {
        try CoreMLModel(path: "\(folder)/\(name).mlpackage")
    }

    /// - Parameter layers: the first ones of the net, which are calibrated; nil for all.
    static func calibration(_ most: Int, layers: Int? = nil) throws -> ModelCalibration {
        let model = try model()
        let kept = layers.map { Set(model.weightedLayers.dropFirst($0).map(\.weight)) } ?? []
        return try ModelCalibration(
            model, CalibrationInputs(folder: "\(folder)/calibration", for: model, most: most), kept: kept, threads: 1)
    }

    /// How many held-out pictures the package at `path` is right about.
    static func right(_ path: String) async throws -> Int {
        let model = try CoreMLModel(path: path)
        let session = try CoreMLSession(model: model, threads: 1)
        let classifier = try ImageClassifier(model.interface, file: path, top: TopResults(limit: 1, threshold: 0))
        let rows = try String(contentsOfFile: "\(folder)/labels.csv", encoding: .utf8).split(separator: "\n")
            .dropFirst()
        var right = 0
        for row in rows {
            let cells = row.split(separator: ",")
            let picture = try ImageDecoder().picture(at: "\(folder)/images/\(cells[0])")
            let results = try await classifier.results(of: session.predict(classifier.inputs(for: picture)))
            if results.first?.label == String(cells[1]) { right += 1 }
        }
        return right
    }

    /// Integers for weights and activations: the original gets 399 right.
    @Test(arguments: ["fp16", "fp32"]) func eightBitsForWeightsAndActivationsLoseNothing(_ name: String) async throws {
        let (path, output) = (
            "\(Self.folder)/\(name).mlpackage", NSTemporaryDirectory() + "hearth-w8a8-\(UUID().uuidString).mlpackage"
        )
        defer { try? FileManager.default.removeItem(atPath: output) }
        var compression = CalibratedCompression(
            folder: "\(Self.folder)/calibration", labels: nil, choice: .form, steps: .all,
            compressor: PackageCompressor(.linear(LinearQuantization(bits: 8)), threads: 1))
        compression.quantizesActivations = true
        let outcome = try compression.run(
            path, to: output, replacing: false, began: { _ in }, progress: { _, _ in }, isCancelled: { false })
        #expect(outcome.report.version == 8)
        let places = try Self.quantized(output)
        #expect(places.pairs == outcome.calibration?.activations && places.pairs > 20)
        #expect(places.convolutions > 10 && places.integerConvolutions == places.convolutions)
        let right = try await Self.right(output)
        #expect(right >= 397, "\(right) of 400")
        // Once is enough.
        #expect(throws: CalibrationError.self) {
            _ = try compression.run(
                output, to: output + "2", replacing: false, began: { _ in }, progress: { _, _ in },
                isCancelled: { false })
        }
    }

    /// Converters give an activation that never changes a scale of 0: it stands for 0, and nothing is divided by it.
    @Test func scalesOfZeroStandForZero() throws {
        let output = NSTemporaryDirectory() + "hearth-zero-\(UUID().uuidString).mlpackage"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let path = "\(Self.folder)/fp16.mlpackage"
        let function = try #require(try CoreMLPackage(path: path).function)
        var compressor = PackageCompressor(.float16, threads: 1)
        for name in try #require(ActivationQuantization(function)).names {
            compressor.activations[name] = ActivationRange(least: 0, most: 6)
        }
        _ = try compressor.compress(path, to: output)
        var model = try CoreMLPackage(path: output).model
        guard case .program(var program) = model.kind else { throw CocoaError(.fileReadCorruptFile) }
        let data = MILImmediate(.tensor(MILTensorData(bytes: [0, 0])))
        let zero = MILValue(type: MILValueType(.float16, []), content: .immediate(data))
        var operations = program.functions[0].value.specializations[0].value.operations
        var changed = 0
        for index in operations.indices where operations[index].type == "const" {
            guard operations[index].outputs.first?.name.hasSuffix("_scale") == true,
                let place = operations[index].attributes.firstIndex(where: { $0.key == "val" })
            else { continue }
            operations[index].attributes[place].value = zero
            changed += 1
        }
        #expect(changed == compressor.activations.count && changed > 20)
        program.functions[0].value.specializations[0].value.operations = operations
        model.kind = .program(program)
        let file = URL(fileURLWithPath: "\(output)/Data/com.apple.CoreML/model.mlmodel")
        try Data(model.encoded).write(to: file, options: .atomic)
        let zeroed = try CoreMLModel(path: output)
        let input = try #require(zeroed.inputs.first)
        let values = [Float](repeating: 0.5, count: input.shape.reduce(1, *))
        let results = try zeroed.predict([input.name: CoreMLTensor(shape: input.shape, values: values)])
        #expect(!results.isEmpty && results.values.allSatisfy { $0.values.allSatisfy(\.isFinite) })
    }

    /// Pairs of `quantize` and `dequantize`, convolutions and dense layers, and how many of these read what was rounded.
    private static func quantized(
        _ path: String
    ) throws -> (pairs: Int, convolutions: Int, integerConvolutions: Int) {
        let operations = try CoreMLPackage(path: path).body?.operations ?? []
        var makers: [String: MILOperation] = [:]
        for operation in operations { for output in operation.outputs { makers[output.name] = operation } }
        func maker(_ operation: MILOperation, _ parameter: String) -> MILOperation? {
            operation.inputs[parameter]?.name.flatMap { makers[$0] }
        }
        let back = operations.filter { $0.type == "dequantize" && maker($0, "input")?.type == "quantize" }
        let layers = operations.filter { $0.type == "conv" || $0.type == "linear" }
        return (back.count, layers.count, layers.count { maker($0, "x")?.type == "dequantize" })
    }

    /// Plain palettes get 330 and 59 right, the original 399: three bits have to stay within one point of it, two within
    /// five.
    @Test(arguments: [(3, 395), (2, 379)]) func smallPalettesKeepTheNetAlive(_ bits: Int, _ least: Int) async throws {
        let calibration = try Self.calibration(64)
        let made = try calibration.run(
            bits: Dictionary(uniqueKeysWithValues: calibration.layers.map { ($0.weight, bits) }))
        var compressor = PackageCompressor(.palette(Palettization(bits: bits)), threads: 1)
        compressor.take(made)
        let output = NSTemporaryDirectory() + "hearth-calibration-\(UUID().uuidString).mlpackage"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let report = try compressor.compress("\(Self.folder)/fp16.mlpackage", to: output)
        #expect(report.tensors.count == made.count && report.tensors.allSatisfy { $0.bits == bits })
        let right = try await Self.right(output)
        #expect(right >= least, "\(bits) bits: \(right) of 400")
    }
}
