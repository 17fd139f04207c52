import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthSystem

/// What `hearth inspect` reports about a Core ML package or model.
struct CoreMLReport: Encodable {
    /// A weight: a floating-point constant, or a compressed one.
    struct Tensor: Encodable {
        var name: String
        /// How it is stored: `fp16`, `palette4`, `int8`.
        var type: String
        /// As in the file, slowest-changing dimension first.
        var shape: [Int]
        var bytes: Int
    }

    struct Image: Encodable {
        var width: Int
        var height: Int
        var colorSpace: String
        var flexible: Bool
    }

    struct Feature: Encodable {
        var name: String
        /// `image`, `array fp32`, `dictionary of string`, `string` …
        var type: String
        @ExplicitNull var shape: [Int]?
        @ExplicitNull var image: Image?
    }

    /// Minimum memory for running the model.
    struct Memory: Encodable {
        /// Weights, mapped from the file: the system may drop and reload them.
        var mappedBytes: Int
        /// The peak memory of intermediate tensors, as 32-bit floats; nil if the file does not state their sizes.
        @ExplicitNull var activationBytes: Int?
    }

    /// `mlpackage`, or `mlmodel` for a bare file.
    var format: String
    var specificationVersion: Int
    /// `mlProgram`, `neuralNetworkClassifier` …
    var architecture: String
    @ExplicitNull var opset: String?
    /// The functions of a program, the default one first.
    var functions: [String]
    var quantization: String
    var parameters: Int
    var tensors: [Tensor]
    var metadata: [String: String]
    var operations: [String: Int]
    var inputs: [Feature]
    var outputs: [Feature]
    @ExplicitNull var classes: Int?
    var runnable: Bool
    @ExplicitNull var reason: String?
    var memory: Memory
    /// Size of the model's message and the weight files.
    var bytes: Int

    init(_ package: CoreMLPackage) throws {
        let model = package.model
        format = package.manifest == nil ? "mlmodel" : "mlpackage"
        specificationVersion = model.specificationVersion
        architecture = model.kindName
        opset = package.function?.opset
        functions = package.functionNames
        metadata = Dictionary(model.description.metadata, uniquingKeysWith: { _, last in last })
        operations = package.operationCounts
        inputs = model.description.effectiveInputs.map(Feature.init)
        outputs = model.description.effectiveOutputs.map(Feature.init)
        let weights = try package.weightSummaries()
        tensors = weights.map { Tensor(name: $0.name, type: $0.encoding, shape: $0.shape, bytes: $0.byteCount) }
        parameters = weights.reduce(0) { $0 + $1.count }
        quantization = Self.quantization(of: weights)
        classes = package.classCount
        memory = Memory(mappedBytes: package.weightByteCount, activationBytes: package.activationByteCount)
        bytes = package.modelByteCount + package.weightFileByteCount
        // Building the model shows whether it can run; nothing is computed.
        do {
            if TabularModel.isTabular(package) { _ = try TabularModel(package) } else { _ = try CoreMLModel(package) }
            runnable = true
        } catch {
            runnable = false
            reason = error.localizedDescription
        }
    }

    /// The encoding of most elements of the weights.
    private static func quantization(of weights: [CoreMLWeightSummary]) -> String {
        var counts: [String: Int] = [:]
        for weight in weights { counts[weight.encoding, default: 0] += weight.count }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "none"
    }
}

extension CoreMLReport.Feature {
    init(_ feature: CoreMLFeature) {
        name = feature.name
        switch feature.kind {
        case .int64: type = "int64"
        case .double: type = "double"
        case .string: type = "string"
        case .sequence: type = "sequence"
        case .state: type = "state"
        case .dictionary(let keysAreIntegers): type = "dictionary of \(keysAreIntegers ? "int64" : "string")"
        case .image(let picture):
            type = "image"
            shape = [1, picture.colorSpace.channels, picture.height, picture.width]
            image = CoreMLReport.Image(
                width: picture.width, height: picture.height, colorSpace: picture.colorSpace.name,
                flexible: picture.isFlexible)
        case .multiArray(let array):
            type = "array \(array.element.name)"
            shape = array.shape
        }
    }

    /// The feature on one line of a table.
    fileprivate var shown: String {
        if let image {
            return
                "image \(image.width) × \(image.height) \(image.colorSpace)\(image.flexible ? ", other sizes too" : "")"
        }
        return type + (shape.map { " [\($0.map(String.init).joined(separator: ", "))]" } ?? "")
    }
}

extension CoreMLReport {
    /// The report as a text table.
    var table: String {
        var rows: [(String, String)] = [
            ("format", "Core ML \(format), version \(specificationVersion)\(opset.map { " (\($0))" } ?? "")"),
            ("architecture", architecture),
            ("quantization", quantization),
            ("parameters", "\(ModelReport.grouped(parameters)) in \(tensors.count) tensors"),
            ("size", ByteSize.binary(bytes)),
        ]
        let activations = memory.activationBytes.map { " + \(ByteSize.binary($0)) of activations" } ?? ""
        rows.append(("memory", ByteSize.binary(memory.mappedBytes) + " mapped" + activations))
        if functions.count > 1 {
            rows.append(("functions", functions.map(\.withVisibleControls).joined(separator: ", ")))
        }
        if let classes { rows.append(("classes", "\(classes)")) }
        rows.append(("runnable", runnable ? "yes" : "no: \(reason ?? "")"))
        let counted = operations.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return ModelReport.sections([
            ("", rows),
            ("inputs", inputs.map { ($0.name.withVisibleControls, $0.shown) }),
            ("outputs", outputs.map { ($0.name.withVisibleControls, $0.shown) }),
            (
                "metadata",
                metadata.sorted { $0.key < $1.key }.map {
                    ($0.key.withVisibleControls, MetadataValue.string($0.value).shown)
                }
            ),
            (model == "program" ? "operations" : "layers", counted.map { ($0.key.withVisibleControls, "\($0.value)") }),
            (
                "tensors",
                tensors.map {
                    let shape = $0.shape.map(String.init).joined(separator: " × ")
                    return (
                        $0.name.withVisibleControls,
                        "\($0.type.padded(to: 8)) \(shape.padded(to: 18)) \(ByteSize.binary($0.bytes))"
                    )
                }
            ),
        ])
    }

    private var model: String { architecture == "mlProgram" ? "program" : "network" }
}
