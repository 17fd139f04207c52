import HearthCoreML
import HearthImages

/// Keeps the best of boxes that show the same thing: greedy non-maximum suppression. From the best box down, each one stays
/// unless it overlaps one of its label that stayed.
package struct BoxSuppression: Sendable, Equatable {
    /// Least confidence.
    package var threshold: Float
    /// Of two boxes of one label that overlap by more than this (intersection over union), the better one stays.
    package var intersectionOverUnion: Double
    /// Most boxes that stay.
    package var limit: Int
    /// Most boxes that are compared, the best ones: each is compared with all that stayed.
    package static let candidateLimit = 2000

    /// The defaults are those of Core ML's own detectors.
    package init(threshold: Float = 0.25, intersectionOverUnion: Double = 0.45, limit: Int = 100) {
        self.threshold = threshold
        self.intersectionOverUnion = intersectionOverUnion
        self.limit = limit
    }

    /// What a model does with its boxes by itself: all that stay there may stay.
    init(_ model: SuppressionStep) {
        self.init(
            threshold: model.threshold, intersectionOverUnion: Double(model.intersectionOverUnion),
            limit: Self.candidateLimit)
    }

    /// The boxes that stay, best first; of equal ones the one that came first.
    /// - Throws: `CoreMLError` where a confidence or an edge is not finite.
    package func apply(_ candidates: [Detection]) throws -> [Detection] {
        for (index, candidate) in candidates.enumerated() {
            let box = candidate.box
            guard candidate.confidence.isFinite else {
                throw CoreMLError.nonFiniteOutput(name: "confidences", index: index)
            }
            guard box.x.isFinite, box.y.isFinite, box.width.isFinite, box.height.isFinite else {
                throw CoreMLError.nonFiniteOutput(name: "boxes", index: index)
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
