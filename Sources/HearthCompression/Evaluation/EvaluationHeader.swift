/// What an evaluation is about: the models, and the pictures with their labels. The first line of a file of results.
public struct EvaluationHeader: Sendable, Equatable, Codable {
    /// A model that is evaluated.
    public struct Model: Sendable, Equatable, Codable {
        /// As the user named it.
        public var name: String
        /// SHA-256 of its files.
        public var sha256: String
        /// Bytes on disk.
        public var bytes: Int
        /// Bytes of an archive of it; nil where that was not measured.
        public var downloadBytes: Int?

        /// A value put together from its parts.
        public init(name: String, sha256: String, bytes: Int, downloadBytes: Int?) {
            (self.name, self.sha256, self.bytes, self.downloadBytes) = (name, sha256, bytes, downloadBytes)
        }
    }

    /// What a file of results is known by.
    static let mark = "hearth evaluate"
    private static let newest = 1

    private let kind: String
    private let version: Int
    /// At least one.
    public let models: [Model]
    /// Which model the others are compared with.
    public let reference: Int
    /// Classes that the models tell apart.
    public let classes: Int
    /// Pictures of the whole list.
    public let pictures: Int
    /// SHA-256 of the list (`LabelList.sha256`).
    public let labelsSHA256: String
    /// How pictures are made to fit.
    public let crop: String
    /// Which pictures this is about.
    public let shard: EvaluationShard

    /// A value put together from its parts.
    public init(
        models: [Model], reference: Int, classes: Int, pictures: Int, labelsSHA256: String, crop: String,
        shard: EvaluationShard
    ) {
        (kind, version) = (Self.mark, Self.newest)
        (self.models, self.reference, self.classes, self.pictures) = (models, reference, classes, pictures)
        (self.labelsSHA256, self.crop, self.shard) = (labelsSHA256, crop, shard)
    }

    /// What is wrong with a header that was read; nil for nothing.
    var problem: String? {
        if kind != Self.mark { return "the first line is not that of results of an evaluation" }
        if version != Self.newest { return "results of version \(version), which this program does not read" }
        if models.isEmpty || !models.indices.contains(reference) { return "the first line names no model" }
        if models.contains(where: { $0.bytes < 0 || ($0.downloadBytes ?? 0) < 0 }) { return "a size is below 0" }
        if classes < 1 || pictures < 1 { return "the first line has no classes or no pictures" }
        return nil
    }

    /// What of another evaluation does not go with this one, in words; nil where results may be added up.
    ///
    /// Models are the same by their digests: shards run where paths are others.
    public func conflict(with other: EvaluationHeader) -> String? {
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
        if labelsSHA256 != other.labelsSHA256 || classes != other.classes {
            return "they are of another list of labels, or of the same in another order"
        }
        if crop != other.crop { return "their pictures were made to fit by \(other.crop), not by \(crop)" }
        return nil
    }
}

/// What the models said about one picture. A line of a file of results.
public struct PictureAnswers: Sendable, Equatable, Codable {
    /// What one model said.
    public struct Answer: Sendable, Equatable, Codable {
        /// The best classes, best first; at most five.
        public var top: [Int]
        /// Milliseconds of the inference.
        public var ms: Double

        /// A value put together from its parts.
        public init(top: [Int], ms: Double) { (self.top, self.ms) = (top, ms) }
    }

    /// Of the best classes so many are kept.
    public static let depth = 5

    /// Its place in the list, from 0.
    public var place: Int
    /// The file, as the list names it.
    public var picture: String
    /// The class that the list says.
    public var label: Int
    /// One for each model; none where the picture could not be read.
    public var answers: [Answer]
    /// Why the picture could not be read.
    public var unreadable: String?

    /// A value put together from its parts.
    public init(place: Int, picture: String, label: Int, answers: [Answer], unreadable: String? = nil) {
        (self.place, self.picture, self.label, self.answers) = (place, picture, label, answers)
        self.unreadable = unreadable
    }

    /// What is wrong with a line that was read, under the header of its file; nil for nothing.
    func problem(_ header: EvaluationHeader) -> String? {
        let classes = 0..<header.classes
        if !(0..<header.pictures).contains(place) || !header.shard.contains(place) {
            return "picture \(place) is not of this part of the list"
        }
        if !classes.contains(label) { return "there is no class \(label)" }
        if answers.isEmpty, unreadable != nil { return nil }
        if answers.count != header.models.count {
            return "\(answers.count) answers for \(header.models.count) models"
        }
        for answer in answers {
            guard !answer.top.isEmpty, answer.top.count <= Self.depth, answer.top.allSatisfy(classes.contains),
                Set(answer.top).count == answer.top.count
            else { return "an answer is no list of classes" }
            guard answer.ms.isFinite, answer.ms >= 0 else { return "a time is no time" }
        }
        return nil
    }
}
