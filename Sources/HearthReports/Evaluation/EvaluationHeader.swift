/// What an evaluation covers: the models, and the labelled pictures. The first line of a results file.
package struct EvaluationHeader: Sendable, Equatable, Codable {
    /// A model that is evaluated.
    package struct Model: Sendable, Equatable, Codable {
        /// The name given by the user.
        package var name: String
        /// SHA-256 of its files.
        package var sha256: String
        /// Bytes on disk.
        package var bytes: Int
        /// Size of a compressed archive of it in bytes; nil if not measured.
        package var downloadBytes: Int?

        package init(name: String, sha256: String, bytes: Int, downloadBytes: Int?) {
            (self.name, self.sha256, self.bytes, self.downloadBytes) = (name, sha256, bytes, downloadBytes)
        }
    }

    /// Identifies a results file.
    static let mark = "hearth evaluate"
    /// Earlier versions read those of classifiers, which are of version 1.
    private static let newest = 2

    private let kind: String
    private let version: Int
    /// At least one.
    package let models: [Model]
    /// Index of the model that the others are compared with.
    package let reference: Int
    /// What the models are for; nil for classification.
    package let task: EvaluationTask?
    /// Number of classes that the models distinguish, or of numbers that they return.
    package let classes: Int
    /// The names of a detector's classes, or of a regressor's numbers; nil for classification.
    package let names: [String]?
    /// The minimum confidence of a detector's boxes.
    package let threshold: Float?
    /// The maximum overlap of a detector's boxes; nil for each model's own.
    package let iou: Float?
    /// Number of pictures in the whole list.
    package let pictures: Int
    /// SHA-256 of the list (`LabelList.sha256`).
    package let labelsSHA256: String
    /// How pictures are fitted to the models' input.
    package let crop: String
    /// The part of the pictures that these results cover.
    package let shard: EvaluationShard

    package init(
        models: [Model], reference: Int, task: EvaluationTask? = nil, classes: Int, names: [String]? = nil,
        threshold: Float? = nil, iou: Float? = nil, pictures: Int, labelsSHA256: String, crop: String,
        shard: EvaluationShard
    ) {
        (kind, version) = (Self.mark, task == nil ? 1 : Self.newest)
        (self.task, self.names, self.threshold, self.iou) = (task, names, threshold, iou)
        (self.models, self.reference, self.classes, self.pictures) = (models, reference, classes, pictures)
        (self.labelsSHA256, self.crop, self.shard) = (labelsSHA256, crop, shard)
    }

    /// What is wrong with a decoded header; nil if it is valid.
    var problem: String? {
        if kind != Self.mark { return "the first line is not that of results of an evaluation" }
        if !(1...Self.newest).contains(version) {
            return "results of version \(version), which this program does not read"
        }
        if models.isEmpty || !models.indices.contains(reference) { return "the first line names no model" }
        if models.contains(where: { $0.bytes < 0 || ($0.downloadBytes ?? 0) < 0 }) { return "a size is below 0" }
        if classes < 1 || pictures < 1 { return "the first line has no classes or no pictures" }
        if task != nil, names?.count != classes { return "the first line does not name the classes" }
        return nil
    }

    /// Why results of another evaluation cannot be combined with these; nil if they can.
    ///
    /// Models are compared by digest, since shards may run in places with different paths.
    package func conflict(with other: EvaluationHeader) -> String? {
        if models.count != other.models.count {
            return
                "they are of \(other.models.count == 1 ? "one model" : "\(other.models.count) models"), not of \(models.count)"
        }
        for (own, its) in zip(models, other.models) where own.sha256 != its.sha256 {
            let names = own.name == its.name ? "'\(own.name)'" : "'\(its.name)' instead of '\(own.name)'"
            return
                "they are of another model: \(names), SHA-256 \(its.sha256.prefix(12))… instead of \(own.sha256.prefix(12))…"
        }
        if pictures != other.pictures {
            return "they are of another list of labels: \(other.pictures) pictures instead of \(pictures)"
        }
        if labelsSHA256 != other.labelsSHA256 || classes != other.classes || names != other.names {
            return "they are of another list of labels, or of the same in another order"
        }
        if threshold != other.threshold || iou != other.iou { return "their boxes were found with other thresholds" }
        if crop != other.crop { return "their pictures were made to fit by \(other.crop), not by \(crop)" }
        return nil
    }
}
