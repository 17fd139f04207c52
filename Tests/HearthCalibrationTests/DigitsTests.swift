import Foundation
import HearthCalibration
import HearthCompression
import HearthCoreML
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
