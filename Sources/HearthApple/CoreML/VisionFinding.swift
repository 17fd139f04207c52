internal import HearthCoreML
package import HearthImages

/// What a request of Vision gave back, without the framework's types.
package enum VisionFinding: Sendable, Equatable {
    /// A class and how sure the model is, 0 to 1 (`VNClassificationObservation`).
    case label(String, confidence: Double)
    /// An output of the model (`VNCoreMLFeatureValueObservation`).
    case value(name: String, SystemValue)
    /// Anything else, by the name of its type: objects of a pipeline with a suppression of its own, pictures.
    case other(String)
}

extension CropAndScale {
    /// `VNImageCropAndScaleOption`, by its numbers.
    package var visionOption: UInt {
        switch self {
        case .centerCrop: 0
        case .scaleFit: 1
        case .scaleFill: 2
        }
    }
}

extension SystemFeatures {
    /// The model's outputs as its own prediction would give them. Vision gives a classifier's answer as its classes, the most
    /// confident first.
    /// - Parameter file: the model's path, for messages.
    /// - Throws: `CoreMLError.unsupported` for findings that are no output of the model.
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
