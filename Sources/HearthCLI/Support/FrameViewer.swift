import HearthCoreML
import HearthImages
package import HearthVision

/// A model's result for a frame: labels or boxes.
package enum Seen: Sendable {
    case classifications([Classification])
    case detections([Detection])

    var rows: [SeenRow] {
        switch self {
        case .classifications(let results): results.map { .classification(ClassificationRow($0)) }
        case .detections(let results): results.map { .detection(DetectionRow($0)) }
        }
    }

    /// The result on one line.
    var brief: String {
        switch self {
        case .classifications(let results): SeenText.brief(results)
        case .detections(let results):
            SeenText.brief(results.map { Classification(label: $0.label, confidence: $0.confidence) })
        }
    }
}

/// Runs a classifier or a detector on frames, depending on the model.
enum FrameViewer: Sendable {
    case classifier(ImageClassifier)
    case detector(ImageDetector)

    /// - Parameter crop: nil for what `hearth classify` and `hearth detect` do: a detector sees the whole image.
    /// - Throws: `CoreMLError` if the model is neither.
    init(_ model: CoreMLInterface, file: String, crop: CropAndScale?) throws {
        self =
            model.labels == nil
            ? .detector(try ImageDetector(model, file: file, crop: crop ?? .scaleFill))
            : .classifier(try ImageClassifier(model, file: file, crop: crop ?? .centerCrop))
    }

    /// The model's image input.
    var picture: SingleImageInput {
        switch self {
        case .classifier(let classifier): classifier.picture
        case .detector(let detector): detector.picture
        }
    }

    /// Runs one inference.
    func look(at picture: OrientedImage, with session: CoreMLSession) async throws -> Seen {
        switch self {
        case .classifier(let classifier):
            .classifications(try classifier.results(of: await session.predict(classifier.inputs(for: picture))))
        case .detector(let detector):
            .detections(try detector.results(of: await session.predict(detector.inputs(for: picture)), in: picture))
        }
    }

    /// A result without the model: main colour and brightness for a classifier, nothing for a detector.
    func guess(_ picture: OrientedImage) -> Seen {
        switch self {
        case .classifier: .classifications(ImageImpression(picture.pixels).classifications)
        case .detector: .detections([])
        }
    }
}
