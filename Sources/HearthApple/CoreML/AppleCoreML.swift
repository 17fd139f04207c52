internal import HearthCoreML

#if canImport(CoreML)
internal import CoreML
internal import CoreVideo
internal import Foundation
internal import Synchronization

/// The adapter of Apple's framework for ``SystemCoreML``; contains no logic of its own.
struct AppleCoreML: SystemCoreML {
    func compile(_ path: String) async throws -> String {
        try await MLModel.compileModel(at: URL(fileURLWithPath: path)).path
    }

    func load(_ compiled: String, units: SystemComputeUnits) async throws -> any SystemCoreMLModel {
        let configuration = MLModelConfiguration()
        configuration.computeUnits = MLComputeUnits(rawValue: units.rawValue) ?? .all
        let model = try await MLModel.load(contentsOf: URL(fileURLWithPath: compiled), configuration: configuration)
        return AppleCoreMLModel(model)
    }
}

/// Sendable: an `MLModel` may be used from any thread, and the state is replaced under a lock.
final class AppleCoreMLModel: SystemCoreMLModel, @unchecked Sendable {
    let features: SystemFeatures
    let model: MLModel
    private let state: Mutex<KeptState>
    /// The same model wrapped for Vision, created on first use.
    let vision = Mutex<(any Sendable)?>(nil)

    /// A state is used by one prediction at a time, which the model's owner (`ModelRunner`) ensures.
    private struct KeptState: @unchecked Sendable { var state: MLState? }

    init(_ model: MLModel) {
        self.model = model
        features = SystemFeatures(model.modelDescription)
        state = Mutex(KeptState(state: features.states.isEmpty ? nil : model.makeState()))
    }

    func resetState() {
        guard !features.states.isEmpty else { return }
        let new = KeptState(state: model.makeState())
        state.withLock { $0 = new }
    }

    func predict(_ inputs: [String: SystemValue]) async throws -> [String: SystemValue] {
        let provider = try MLDictionaryFeatureProvider(dictionary: inputs.mapValues { try $0.feature() })
        let kept = state.withLock { $0 }
        let result =
            if let state = kept.state {
                try await model.prediction(from: provider, using: state)
            } else {
                try await model.prediction(from: provider)
            }
        var values: [String: SystemValue] = [:]
        for output in features.outputs {
            values[output.name] = try result.featureValue(for: output.name).map { try SystemValue($0) }
        }
        return values
    }
}

extension SystemFeatures {
    fileprivate init(_ description: MLModelDescription) {
        func features(_ descriptions: [String: MLFeatureDescription]) -> [Feature] {
            descriptions.values.sorted { $0.name < $1.name }.map { Feature($0.name, Feature.Kind($0)) }
        }
        self.init(
            inputs: features(description.inputDescriptionsByName),
            outputs: features(description.outputDescriptionsByName),
            predictedFeature: description.predictedFeatureName,
            probabilities: description.predictedProbabilitiesName,
            labels: (description.classLabels ?? []).map { "\($0)" },
            states: description.stateDescriptionsByName.keys.sorted())
    }
}

extension SystemFeatures.Feature.Kind {
    fileprivate init(_ description: MLFeatureDescription) {
        switch description.type {
        case .multiArray:
            let constraint = description.multiArrayConstraint
            self = .array(
                shape: constraint?.shape.map(\.intValue) ?? [], isInteger: constraint?.dataType == .int32)
        case .image:
            let constraint = description.imageConstraint
            self = .image(
                width: constraint?.pixelsWide ?? 0, height: constraint?.pixelsHigh ?? 0,
                format: constraint?.pixelFormatType ?? 0)
        case .dictionary: self = .dictionary
        case .string: self = .string
        case .int64: self = .integer
        case .double: self = .double
        default: self = .other(description.type.rawValue)
        }
    }
}

extension SystemValue {
    fileprivate func feature() throws -> MLFeatureValue {
        switch self {
        case .array(let tensor):
            MLFeatureValue(shapedArray: MLShapedArray<Float>(scalars: tensor.values, shape: tensor.shape))
        case .image(let pixels): MLFeatureValue(pixelBuffer: try pixels.buffer())
        case .dictionary(let values): try MLFeatureValue(dictionary: values.mapValues { NSNumber(value: $0) })
        case .string(let text): MLFeatureValue(string: text)
        case .integer(let number): MLFeatureValue(int64: Int64(number))
        }
    }

    init(_ value: MLFeatureValue) throws {
        switch value.type {
        case .multiArray:
            guard let array = value.multiArrayValue else { throw MLModelOutputError.noValue }
            // The framework converts any type and strides of the output.
            let numbers = MLShapedArray<Float>(converting: array)
            self = .array(CoreMLTensor(shape: numbers.shape, values: numbers.scalars))
        case .dictionary:
            var values: [String: Double] = [:]
            for (label, number) in value.dictionaryValue { values["\(label)"] = number.doubleValue }
            self = .dictionary(values)
        case .string: self = .string(value.stringValue)
        case .int64: self = .integer(Int(value.int64Value))
        case .double: self = .array(CoreMLTensor(shape: [], values: [Float(value.doubleValue)]))
        default: throw MLModelOutputError.otherKind(value.type.rawValue)
        }
    }
}

private enum MLModelOutputError: LocalizedError {
    case noValue
    case otherKind(Int)
    case noMemory(CVReturn)

    var errorDescription: String? {
        switch self {
        case .noValue: "Core ML returned an output without a value."
        case .otherKind(let number): "Core ML returned an output of an unsupported kind (MLFeatureType \(number))."
        case .noMemory(let code): "not enough memory for an image (CVReturn \(code))."
        }
    }
}

extension SystemPixels {
    /// A new pixel buffer with these pixels.
    fileprivate func buffer() throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        let format = isGray ? kCVPixelFormatType_OneComponent8 : kCVPixelFormatType_32BGRA
        // IOSurface-backed memory, which the GPU and the Neural Engine read without a copy.
        let attributes = [kCVPixelBufferIOSurfacePropertiesKey as String: [String: Any]()] as [String: Any]
        let code = CVPixelBufferCreate(nil, width, height, format, attributes as CFDictionary, &made)
        guard let made, code == kCVReturnSuccess else { throw MLModelOutputError.noMemory(code) }
        guard CVPixelBufferLockBaseAddress(made, []) == kCVReturnSuccess else {
            throw MLModelOutputError.noMemory(code)
        }
        defer { CVPixelBufferUnlockBaseAddress(made, []) }
        guard let base = CVPixelBufferGetBaseAddress(made) else { throw MLModelOutputError.noMemory(code) }
        let (row, stride) = (width * (isGray ? 1 : 4), CVPixelBufferGetBytesPerRow(made))
        // Rows of the buffer may be padded.
        let rows = UnsafeMutableRawBufferPointer(start: base, count: height * stride)
        for y in 0..<height {
            UnsafeMutableRawBufferPointer(rebasing: rows[y * stride..<y * stride + row])
                .copyBytes(from: bytes[y * row..<(y + 1) * row])
        }
        return made
    }
}
#endif
