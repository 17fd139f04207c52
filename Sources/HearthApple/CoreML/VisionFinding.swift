internal import HearthCoreML
package import HearthImages

/// A result of a Vision request, independent of the framework's types.
package enum VisionFinding: Sendable, Equatable {
    /// A class and its confidence, 0 to 1 (`VNClassificationObservation`).
    case label(String, confidence: Double)
    /// An output of the model (`VNCoreMLFeatureValueObservation`).
    case value(name: String, SystemValue)
    /// Anything else, by type name: objects of a pipeline with built-in non-maximum suppression, images.
    case other(String)
}

extension CropAndScale {
    /// `VNImageCropAndScaleOption`, by raw value.
    package var visionOption: UInt {
        switch self {
        case .centerCrop: 0
        case .scaleFit: 1
        case .scaleFill: 2
        }
    }
}

extension SystemFeatures {
    /// Converts findings to the outputs that the model's own prediction would return. Vision reports a classifier's result as
    /// its classes, the most confident first.
    /// - Parameter file: the model's path, for messages.
    /// - Throws: `CoreMLError.unsupported` for findings that are not outputs of the model.
    package func values(_ findings: [VisionFinding], file: String) throws -> [String: SystemValue] {
        var values: [String: SystemValue] = [:]
        var confidences: [String: Double] = [:]
        var best: (label: String, confidence: Double)?
        for finding in findings {
            switch finding {
            case .label(let label, let confidence):
                confidences[label] = confidence
                if confidence > best?.confidence ?? -.infinity { best = (label, confidence) }
            case .value(let name, let value): values[name] = value
            case .other(let kind):
                throw CoreMLError.unsupported(
                    .init(file: file, field: "outputs"), what: "a Vision result of type \(kind)")
            }
        }
        guard let best else { return values }
        if let probabilities { values[probabilities] = .dictionary(confidences) }
        if let predictedFeature {
            let isNumber = outputs.contains { $0.name == predictedFeature && $0.kind == .integer }
            values[predictedFeature] = isNumber ? Int(best.label).map { .integer($0) } : .string(best.label)
        }
        return values
    }
}
