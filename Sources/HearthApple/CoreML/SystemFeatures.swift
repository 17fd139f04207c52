package import HearthCoreML
internal import HearthCoreMLFormat

/// The description of a system model (`MLModelDescription`), independent of the framework's types.
package struct SystemFeatures: Sendable, Equatable {
    /// One input or output.
    package struct Feature: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            /// A tensor of this shape; `isInteger` for 32-bit integers.
            case array(shape: [Int], isInteger: Bool)
            /// Pixels; `format` is a `kCVPixelFormatType`.
            case image(width: Int, height: Int, format: UInt32)
            /// Probabilities by label.
            case dictionary
            case string, integer, double
            /// An unsupported kind: sequences, and kinds added by later systems.
            case other(Int)
        }

        package var name: String
        package var kind: Kind

        package init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package var inputs: [Feature]
    package var outputs: [Feature]
    /// The output with the predicted class; nil if the model is not a classifier.
    package var predictedFeature: String?
    /// The output with the probabilities of the classes.
    package var probabilities: String?
    /// The class labels; integers are written in decimal.
    package var labels: [String]
    /// The names of states kept between predictions.
    package var states: [String]

    package init(
        inputs: [Feature], outputs: [Feature], predictedFeature: String? = nil, probabilities: String? = nil,
        labels: [String] = [], states: [String] = []
    ) {
        self.inputs = inputs
        self.outputs = outputs
        self.predictedFeature = predictedFeature
        self.probabilities = probabilities
        self.labels = labels
        self.states = states
    }

    /// Pixel formats by CoreVideo's four-character codes.
    package static let bgra: UInt32 = 0x4247_5241  // BGRA
    package static let argb: UInt32 = 0x0000_0020
    package static let gray: UInt32 = 0x4C30_3038  // L008
    package static let grayHalf: UInt32 = 0x4C30_3068  // L00h

    /// The model's inputs and outputs in Hearth's form.
    ///
    /// Colors of an image input are always RGB: the system converts them to the model's order.
    /// - Parameter file: the model's path, for messages.
    /// - Throws: `CoreMLError.unsupported` for features that are neither images, tensors nor a classifier's results.
    package func interface(file: String) throws -> CoreMLInterface {
        func unsupported(_ feature: Feature, _ what: String) -> CoreMLError {
            .unsupported(.init(file: file, field: feature.name), what: what)
        }
        let inputs = try self.inputs.map { input in
            switch input.kind {
            case .array(let shape, let isInteger):
                return CoreMLInterface.Input(name: input.name, shape: shape, type: isInteger ? .int32 : .float32)
            case .image(let width, let height, let format):
                let isGray = format == Self.gray || format == Self.grayHalf
                let type = CoreMLImageType(
                    width: width, height: height, colorSpace: isGray ? .grayscale : .rgb, isFlexible: false)
                return CoreMLInterface.Input(
                    name: input.name, shape: [1, type.colorSpace.channels, height, width], image: type, type: .float32)
            case .double, .integer:
                return CoreMLInterface.Input(
                    name: input.name, shape: [], type: input.kind == .integer ? .int32 : .float32)
            case .dictionary, .string, .other: throw unsupported(input, "an input of this kind")
            }
        }
        let outputs = try self.outputs.enumerated().map { index, output in
            switch output.kind {
            case .dictionary:
                guard output.name == probabilities else { throw unsupported(output, "a dictionary without labels") }
                return CoreMLInterface.Output(
                    name: output.name, kind: .probabilities, shape: [labels.count], result: index)
            case .string, .integer:
                let kind: CoreMLInterface.Output.Kind = output.name == predictedFeature ? .label : .tensor
                guard kind == .label || output.kind == .integer else { throw unsupported(output, "a text") }
                return CoreMLInterface.Output(name: output.name, kind: kind, shape: [], result: index)
            case .array(let shape, _):
                return CoreMLInterface.Output(name: output.name, kind: .tensor, shape: shape, result: index)
            case .double: return CoreMLInterface.Output(name: output.name, kind: .tensor, shape: [], result: index)
            case .image, .other: throw unsupported(output, "an output of this kind")
            }
        }
        return CoreMLInterface(
            inputs: inputs, outputs: outputs, labels: labels.isEmpty ? nil : .strings(labels), metadata: [:])
    }

    /// Converts inputs, already checked against the interface, to the system's values.
    package func values(_ tensors: [String: CoreMLTensor]) -> [String: SystemValue] {
        var values: [String: SystemValue] = [:]
        for input in inputs {
            guard let tensor = tensors[input.name] else { continue }
            switch input.kind {
            case .image: values[input.name] = .image(SystemPixels(tensor, isBGR: false))
            case .integer: values[input.name] = .integer(tensor.values.first.map { Int($0) } ?? 0)
            default: values[input.name] = .array(tensor)
            }
        }
        return values
    }

    /// Converts the outputs to tensors: probabilities in label order, the predicted class as its index.
    /// - Throws: `CoreMLError` for a value that is missing, of another kind, or not finite.
    package func tensors(_ values: [String: SystemValue], file: String) throws -> [String: CoreMLTensor] {
        var tensors: [String: CoreMLTensor] = [:]
        for output in outputs {
            func malformed(_ problem: String) -> CoreMLError {
                .invalid(.init(file: file, field: output.name), problem: problem)
            }
            guard let value = values[output.name] else { throw malformed("Core ML gave no value for this output") }
            let tensor: CoreMLTensor
            switch value {
            case .array(let array): tensor = array
            case .integer(let number): tensor = CoreMLTensor(shape: [], values: [Float(number)])
            case .dictionary(let probabilities):
                let ordered = labels.map { probabilities[$0] }
                guard !ordered.contains(nil) else { throw malformed("Core ML left out the probability of a label") }
                tensor = CoreMLTensor(shape: [labels.count], values: ordered.compactMap { $0.map { Float($0) } })
            case .string(let label):
                guard let place = labels.firstIndex(of: label) else { throw malformed("'\(label)' is not a label") }
                tensor = CoreMLTensor(shape: [], values: [Float(place)])
            case .image: throw malformed("pixels where numbers were expected")
            }
            if let index = tensor.values.firstIndex(where: { !$0.isFinite }) {
                throw CoreMLError.nonFiniteOutput(.init(file: file, field: output.name), index: index)
            }
            tensors[output.name] = tensor
        }
        return tensors
    }
}
