import Foundation
import HearthApple
import HearthCoreML
import HearthCoreMLFormat
import Synchronization

/// A real Core ML runtime behind the seam of the system's: Hearth's own, speaking as Apple's framework does (folders
/// `.mlmodelc`, pixels in BGRA, probabilities by label, labels as texts).
final class StandInCoreML: SystemCoreML {
    private struct Counts {
        var compiled = 0
        var units: [SystemComputeUnits] = []
    }
    private let counts = Mutex(Counts())

    /// Where it compiles to: of its own, as tests run side by side.
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stand-in-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: folder) }

    var compiled: Int { counts.withLock { $0.compiled } }
    var units: [SystemComputeUnits] { counts.withLock { $0.units } }

    func compile(_ path: String) async throws -> String {
        counts.withLock { $0.compiled += 1 }
        _ = try CoreMLPackage(path: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = folder.appendingPathComponent("\(UUID().uuidString).mlmodelc")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: made)
        return made.path
    }

    func load(_ compiled: String, units: SystemComputeUnits) async throws -> any SystemCoreMLModel {
        counts.withLock { $0.units.append(units) }
        return StandInModel(try CoreMLSession(model: CoreMLModel(path: compiled), threads: 1))
    }
}

final class StandInModel: SystemCoreMLModel {
    let features: SystemFeatures
    private let session: CoreMLSession
    /// Predictions since the state began.
    private let predictions = Mutex(0)

    init(_ session: CoreMLSession) {
        self.session = session
        let interface = session.interface
        features = SystemFeatures(
            inputs: interface.inputs.map { input in
                guard let image = input.image else {
                    return .init(input.name, .array(shape: input.shape, isInteger: false))
                }
                let isGray = image.colorSpace == .grayscale
                return .init(
                    input.name,
                    .image(
                        width: image.width, height: image.height,
                        format: isGray ? SystemFeatures.gray : SystemFeatures.bgra))
            },
            outputs: interface.outputs.map { output in
                switch output.kind {
                case .probabilities: .init(output.name, .dictionary)
                case .label: .init(output.name, .string)
                case .tensor: .init(output.name, .array(shape: output.shape, isInteger: false))
                }
            },
            predictedFeature: interface.outputs.first { $0.kind == .label }?.name,
            probabilities: interface.outputs.first { $0.kind == .probabilities }?.name,
            labels: interface.labels.map { labels in (0..<labels.count).map { labels[$0] } } ?? [], states: ["count"])
    }

    var count: Int { predictions.withLock { $0 } }
    func resetState() { predictions.withLock { $0 = 0 } }

    func predict(_ inputs: [String: SystemValue]) async throws -> [String: SystemValue] {
        predictions.withLock { $0 += 1 }
        var tensors: [String: CoreMLTensor] = [:]
        for input in session.interface.inputs {
            switch inputs[input.name] {
            case .array(let tensor): tensors[input.name] = tensor
            case .image(let pixels): tensors[input.name] = Self.tensor(pixels, input)
            default: break
            }
        }
        let results = try await session.predict(tensors)
        var values: [String: SystemValue] = [:]
        for output in session.interface.outputs {
            guard let tensor = results[output.name] else { continue }
            switch output.kind {
            case .tensor: values[output.name] = .array(tensor)
            case .probabilities:
                values[output.name] = .dictionary(
                    Dictionary(
                        zip(features.labels, tensor.values.map(Double.init)), uniquingKeysWith: { first, _ in first }))
            case .label: values[output.name] = .string(features.labels[Int(tensor.values[0])])
            }
        }
        return values
    }

    /// The framework's own step: planes in the model's order of colours.
    private static func tensor(_ pixels: SystemPixels, _ input: CoreMLInterface.Input) -> CoreMLTensor {
        let count = pixels.width * pixels.height
        if pixels.isGray { return CoreMLTensor(shape: input.shape, values: pixels.bytes.map(Float.init)) }
        let order = input.image?.colorSpace == .bgr ? [0, 1, 2] : [2, 1, 0]
        return CoreMLTensor(
            shape: input.shape,
            values: order.flatMap { channel in (0..<count).map { Float(pixels.bytes[4 * $0 + channel]) } })
    }
}
