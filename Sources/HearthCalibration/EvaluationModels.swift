internal import HearthCompression
package import HearthCoreML
package import HearthImages
package import HearthReports
package import HearthRuntime
internal import HearthSystem
internal import HearthVision

/// The models of an evaluation: all loaded at the same time, for the same task.
package struct EvaluationModels: Sendable {
    struct Member: Sendable {
        var name: String
        var runner: ModelRunner<CoreMLEngine>
        var head: EvaluationHead
        /// The index of its entry in `inputs`; models with the same preprocessing share one.
        var input: Int
    }

    /// How detectors choose their boxes.
    package struct Boxes: Sendable {
        /// The minimum confidence.
        package var threshold: Float
        /// The maximum overlap of boxes of a class; nil for each model's own.
        package var iou: Float?

        package init(threshold: Float, iou: Float?) { (self.threshold, self.iou) = (threshold, iou) }
    }

    let members: [Member]
    /// One input for each kind of preprocessing.
    let inputs: [SingleImageInput]
    /// The labelled pictures.
    package let list: EvaluationList
    /// How images are fitted.
    package let crop: CropAndScale
    /// The size of each picture according to the annotations.
    let sizes: [ObjectAnnotations.Size?]
    /// Classes of detectors that are no category of the annotations: what is found of them does not count.
    package let uncounted: [String]

    /// Number of classes, or of numbers that a model returns.
    package var classes: Int {
        if case .classifier(let classifier)? = members.first?.head { return classifier.labels.count }
        return list.names.count
    }

    /// Loads all models.
    /// - Parameters:
    ///   - labels: for classifiers or regressors, whatever the first model is, or for detectors.
    ///   - crop: nil for what is usual: `scaleFill` for detectors, `centerCrop` for others.
    ///   - open: returns a model's runner and interface.
    /// - Throws: errors of `open`, `CoreMLError` for a model of another kind, `ReportError` for labels that do not fit,
    ///   ``CalibrationError`` for a model whose classes or outputs differ from the others'.
    package init(
        _ names: [String], labels: EvaluationLabels, crop: CropAndScale?, boxes: Boxes,
        open: (_ name: String) async throws -> (runner: ModelRunner<CoreMLEngine>, interface: CoreMLInterface)
    ) async throws {
        var members: [Member] = []
        var inputs: [SingleImageInput] = []
        for name in names {
            try Task.checkCancellation()
            let (runner, interface) = try await open(name)
            let head = try Self.head(interface, name, labels, crop, boxes, first: members.first?.head)
            let known = inputs.firstIndex { $0.image == head.picture.image && $0.name == head.picture.name }
            if known == nil { inputs.append(head.picture) }
            members.append(Member(name: name, runner: runner, head: head, input: known ?? inputs.count - 1))
        }
        (self.members, self.inputs) = (members, inputs)
        switch labels {
        case .objects(let annotations):
            list = EvaluationList(annotations)
            sizes = annotations.pictures.map(\.size)
            self.crop = crop ?? .scaleFill
            uncounted = Set(members.flatMap { Self.labels($0.head) }).subtracting(annotations.classes).sorted()
        case .table(let table):
            (sizes, uncounted, self.crop) = ([], [], crop ?? .centerCrop)
            if case .regressor(_, let outputs)? = members.first?.head {
                list = try EvaluationList(table, numbers: try Self.outputs(members, outputs))
            } else {
                list = try EvaluationList(table, classes: try Self.classes(members))
            }
        }
    }

    /// - Parameter first: that of the first model, whose kind all have.
    private static func head(
        _ model: CoreMLInterface, _ name: String, _ labels: EvaluationLabels, _ crop: CropAndScale?, _ boxes: Boxes,
        first: EvaluationHead?
    ) throws -> EvaluationHead {
        switch (labels, first) {
        case (.objects(let annotations), _):
            var detector = try ImageDetector(model, file: name, crop: crop ?? .scaleFill)
            detector.suppression.threshold = boxes.threshold
            // Its own may keep thousands, COCO 100.
            detector.suppression.limit = min(detector.suppression.limit, BoxSuppression().limit)
            if let iou = boxes.iou { detector.suppression.intersectionOverUnion = Double(iou) }
            if let unknown = annotations.labelledClasses.first(where: { !detector.labels.contains($0) }) {
                throw CalibrationError.unknownCategory(
                    file: annotations.source, name: unknown, model: name, classes: detector.labels)
            }
            let places = Dictionary(uniqueKeysWithValues: zip(annotations.classes, annotations.classes.indices))
            return .detector(detector, classes: places)
        case (.table, .classifier?): break
        case (.table, .regressor?):
            if model.labels != nil { throw CalibrationError.otherKind(model: name) }
            return try .regressor(model, file: name, crop: crop ?? .centerCrop)
        case (.table, _):
            if model.labels == nil { return try .regressor(model, file: name, crop: crop ?? .centerCrop) }
        }
        return .classifier(
            try ImageClassifier(
                model, file: name, crop: crop ?? .centerCrop,
                top: TopResults(limit: PictureAnswers.depth, threshold: -.greatestFiniteMagnitude)))
    }

    private static func labels(_ head: EvaluationHead) -> [String] {
        switch head {
        case .classifier(let classifier): classifier.labels
        case .detector(let detector, _): detector.labels
        case .regressor: []
        }
    }

    /// The outputs, which must be the same for all models.
    private static func outputs(
        _ members: [Member], _ first: [EvaluationHead.Output]
    ) throws -> [(name: String, count: Int)] {
        for member in members {
            guard case .regressor(_, let own) = member.head, own == first else {
                throw CalibrationError.otherKind(model: member.name)
            }
        }
        return first.map { ($0.name, $0.count) }
    }

    /// The class names, which must be the same for all models. Labels that are numbers from 0 match the names of another model
    /// in order.
    private static func classes(_ members: [Member]) throws -> [String] {
        func isNumbered(_ labels: [String]) -> Bool {
            labels.enumerated().allSatisfy { $0.element == String($0.offset) }
        }
        guard let first = members.first(where: { !isNumbered(labels($0.head)) }) ?? members.first else {
            return []
        }
        let names = labels(first.head)
        for member in members {
            let own = labels(member.head)
            guard own == names || own.count == names.count && isNumbered(own) else {
                throw CalibrationError.differentClasses(
                    model: member.name, count: own.count, reference: first.name, referenceCount: names.count)
            }
        }
        return names
    }

    /// Names, digests and sizes of the models, for the header of the results. Measuring the compressed download size takes
    /// several seconds per hundred megabytes.
    package func described() async throws -> [EvaluationHeader.Model] {
        var models: [EvaluationHeader.Model] = []
        for member in members {
            try Task.checkCancellation()
            let engine = member.runner.engine
            let path = engine.path
            let (bytes, download) = try await OwnThread.run { _ in
                // Without gzip, only this value is missing.
                (try PackageCompressor.byteCount(of: path), try? DeflatedSize.measure(path).compressed)
            }
            models.append(
                EvaluationHeader.Model(
                    name: member.name, sha256: try await engine.profile().modelSHA256, bytes: bytes,
                    downloadBytes: download))
        }
        return models
    }
}
