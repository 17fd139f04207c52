/// From a picture to what a classifier takes, and from what it gives to labels.
///
///     let classifier = try ImageClassifier(model.interface)
///     let results = try classifier.results(of: model.predict(classifier.inputs(for: picture)))
public struct ImageClassifier: Sendable {
    /// The model's labels, in the order of its probabilities.
    public let labels: [String]
    /// How a picture becomes what the model takes.
    public let picture: SingleImageInput
    /// How many labels are wanted, and how sure of them the model has to be.
    public var top: TopResults
    private let output: String

    /// - Parameters:
    ///   - file: the model's path, for messages.
    ///   - crop: how a picture of another shape becomes one of the model's.
    /// - Throws: `CoreMLError` for a model that takes something else than one picture or has no labels.
    public init(
        _ model: CoreMLInterface, file: String = "model", crop: CropAndScale = .centerCrop,
        top: TopResults = TopResults()
    ) throws {
        guard let labels = model.labels, labels.count > 0,
            let output = model.outputs.first(where: { $0.kind == .probabilities })
        else { throw CoreMLError.notAClassifier(.init(file: file, field: "labels")) }
        self.labels = (0..<labels.count).map { labels[$0] }
        self.output = output.name
        picture = try SingleImageInput(model, file: file, crop: crop)
        self.top = top
    }

    /// What the model takes of a picture. Large pictures take milliseconds.
    /// - Throws: `ImageError`.
    public func inputs(for picture: OrientedImage) throws -> [String: CoreMLTensor] {
        try self.picture.tensors(picture)
    }

    /// The best labels of what the model gave, best first.
    /// - Throws: `CoreMLError`.
    public func results(of outputs: [String: CoreMLTensor]) throws -> [Classification] {
        try top.select(outputs[output]?.values ?? [], labels: labels)
    }

    /// Places in `labels` of the best, best first: they tell classes apart that have one name.
    /// - Throws: `CoreMLError`.
    package func places(of outputs: [String: CoreMLTensor]) throws -> [Int] {
        let confidences = outputs[output]?.values ?? []
        guard confidences.count == labels.count else {
            throw CoreMLError.labelCount(labels: labels.count, results: confidences.count)
        }
        return try top.indices(confidences)
    }
}
