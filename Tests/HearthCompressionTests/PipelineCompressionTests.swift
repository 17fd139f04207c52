import Foundation
import HearthCompression
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Pipelines before and after: each model with weights is compressed, everything else is what it was.
struct PipelineCompressionTests {
    private static func fixture(_ name: String) -> String { TestFixtures.url("coreml/\(name)").path }

    private func models(_ package: CoreMLPackage) throws -> [CoreMLSpecification] {
        guard case .pipeline(let pipeline) = package.model.kind else { throw CocoaError(.fileReadCorruptFile) }
        return pipeline.models
    }

    /// The detector's convolution has 9 weights; the suppression behind it has none.
    @Test func aDetectorKeepsItsSuppression() throws {
        let folder = try TemporaryFolder()
        let source = try CoreMLPackage(path: Self.fixture("pipelines/rectangles.mlpackage"))
        let forms: [CompressionForm] = [
            .palette(Palettization(bits: 1, groupSize: 3)), .linear(LinearQuantization(granularity: .tensor)),
        ]
        for (index, form) in forms.enumerated() {
            var compressor = PackageCompressor(form)
            compressor.minimumElements = 8
            let path = folder["\(index).mlpackage"]
            let report = try compressor.compress(source.path, to: path)
            let small = try CoreMLPackage(path: path)
            let (before, after) = (try models(source), try models(small))
            #expect(report.tensors.contains { $0.name == "0.conv_0_weight_0" && $0.shape == [3, 3, 1, 1] })
            #expect(report.tensors.allSatisfy { $0.name.hasPrefix("0.") })
            #expect(after.count == before.count && after[1].encoded == before[1].encoded)
            #expect(after[0].encoded != before[0].encoded)
            // Palettes of groups are of version 9, which the pipeline around them gets too.
            let version = max(source.model.specificationVersion, form.minimumVersion)
            #expect(report.version == version && small.model.specificationVersion == version)
            #expect(after[0].specificationVersion == version)
            #expect(small.model.description == source.model.description)
            let files = try FileManager.default.contentsOfDirectory(atPath: path + "/Data/com.apple.CoreML/weights")
            #expect(files == ["0-weight.bin"])
            // The names are those of `hearth inspect`.
            let names = Set(try small.weightSummaries().map(\.name))
            #expect(names == Set(try source.weightSummaries().map(\.name)))
            #expect(names.isSuperset(of: report.tensors.map(\.name)))
            let stage = try #require(small.stages.first)
            let weight = try #require(stage.body?.operations.first { $0.outputs.last?.name == "conv_0_weight_0" })
            #expect(weight.type.hasPrefix("constexpr_"))
        }
    }

    /// A pipeline in which nothing is compressed is copied byte for byte, with its version.
    @Test func nothingToCompressIsACopy() throws {
        let folder = try TemporaryFolder()
        let source = Self.fixture("pipelines/rectangles.mlpackage")
        let report = try PackageCompressor(.palette(Palettization(bits: 3))).compress(source, to: folder["x.mlpackage"])
        #expect(report.tensors.isEmpty)
        for file in ["model.mlmodel", "weights/0-weight.bin"] {
            let path = "/Data/com.apple.CoreML/" + file
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: folder["x.mlpackage"] + path))
                    == Data(contentsOf: URL(fileURLWithPath: source + path)), "\(file)")
        }
    }

    @Test func weightsAreKeptByTheirNameInThePipeline() throws {
        let folder = try TemporaryFolder()
        let source = Self.fixture("pipelines/rectangles.mlpackage")
        var compressor = PackageCompressor(.palette(Palettization(bits: 2)))
        compressor.minimumElements = 8
        compressor.kept = ["0.conv_0_weight_0"]
        let report = try compressor.compress(source, to: folder["x.mlpackage"])
        #expect(!report.tensors.contains { $0.name == "0.conv_0_weight_0" })
        #expect(report.skipped.contains { $0.name == "0.conv_0_weight_0" && $0.reason.contains("as requested") })
        compressor.kept = ["conv_0_weight_0"]
        #expect(throws: CompressionError.noSuchTensor(file: source, tensor: "conv_0_weight_0")) {
            try compressor.compress(source, to: folder["y.mlpackage"])
        }
    }

    @Test func pipelinesWithoutWeightsAreRefusedByName() throws {
        let folder = try TemporaryFolder()
        let cases = [
            ("pipelines/unknown.mlmodel", "a pipeline of models of the kind"),
            ("tables/forest.mlmodel", "a pipeline of models of the kinds featureVectorizer, treeEnsembleClassifier"),
            ("tables/boosted-softmax.mlmodel", "a model of the kind treeEnsembleClassifier"),
        ]
        for (name, what) in cases {
            #expect {
                try PackageCompressor(.float16).compress(Self.fixture(name), to: folder["x.mlmodel"])
            } throws: { error in
                guard case CompressionError.unsupportedModel(_, let found) = error else { return false }
                return found.hasPrefix(what)
            }
        }
        #expect(try folder.names().isEmpty)
    }

    /// What can be calibrated of a pipeline: its programs and networks, not the suppression behind them.
    @Test func partsOfAPipelineAreFoundByTheirNames() throws {
        let compressor = PackageCompressor(.palette(Palettization(bits: 2)))
        let package = try CoreMLPackage(path: Self.fixture("pipelines/rectangles.mlpackage"))
        let parts = try compressor.calibratedParts(of: package)
        #expect(parts.map(\.prefix) == ["0."])
        #expect(parts[0].version == package.model.specificationVersion)
        let mixed = try compressor.calibratedParts(
            of: CoreMLPackage(path: Self.fixture("shrinking/mixed.mlpackage")))
        #expect(mixed.map(\.prefix) == ["backbone.", "head."])
        #expect(mixed.map { $0.version == nil } == [false, true])
        #expect(throws: CompressionError.self) {
            try compressor.calibratedParts(of: CoreMLPackage(path: Self.fixture("tables/forest.mlmodel")))
        }
    }
}
