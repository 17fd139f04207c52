/// From a picture to what a detector takes, and from what it gives to boxes in that picture.
///
///     let detector = try ImageDetector(model.interface)
///     let found = try detector.results(of: model.predict(detector.inputs(for: picture)), in: picture)
///
/// Detectors are pipelines that end in a `nonMaximumSuppression`, models with the outputs `coordinates` and `confidence`, models that end in `non_maximum_suppression`, and those
/// that give all boxes and scores in two tensors or in one. Classes are named by the model's metadata.
public struct ImageDetector: Sendable {
    /// The names of classes; empty where the model has none, and results carry the classes' numbers.
    public let labels: [String]
    /// How a picture becomes what the model takes.
    public let picture: SingleImageInput
    /// Which boxes stay.
    package var suppression: BoxSuppression
    private let layout: DetectorLayout
    /// The model's own suppression.
    private let own: SuppressionStep?

    /// - Parameters:
    ///   - file: the model's path, for messages.
    ///   - suppression: nil for what the model says, and where it says nothing for Core ML's usual thresholds.
    ///   - crop: how a picture of another shape becomes one of the model's. Nothing is lost by `scaleFit` and `scaleFill`.
    /// - Throws: `CoreMLError` for a model that takes something else than one picture or gives no boxes.
    public init(_ model: CoreMLInterface, file: String = "model", crop: CropAndScale = .scaleFill) throws {
        try self.init(model, file: file, crop: crop, suppression: nil)
    }

    /// The same, with a suppression that the model's own gives way to.
    package init(
        _ model: CoreMLInterface, file: String = "model", crop: CropAndScale = .scaleFill,
        suppression: BoxSuppression?
    ) throws {
        picture = try SingleImageInput(model, file: file, crop: crop)
        own = model.suppression
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

    /// What the model takes of a picture. Large pictures take milliseconds.
    /// - Throws: `ImageError`.
    public func inputs(for picture: OrientedImage) throws -> [String: CoreMLTensor] {
        var tensors = try self.picture.tensors(picture)
        if let own {
            let overlap = Float(suppression.intersectionOverUnion)
            tensors[own.intersectionOverUnionInput] = CoreMLTensor(shape: [], values: [overlap])
            tensors[own.thresholdInput] = CoreMLTensor(shape: [], values: [suppression.threshold])
        }
        return tensors
    }

    /// What was found, best first: boxes in shares of the picture as a person sees it, from its top left corner, cut to what is
    /// seen of them.
    /// - Throws: `CoreMLError`.
    public func results(of outputs: [String: CoreMLTensor], in picture: OrientedImage) throws -> [Detection] {
        let size = self.picture.image.target.size
        var layout = layout
        // What comes out of a suppression has as many rows as stay.
        if let own { layout.boxes = (outputs[own.coordinates]?.count ?? 0) / 4 }
        let candidates = try layout.candidates(outputs, labels: labels, width: size.width, height: size.height)
        let plan = self.picture.image.plan(for: picture)
        return try suppression.apply(candidates).compactMap { found in
            let box = found.box.mapped(by: plan, width: picture.width, height: picture.height)
            guard let box = box.clippedToUnit else { return nil }
            return Detection(label: found.label, confidence: found.confidence, box: box)
        }
    }
}
