import Foundation
import HearthCalibration
import HearthCompression
import HearthCoreML
import HearthImages
import Testing

/// What may are in a folder of calibration pictures.
struct CalibrationInputsTests {
    private final class Folder {
        let path = NSTemporaryDirectory() + "hearth-calibration-\(UUID().uuidString)"
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
        func write(_ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
    }

    @Test func theSameFewOfManyAreTaken() throws {
        let model = try DigitsTests.model()
        let folder = "\(DigitsTests.folder)/images"
        let inputs = try CalibrationInputs(folder: folder, for: model, most: 10)
        #expect(inputs.count == 10 && inputs.unused == 390)
        #expect(inputs.names == (0..<10).map { "0\($0 * 40 < 100 ? "0" : "")\($0 * 40 < 10 ? "0" : "")\($0 * 40).png" })
        let all = try CalibrationInputs(folder: folder, for: model)
        #expect(all.count == CalibrationInputs.most && all.unused == 272)
    }

    @Test func emptyFoldersAndMissingOnesAreRefused() throws {
        let model = try DigitsTests.model()
        let folder = try Folder()
        try folder.write("notes.txt", [65])
        #expect(throws: CalibrationError.self) { _ = try CalibrationInputs(folder: folder.path, for: model) }
        #expect(throws: CalibrationError.self) { _ = try CalibrationInputs(folder: folder.path + "/none", for: model) }
    }

    @Test func aPictureThatCannotBeReadIsNamed() throws {
        let model = try DigitsTests.model()
        let folder = try Folder()
        try folder.write("broken.png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])
        let error = #expect(throws: ImageError.self) { _ = try CalibrationInputs(folder: folder.path, for: model) }
        #expect(error?.localizedDescription.contains("broken.png") == true)
    }

    @Test func aStopIsHeard() throws {
        let model = try DigitsTests.model()
        #expect(throws: CancellationError.self) {
            _ = try CalibrationInputs(folder: "\(DigitsTests.folder)/images", for: model, isCancelled: { true })
        }
        let calibration = try DigitsTests.calibration(2, layers: 2)
        #expect(throws: CancellationError.self) {
            _ = try calibration.run(bits: [calibration.layers[0].weight: 2], isCancelled: { true })
        }
    }

    @Test func compressedWeightsCannotBeCalibrated() throws {
        let model = try DigitsTests.model("pal4")
        let inputs = try CalibrationInputs(folder: "\(DigitsTests.folder)/calibration", for: model, most: 2)
        #expect(throws: CalibrationError.noLayers(file: model.path)) { _ = try ModelCalibration(model, inputs) }
    }

    @Test func threadsChangeNoByte() throws {
        var calibration = try DigitsTests.calibration(8, layers: 4)
        let bits = Dictionary(uniqueKeysWithValues: calibration.layers.map { ($0.weight, 2) })
        let one = try calibration.run(bits: bits)
        calibration.threads = 2
        let two = try calibration.run(bits: bits)
        #expect(one.count == 4)
        for (a, b) in zip(one, two) {
            #expect(a.made.weight?.codes == b.made.weight?.codes && a.made.weight?.palettes == b.made.weight?.palettes)
            #expect(a.made.bias == b.made.bias)
        }
    }

    /// Fewer bytes may cost more, and what is handed out keeps to the number.
    @Test func bitsKeepToTheirBudget() throws {
        let mixed = MixedPrecision(try DigitsTests.calibration(8, layers: 4))
        let allocation = try mixed.allocation()
        let least = allocation.bytes(after: 0)
        let result = try mixed.model(within: least + 900, allocation)
        #expect(result.bytes <= least + 900 && result.bytes > least)
        #expect(Set(result.layers.map(\.made.weight?.bits)).count > 1)
        #expect(result.layers.allSatisfy { result.reasons[$0.layer.weight]?.isEmpty == false })
        #expect(throws: CalibrationError.budgetTooSmall(budget: 100, least: least)) {
            _ = try mixed.model(within: 100, allocation)
        }
    }
}
