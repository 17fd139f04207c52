public import HearthCoreML
public import HearthImages

/// Converts images to the input of a detector, and its output to boxes in the image.
///
///     let detector = try ImageDetector(session.interface)
///     let found = try detector.results(of: try await session.predict(detector.inputs(for: image)), in: image)
///
/// Supported are pipelines that end in a `nonMaximumSuppression`, models with the outputs `coordinates` and `confidence`,
/// models that end in `non_maximum_suppression`, and models that return all boxes and scores in one or two tensors. Class names
/// come from the model's metadata.
public struct ImageDetector: Sendable {
    /// The class names; empty if the model has none, and results then carry class indices.
    public let labels: [String]
    /// How an image is converted to the model's input.
    public let picture: SingleImageInput
    /// The suppression of overlapping boxes.
    package var suppression: BoxSuppression
    private let layout: DetectorLayout
    /// The model's built-in suppression.
    private let own: SuppressionStep?
    /// The model's path, for errors.
    private let file: String

    /// Creates a detector.
    /// - Parameters:
    ///   - model: inputs and outputs of the model.
    ///   - file: the model's path, for messages.
    ///   - crop: how an image with a different aspect ratio is fitted. `scaleFit` and `scaleFill` crop nothing.
    /// - Throws: ``CoreMLError`` if the model does not take exactly one image, or returns no boxes.
    public init(_ model: CoreMLInterface, file: String = "model", crop: CropAndScale = .scaleFill) throws {
        try self.init(model, file: file, crop: crop, suppression: nil)
    }

    /// Creates a detector with its own suppression settings; nil for those of the model, or Core ML's usual thresholds.
    package init(
        _ model: CoreMLInterface, file: String = "model", crop: CropAndScale = .scaleFill,
        suppression: BoxSuppression?
    ) throws {
        picture = try SingleImageInput(model, file: file, crop: crop)
        own = model.suppression
        self.file = file
        let labels = model.suppression?.labels ?? DetectorLabels.find(model.metadata)
        let outputs = model.outputs.filter { $0.kind == .tensor }
            .map { DetectorLayout.Output(name: $0.name, shape: $0.shape) }
        let layout = own.map { DetectorLayout($0) } ?? DetectorLayout(outputs, labels: labels?.count)
        guard let layout, Set(layout.outputs).isSubset(of: model.outputs.map(\.name)) else {
            throw CoreMLError.notADetector(
                .init(file: file, field: "outputs"), outputs: model.outputs.map { "\($0.name) \($0.shape)" })
        }
        self.labels = labels ?? []
        self.layout = layout
        self.suppression = suppression ?? own.map(BoxSuppression.init) ?? BoxSuppression()
    }

    /// Converts an image to the model's input. Large images take several milliseconds.
    /// - Throws: ``ImageError``.
    public func inputs(for picture: OrientedImage) throws -> [String: CoreMLTensor] {
        try self.picture.tensors(picture).merging(thresholds) { $1 }
    }

    /// The inputs of the model's built-in suppression.
    package var thresholds: [String: CoreMLTensor] {
        guard let own else { return [:] }
        let overlap = Float(suppression.intersectionOverUnion)
        return [
            own.intersectionOverUnionInput: CoreMLTensor(shape: [], values: [overlap]),
            own.thresholdInput: CoreMLTensor(shape: [], values: [suppression.threshold]),
        ]
    }

    /// Detects objects in an image with a loaded model.
    /// - Throws: `CoreMLError`, `ImageError`, `CancellationError`.
    package func results(for picture: OrientedImage, by session: CoreMLSession) async throws -> [Detection] {
        try results(of: try await session.predict(inputs(for: picture)), in: picture)
    }

    /// The detected objects, most confident first. Boxes are fractions of the upright image's width and height, from its top left
    /// corner, clipped to the image.
    /// - Throws: ``CoreMLError``.
    public func results(of outputs: [String: CoreMLTensor], in picture: OrientedImage) throws -> [Detection] {
        let size = self.picture.image.target.size
        var layout = layout
        // After built-in suppression, the number of rows is the number of kept boxes.
        if let own { layout.boxes = (outputs[own.coordinates]?.count ?? 0) / 4 }
        let candidates = try layout.candidates(
            outputs, labels: labels, width: size.width, height: size.height, file: file)
        let plan = self.picture.image.plan(for: picture)
        return try suppression.apply(candidates, file: file).compactMap { found in
            let box = found.box.mapped(by: plan, width: picture.width, height: picture.height)
            guard let box = box.clippedToUnit else { return nil }
            return Detection(label: found.label, confidence: found.confidence, box: box)
        }
    }
}
