import Foundation
import HearthCoreML
import HearthGraphProof
import HearthImages
import HearthSystem
import HearthTestSupport
import HearthVision
import Testing

/// Detectors that are pipelines ending in a suppression (Tests/Fixtures/coreml/make_pipelines.py, which has what stays by
/// numpy alone).
@Suite("Pipelines of models", .timeLimit(.minutes(20)))
struct PipelineTests {
    private struct Golden: Decodable {
        var table: [Float]
        /// Overlap and confidence; nil for the model's own.
        var thresholds: [Float]?
        /// Rows that stay, best first.
        var perClass: [Int]
        var allClasses: [Int]
    }

    private static let folder = VisionFixtures.path("pipelines")

    private static func goldens() throws -> [Golden] { try VisionFixtures.json("pipelines/goldens.json") }

    private static func inputs(_ golden: Golden, thresholds: Bool = true) -> [String: CoreMLTensor] {
        var inputs = ["table": CoreMLTensor(shape: [40, 7], values: golden.table)]
        if thresholds, let values = golden.thresholds {
            inputs["iouThreshold"] = CoreMLTensor(shape: [], values: [values[0]])
            inputs["confidenceThreshold"] = CoreMLTensor(shape: [1], values: [values[1]])
        }
        return inputs
    }

    private static func rows(_ golden: Golden, _ rows: [Int], _ columns: Range<Int>) -> [Float] {
        rows.flatMap { row in columns.map { golden.table[row * 7 + $0] } }
    }

    @Test("the boxes that stay are numpy's", arguments: ["perclass.mlpackage", "allclasses.mlmodel"])
    func suppression(_ name: String) async throws {
        let model = try CoreMLModel(path: "\(Self.folder)/\(name)")
        #expect(model.inputs.map(\.name) == ["table"])
        #expect(Set(model.outputs.map(\.name)) == ["confidence", "coordinates"])
        let session = try CoreMLSession(model: model, threads: 1)
        let goldens = try Self.goldens()
        #expect(Set(goldens.map(\.perClass.count)).count > 8)
        for golden in goldens {
            let kept = name.hasPrefix("per") ? golden.perClass : golden.allClasses
            for results in [try model.predict(Self.inputs(golden)), try await session.predict(Self.inputs(golden))] {
                let boxes = CoreMLTensor(shape: [kept.count, 4], values: Self.rows(golden, kept, 0..<4))
                #expect(results["coordinates"] == boxes)
                let scores = CoreMLTensor(shape: [kept.count, 3], values: Self.rows(golden, kept, 4..<7))
                #expect(results["confidence"] == scores)
            }
        }
    }

    @Test("where the model fixes how many rows come out, the rest is 0")
    func filled() throws {
        let model = try CoreMLModel(path: "\(Self.folder)/filled.mlpackage")
        for golden in try Self.goldens() where golden.thresholds == nil {
            let kept = Array(golden.perClass.prefix(12))
            let results = try model.predict(Self.inputs(golden))
            let zeros = [Float](repeating: 0, count: (12 - kept.count) * 4)
            let boxes = CoreMLTensor(shape: [12, 4], values: Self.rows(golden, kept, 0..<4) + zeros)
            #expect(results["coordinates"] == boxes)
            #expect(results["confidence"]?.shape == [12, 3])
        }
    }

    @Test("a detector's own thresholds and labels count, and others may be given")
    func detector() throws {
        let model = try CoreMLModel(path: "\(Self.folder)/rectangles.mlpackage")
        var detector = try ImageDetector(model.interface)
        #expect(detector.labels == ["red", "green", "blue"])
        #expect(detector.suppression.threshold == 0.4 && abs(detector.suppression.intersectionOverUnion - 0.3) < 1e-6)
        var bytes = [UInt8](repeating: 0, count: 64 * 64 * 3)
        // One green and, fainter, one blue.
        for (color, level, left, top) in [(1, 255, 4, 6), (2, 90, 40, 36)] {
            for y in top..<top + 16 { for x in left..<left + 20 { bytes[(y * 64 + x) * 3 + color] = UInt8(level) } }
        }
        let picture = OrientedImage(try PixelImage(width: 64, height: 64, channels: 3, bytes: bytes))
        func found() throws -> [Detection] {
            try detector.results(of: model.predict(detector.inputs(for: picture)), in: picture)
        }
        let sure = try #require(try found().first)
        #expect(try found().count == 1 && sure.label == "green" && sure.confidence > 0.99)
        #expect(abs(sure.box.x - 4.0 / 64) < 0.01 && abs(sure.box.height - 16.0 / 64) < 0.01)
        detector.suppression.threshold = 0.3
        #expect(try found().map(\.label) == ["green", "blue"])
        detector.suppression.intersectionOverUnion = 0.99
        #expect(try found().count > 2)
    }

    @Test("the plan keeps what a detector's end needs")
    func artifact() async throws {
        let model = try CoreMLModel(path: "\(Self.folder)/perclass.mlpackage")
        let compiled = try CompiledModel(model)
        let decoded = try PlanFile.decoder.decode(PlanFile.self, from: PlanFile.encoder.encode(compiled.file))
        #expect(decoded.interface == model.interface && decoded.interface.suppression != nil)
        #expect(decoded.interface.suppression?.problem(results: [120, 160]) != nil)
    }

    @Test("thresholds that are none are refused")
    func thresholds() throws {
        let model = try CoreMLModel(path: "\(Self.folder)/perclass.mlpackage")
        let golden = try #require(try Self.goldens().first)
        var inputs = Self.inputs(golden, thresholds: false)
        for tensor in [
            CoreMLTensor(shape: [2], values: [0, 0]), CoreMLTensor(shape: [], values: [1.5]),
            CoreMLTensor(shape: [], values: [.nan]),
        ] {
            inputs["iouThreshold"] = tensor
            #expect(throws: CoreMLError.self) { try model.predict(inputs) }
        }
    }

    @Test("models of a pipeline that are not computed are listed")
    func unknown() throws {
        #expect {
            try CoreMLModel(path: "\(Self.folder)/unknown.mlmodel")
        } throws: { error in
            guard case CoreMLError.unsupportedOperations(_, let operations)? = error as? CoreMLError else {
                return false
            }
            return operations == ["bayesianProbitRegressor at pipeline.models[0]"]
        }
    }

    @Test("a pipeline with any byte changed is refused, or runs")
    func hostile() throws {
        var random = SeededNumbers(seed: 5)
        var refused = 0
        let golden = try #require(try Self.goldens().first)
        for name in ["allclasses.mlmodel", "perclass.mlpackage/Data/com.apple.CoreML/model.mlmodel"] {
            let original = try Array(VisionFixtures.data("pipelines/\(name)"))
            let folder = try TemporaryFolder()
            for index in 0..<200 {
                var bytes = original
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    let place = Int.random(in: bytes.indices, using: &random)
                    bytes[place] =
                        Bool.random(using: &random) ? bytes[place] &+ 1 : UInt8.random(in: 0...255, using: &random)
                }
                if index % 10 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
                do {
                    let model = try CoreMLModel(path: try folder.write(Data(bytes), "mutant.mlmodel"))
                    guard model.inputs.map(\.shape) == [[40, 7]] else { continue }
                    _ = try model.predict([model.inputs[0].name: Self.inputs(golden)["table"]].compactMapValues { $0 })
                } catch {
                    #expect(error is FileError || error is CoreMLError, "\(error)")
                    refused += 1
                }
            }
        }
        #expect(refused > 40)
    }
}
