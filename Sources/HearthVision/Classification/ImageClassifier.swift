public import HearthCoreML
public import HearthImages

/// Converts images to the input of a classifier, and its output to labels.
///
///     let classifier = try ImageClassifier(session.interface)
///     let results = try classifier.results(of: try await session.predict(classifier.inputs(for: image)))
public struct ImageClassifier: Sendable {
    /// The model's labels, in the order of its probabilities.
    public let labels: [String]
    /// How an image is converted to the model's input.
    public let picture: SingleImageInput
    /// How many labels to return, and their minimum confidence.
    public var top: TopResults
    private let output: String
    /// The model's path, for errors.
    private let file: String

    /// Creates a classifier.
    /// - Parameters:
    ///   - model: inputs and outputs of the model.
    ///   - file: the model's path, for messages.
    ///   - crop: how an image with a different aspect ratio is fitted.
    ///   - top: how many labels to return, and their minimum confidence.
    /// - Throws: ``CoreMLError`` if the model does not take exactly one image, or has no labels.
    public init(
        _ model: CoreMLInterface, file: String = "model", crop: CropAndScale = .centerCrop,
        top: TopResults = TopResults()
    ) throws {
        guard let labels = model.labels, labels.count > 0,
            let output = model.outputs.first(where: { $0.kind == .probabilities })
        else { throw CoreMLError.notAClassifier(.init(file: file, field: "labels")) }
        self.labels = (0..<labels.count).map { labels[$0] }
        self.file = file
        self.output = output.name
        picture = try SingleImageInput(model, file: file, crop: crop)
        self.top = top
    }

    /// Converts an image to the model's input. Large images take several milliseconds.
    /// - Throws: ``ImageError``.
    public func inputs(for picture: OrientedImage) throws -> [String: CoreMLTensor] {
        try self.picture.tensors(picture)
    }

    /// The best labels in the model's output, best first.
    /// - Throws: ``CoreMLError``.
    public func results(of outputs: [String: CoreMLTensor]) throws -> [Classification] {
        try top.select(outputs[output]?.values ?? [], labels: labels, file: file)
    }

    /// Classifies an image with a loaded model.
    /// - Throws: `CoreMLError`, `ImageError`, `CancellationError`.
    package func results(for picture: OrientedImage, by session: CoreMLSession) async throws -> [Classification] {
        try results(of: try await session.predict(inputs(for: picture)))
    }

    /// The indices in `labels` of the best classes, best first; distinguishes classes with equal names.
    /// - Throws: `CoreMLError`.
    package func places(of outputs: [String: CoreMLTensor]) throws -> [Int] {
        let confidences = outputs[output]?.values ?? []
        guard confidences.count == labels.count else {
            throw CoreMLError.labelCount(
                .init(file: file, field: "labels"), labels: labels.count, results: confidences.count)
        }
        return try top.indices(confidences, file: file)
    }
}
