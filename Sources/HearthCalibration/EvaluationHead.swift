internal import HearthCoreML
internal import HearthImages
internal import HearthReports
internal import HearthVision

/// How a model of an evaluation takes an image, and what its outputs answer.
enum EvaluationHead: Sendable {
    case classifier(ImageClassifier)
    /// A detector, and the numbers of the labelled classes by name.
    case detector(ImageDetector, classes: [String: Int])
    /// A model that returns numbers: its outputs, in order.
    case regressor(SingleImageInput, outputs: [Output])

    /// A tensor of a regressor.
    struct Output: Sendable, Equatable {
        var name: String
        var count: Int
    }

    /// The image that the model takes.
    var picture: SingleImageInput {
        switch self {
        case .classifier(let classifier): classifier.picture
        case .detector(let detector, _): detector.picture
        case .regressor(let picture, _): picture
        }
    }

    /// Inputs beside the image.
    var thresholds: [String: CoreMLTensor] {
        guard case .detector(let detector, _) = self else { return [:] }
        return detector.thresholds
    }

    /// The outputs of a model that returns numbers.
    /// - Throws: `CoreMLError` if it has none of a fixed size, or does not take exactly one image.
    static func regressor(_ model: CoreMLInterface, file: String, crop: CropAndScale) throws -> EvaluationHead {
        let outputs = model.outputs.filter { $0.kind == .tensor }
            .map { Output(name: $0.name, count: $0.shape.reduce(1, *)) }
        guard !outputs.isEmpty, outputs.allSatisfy({ $0.count > 0 }) else {
            throw CoreMLError.notAClassifier(.init(file: file, field: "labels"))
        }
        return .regressor(try SingleImageInput(model, file: file, crop: crop), outputs: outputs)
    }

    /// The model's answer.
    /// - Parameter picture: the image that the outputs are of.
    /// - Throws: `CoreMLError`.
    func answer(
        _ outputs: [String: CoreMLTensor], _ picture: OrientedImage, milliseconds: Double
    ) throws -> PictureAnswers.Answer {
        switch self {
        case .classifier(let classifier):
            return PictureAnswers.Answer(top: try classifier.places(of: outputs), ms: milliseconds)
        case .detector(let detector, let classes):
            let (width, height) = (Double(picture.width), Double(picture.height))
            let boxes = try detector.results(of: outputs, in: picture).compactMap { found in
                classes[found.label].map { label in
                    FoundBox(
                        label: label, confidence: Double(found.confidence), x: found.box.x * width,
                        y: found.box.y * height, width: found.box.width * width, height: found.box.height * height)
                }
            }
            return PictureAnswers.Answer(boxes: boxes, ms: milliseconds)
        case .regressor(_, let names):
            let values = names.flatMap { outputs[$0.name]?.values ?? [] }.map(Double.init)
            return PictureAnswers.Answer(values: values, ms: milliseconds)
        }
    }
}
