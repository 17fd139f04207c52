import Foundation
import HearthCalibration
import HearthCompression
import HearthCoreML
import HearthSystem
import HearthTestSupport
import Testing

/// Calibrations that cannot be done: the reason, and no file where the copy would have been.
@Suite("Calibrations that are refused", .timeLimit(.minutes(20)))
struct CalibrationRefusalTests {
    private let folder: TemporaryFolder
    private static let digits = TestFixtures.url("coreml/digits").path
    private static let full = "\(digits)/fp16.mlpackage"

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder["few"], withIntermediateDirectories: true)
        for name in ["0000.png", "0001.png"] {
            try FileManager.default.copyItem(atPath: "\(Self.digits)/images/\(name)", toPath: folder["few/\(name)"])
        }
    }

    /// Compresses the digits' classifier, of which two layers are calibrated; the error has to leave no file.
    private func refusal(
        _ choice: CalibratedCompression.Choice, labels: String? = nil, of path: String = full, images: String = "few"
    ) throws -> CalibrationError? {
        var compressor = PackageCompressor(.palette(Palettization(bits: 4)), threads: 1)
        compressor.kept = Set(try CoreMLModel(path: Self.full).weightedLayers.dropFirst(2).map(\.weight))
        let compression = CalibratedCompression(
            folder: folder[images], labels: labels.map { .init(file: "labels.csv", text: $0) }, choice: choice,
            steps: .all, compressor: compressor)
        let before = try folder.names()
        let error = #expect(throws: CalibrationError.self) {
            _ = try compression.run(
                path, to: folder["small.mlpackage"], replacing: false, began: { _ in }, progress: { _, _ in },
                isCancelled: { false })
        }
        #expect(try folder.names() == before)
        return error
    }

    @Test("Labels have to be the model's, one for each picture")
    func labels() throws {
        let unknown = try refusal(.drop(0.5), labels: "file,label\n0000.png,zero\n0001.png,eleventy\n")
        #expect(unknown == .unknownLabel(file: "labels.csv", line: 3, label: "eleventy"))
        let missing = try refusal(.drop(0.5), labels: "0000.png,zero\n")
        #expect(missing == .unlabelled(file: "labels.csv", image: "0001.png"))
        #expect(try refusal(.drop(0.5), labels: "") == .unlabelled(file: "labels.csv", image: "0000.png"))
    }

    @Test("A size that no choice reaches names the least that one does")
    func budget() throws {
        guard case .budgetTooSmall(10, let least)? = try refusal(.budget(10)) else {
            Issue.record("10 bytes are enough")
            return
        }
        // The layers that are not calibrated stay as they are.
        #expect(least > 50_000 && least < 500_000)
    }

    @Test("A loss that even the largest choice exceeds is a failure")
    func drop() throws {
        // No choice loses less than nothing, so the search ends at the largest.
        guard case .dropTooLarge(let allowed, let found)? = try refusal(.drop(-0.5)) else {
            Issue.record("less than nothing is lost")
            return
        }
        #expect(allowed == -0.5 && found >= 0)
    }

    @Test("Compressed and weightless models have nothing to calibrate, other folders no pictures")
    func nothing() throws {
        let compressed = "\(Self.digits)/pal4.mlpackage"
        #expect(try refusal(.bits(4), of: compressed) == .noLayers(file: compressed))
        #expect(try refusal(.bits(4), images: ".") == .nothingToCalibrate(folder: folder["."], expected: "images"))
        guard case .unreadable(let place, _)? = try refusal(.bits(4), images: "none") else {
            Issue.record("a missing folder was read")
            return
        }
        #expect(place == folder["none"])
    }

    @Test("Files of numbers have the size of the input, finite numbers, and a model of one input")
    func numbers() throws {
        let model = try CoreMLModel(path: TestFixtures.url("coreml/ops/mlp_fp32_ios16.mlpackage").path)
        let count = model.inputs[0].shape.reduce(1, *)
        func inputs() throws -> CalibrationInputs { try CalibrationInputs(folder: folder.path, for: model) }
        func write(_ values: [Float], _ name: String) throws -> String {
            try folder.write(values.withUnsafeBytes { Data($0) }, name)
        }
        _ = try write([Float](repeating: 0.5, count: count), "a.f32")
        #expect(try inputs().names == ["a.f32"])
        var spoilt = [Float](repeating: 0, count: count)
        spoilt[3] = .nan
        let bad = try write(spoilt, "b.f32")
        #expect(throws: CalibrationError.notFinite(file: bad, index: 3)) { _ = try inputs() }
        _ = try write([1, 2], "b.f32")
        #expect(throws: CalibrationError.wrongSize(file: bad, bytes: 8, expected: 4 * count)) { _ = try inputs() }
        try FileManager.default.removeItem(atPath: bad)
        try FileManager.default.createDirectory(atPath: bad, withIntermediateDirectories: true)
        let folderError = #expect(throws: CalibrationError.self) { _ = try inputs() }
        #expect(folderError?.localizedDescription.contains("b.f32") == true)
        let two = try CoreMLModel(path: TestFixtures.url("coreml/flow/branch.mlpackage").path)
        guard two.inputs.count > 1 else { return }
        #expect(throws: CalibrationError.unsupportedInputs(file: two.path, inputs: two.inputs.map(\.name))) {
            _ = try CalibrationInputs(folder: folder.path, for: two)
        }
    }

    @Test(
        "Every error says what, where and what to do in one line",
        arguments: [
            (CalibrationError.unreadable(folder: "/a", reason: "it is locked"), "it is locked (/a)"),
            (.nothingToCalibrate(folder: "/a", expected: ".f32 files"), "a folder with .f32 files"),
            (.wrongSize(file: "/a.f32", bytes: 3, expected: 4), "(/a.f32)"),
            (.notFinite(file: "/a.f32", index: 7), "(/a.f32: element 7)"),
            (.unsupportedInputs(file: "/m", inputs: ["x", "y"]), "(/m: x, y)"),
            (.unknownLabel(file: "/l.csv", line: 3, label: "cat"), "'cat'"),
            (.unlabelled(file: "/l.csv", image: "a.png"), "'a.png'"),
            (.missingImages(file: "/l.csv", row: 2, path: "/a.png", others: 0, total: 5), "/a.png (/l.csv: row 2)"),
            (.missingImages(file: "/l.json", row: nil, path: "/a.png", others: 3, total: 5), "3 more of 5 are missing"),
            (.unreadableImage(message: "It is no picture (a.png)."), "--skip-unreadable"),
            (.differentClasses(model: "/m", count: 3, reference: "/r", referenceCount: 3), "in another order"),
            (.differentClasses(model: "/m", count: 3, reference: "/r", referenceCount: 4), "/r has 4 (/m)"),
            (.otherKind(model: "/m"), "(/m)"),
            (.unknownCategory(file: "/b.json", name: "cat", model: "/m", classes: []), "not named"),
            (
                .unknownCategory(file: "/b.json", name: "cat", model: "/m", classes: (0..<20).map(String.init)),
                "10, 11, … (/b.json)"
            ),
            (.otherSize(file: "/a.png", found: "1 × 2", expected: "2 × 1"), "(/a.png)"),
            (.nonFiniteOutput(model: "/m", image: "a.png", output: "y"), "(/m: a.png)"),
            (.noLayers(file: "/m"), "(/m)"),
            (.noActivations(file: "/m"), "(/m)"),
            (.budgetTooSmall(budget: 5, least: 10), "--budget"),
            (.dropTooLarge(allowed: 0.01, found: 0.25), "25.0 %, more than 1.0 %"),
            (.invalidSetting(name: "hearth compress", problem: "a setting"), "a setting"),
        ])
    func messages(_ error: CalibrationError, _ part: String) {
        let text = error.localizedDescription
        #expect(text.contains(part) && !text.contains("\n") && text.hasSuffix("."), "\(text)")
    }
}
