import HearthCoreML

/// A label with its confidence.
public struct Classification: Sendable, Equatable, Codable {
    /// The model's label; integer labels in decimal.
    public var label: String
    /// 0 to 1 if the model returns probabilities.
    public var confidence: Float

    /// A label with a confidence.
    package init(label: String, confidence: Float) {
        self.label = label
        self.confidence = confidence
    }
}

/// How many results to return, and their minimum confidence.
public struct TopResults: Sendable, Equatable {
    /// Most results; below 1 counts as none.
    package var limit: Int
    /// Least confidence.
    package var threshold: Float

    /// - Parameters:
    ///   - limit: maximum number of results.
    ///   - threshold: minimum confidence, inclusive.
    public init(limit: Int = 3, threshold: Float = 0.05) {
        self.limit = limit
        self.threshold = threshold
    }

    /// The best of `confidences`, best first; of equal ones the one that comes first.
    /// - Parameter labels: one a confidence.
    /// - Throws: `CoreMLError` where the numbers do not match, or one is not finite: NaN has no place in any order.
    package func select(_ confidences: [Float], labels: [String]) throws -> [Classification] {
        guard confidences.count == labels.count else {
            throw CoreMLError.labelCount(labels: labels.count, results: confidences.count)
        }
        return try indices(confidences).map { Classification(label: labels[$0], confidence: confidences[$0]) }
    }

    /// Places of the best of `confidences`, as `select` has them.
    func indices(_ confidences: [Float]) throws -> [Int] {
        if let index = confidences.firstIndex(where: { !$0.isFinite }) {
            throw CoreMLError.nonFiniteOutput(name: "confidences", index: index)
        }
        guard limit > 0 else { return [] }
        // A few of many thousands: kept in order as they are found.
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
