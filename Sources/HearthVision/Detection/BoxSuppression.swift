import HearthCoreML
import HearthImages

/// Greedy non-maximum suppression: keeps the best of overlapping boxes. In order of confidence, a box is kept unless it
/// overlaps a kept box with the same label.
package struct BoxSuppression: Sendable, Equatable {
    /// The minimum confidence.
    package var threshold: Float
    /// The maximum overlap (intersection over union) of two kept boxes with the same label.
    package var intersectionOverUnion: Double
    /// The maximum number of kept boxes.
    package var limit: Int
    /// The maximum number of candidates, best first; each is compared with all kept boxes.
    package static let candidateLimit = 2000

    /// Creates a suppression; the defaults are those of Core ML's own detectors.
    package init(threshold: Float = 0.25, intersectionOverUnion: Double = 0.45, limit: Int = 100) {
        self.threshold = threshold
        self.intersectionOverUnion = intersectionOverUnion
        self.limit = limit
    }

    /// The thresholds of a model's built-in suppression, without a lower limit on the number of boxes.
    init(_ model: SuppressionStep) {
        self.init(
            threshold: model.threshold, intersectionOverUnion: Double(model.intersectionOverUnion),
            limit: Self.candidateLimit)
    }

    /// Returns the kept boxes, best first; ties in input order.
    /// - Parameter file: the model's path, for errors.
    /// - Throws: `CoreMLError` if a confidence or a coordinate is not finite.
    package func apply(_ candidates: [Detection], file: String = "model") throws -> [Detection] {
        for (index, candidate) in candidates.enumerated() {
            let box = candidate.box
            guard candidate.confidence.isFinite else {
                throw CoreMLError.nonFiniteOutput(.init(file: file, field: "confidences"), index: index)
            }
            guard box.x.isFinite, box.y.isFinite, box.width.isFinite, box.height.isFinite else {
                throw CoreMLError.nonFiniteOutput(.init(file: file, field: "boxes"), index: index)
            }
        }
        let best = candidates.indices.filter { candidates[$0].confidence >= threshold }.sorted {
            (candidates[$1].confidence, $0) < (candidates[$0].confidence, $1)
        }
        var kept: [String: [ImageBox]] = [:]
        var result: [Detection] = []
        for index in best.prefix(Self.candidateLimit) where result.count < limit {
            let candidate = candidates[index]
            guard candidate.box.width > 0, candidate.box.height > 0 else { continue }
            let rivals = kept[candidate.label, default: []]
            if rivals.contains(where: { $0.intersectionOverUnion(candidate.box) > intersectionOverUnion }) { continue }
            kept[candidate.label, default: []].append(candidate.box)
            result.append(candidate)
        }
        return result
    }
}
