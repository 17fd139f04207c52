import HearthCoreML

/// A label with its confidence.
public struct Classification: Sendable, Equatable, Codable {
    /// The model's label; integer labels in decimal.
    public var label: String
    /// The confidence, 0 to 1 if the model returns probabilities.
    public var confidence: Float

    /// Creates a classification.
    package init(label: String, confidence: Float) {
        self.label = label
        self.confidence = confidence
    }
}

/// How many results to return, and their minimum confidence.
public struct TopResults: Sendable, Equatable {
    /// The maximum number of results; values below 1 count as 0.
    package var limit: Int
    /// The minimum confidence.
    package var threshold: Float

    /// Creates the selection criteria.
    /// - Parameters:
    ///   - limit: maximum number of results.
    ///   - threshold: minimum confidence, inclusive.
    public init(limit: Int = 3, threshold: Float = 0.05) {
        self.limit = limit
        self.threshold = threshold
    }

    /// The best of `confidences`, best first; ties in input order.
    /// - Parameters:
    ///   - labels: one label per confidence.
    ///   - file: the model's path, for errors.
    /// - Throws: `CoreMLError` if the counts do not match, or a confidence is not finite: NaN cannot be ordered.
    package func select(
        _ confidences: [Float], labels: [String], file: String = "model"
    ) throws -> [Classification] {
        guard confidences.count == labels.count else {
            throw CoreMLError.labelCount(
                .init(file: file, field: "labels"), labels: labels.count, results: confidences.count)
        }
        return try indices(confidences, file: file).map {
            Classification(label: labels[$0], confidence: confidences[$0])
        }
    }

    /// The indices of the best of `confidences`, in the order of `select`.
    func indices(_ confidences: [Float], file: String) throws -> [Int] {
        if let index = confidences.firstIndex(where: { !$0.isFinite }) {
            throw CoreMLError.nonFiniteOutput(.init(file: file, field: "confidences"), index: index)
        }
        guard limit > 0 else { return [] }
        // Usually a few of many thousands: an insertion sort of the best so far is enough.
        var best: [Int] = []
        best.reserveCapacity(min(limit, confidences.count) + 1)
        for index in confidences.indices where confidences[index] >= threshold {
            if best.count == limit, let last = best.last, confidences[index] <= confidences[last] { continue }
            let place = best.firstIndex { confidences[$0] < confidences[index] } ?? best.endIndex
            best.insert(index, at: place)
            if best.count > limit { best.removeLast() }
        }
        return best
    }
}
