/// Suppression of boxes that overlap a better one.
extension ReferenceExecutor {
    /// Greedy: the best box stays, those that overlap it too much go, and so on. Boxes of equal score keep their order.
    /// Rules where nothing is left and for padding are those of Core ML's layer of the same name (NeuralNetwork.proto).
    package func suppressed(
        _ boxes: CoreMLTensor, _ scores: CoreMLTensor, _ suppression: GraphSuppression, count: Int
    ) throws -> [CoreMLTensor] {
        let (batch, total, classes) = (scores.shape[0], scores.shape[1], scores.shape[2])
        var keptBoxes = CoreMLTensor(shape: [batch, count, 4])
        var keptScores = CoreMLTensor(shape: [batch, count, classes])
        var places = CoreMLTensor(shape: [batch, count], repeating: -1)
        var counts = CoreMLTensor(shape: [batch])
        for picture in 0..<batch {
            let kept = try survivors(boxes, scores, suppression, picture, count, isNeverEmpty: true)
            counts.values[picture] = Float(kept.count)
            for (rank, index) in kept.enumerated() {
                let (target, source) = (picture * count + rank, picture * total + index)
                places.values[target] = Float(index)
                for part in 0..<4 { keptBoxes.values[target * 4 + part] = boxes.values[source * 4 + part] }
                for label in 0..<classes {
                    keptScores.values[target * classes + label] = scores.values[source * classes + label]
                }
            }
        }
        return [keptBoxes, keptScores, places, counts]
    }

    private struct Candidate {
        var index: Int
        var score: Float
        var label: Int
        /// Left, top, right, bottom.
        var corners: (left: Double, top: Double, right: Double, bottom: Double)

        var area: Double { max(corners.right - corners.left, 0) * max(corners.bottom - corners.top, 0) }

        /// Share of the union that two boxes have in common.
        func overlap(_ other: Candidate) -> Double {
            let width = min(corners.right, other.corners.right) - max(corners.left, other.corners.left)
            let height = min(corners.bottom, other.corners.bottom) - max(corners.top, other.corners.top)
            guard width > 0, height > 0 else { return 0 }
            let common = width * height
            let union = area + other.area - common
            return union > 0 ? common / union : 0
        }
    }

    /// The boxes of a picture that stay, best first.
    /// - Parameters:
    ///   - count: most of them.
    ///   - isNeverEmpty: whether the best one stays where none is good enough.
    package func survivors(
        _ boxes: CoreMLTensor, _ scores: CoreMLTensor, _ suppression: GraphSuppression, _ picture: Int, _ count: Int,
        isNeverEmpty: Bool = false
    ) throws -> [Int] {
        let all = Self.candidates(boxes, scores, picture)
        var rest = all.filter { $0.score >= suppression.score }
        if rest.isEmpty, isNeverEmpty { rest = Array(all.prefix(1)) }
        var kept: [Candidate] = []
        for candidate in rest {
            guard kept.count < count else { break }
            try checkCancellation()
            let isSuppressed = kept.contains { better in
                (!suppression.perClass || better.label == candidate.label)
                    && better.overlap(candidate) > Double(suppression.intersectionOverUnion)
            }
            if !isSuppressed { kept.append(candidate) }
        }
        return kept.map(\.index)
    }

    /// The boxes of a picture, best first.
    private static func candidates(_ boxes: CoreMLTensor, _ scores: CoreMLTensor, _ picture: Int) -> [Candidate] {
        let (total, classes) = (scores.shape[1], scores.shape[2])
        let candidates = (0..<total).map { index -> Candidate in
            let row = scores.values[(picture * total + index) * classes..<(picture * total + index + 1) * classes]
            var best = row.startIndex
            for place in row.indices where row[place] > row[best] || row[best].isNaN { best = place }
            let start = (picture * total + index) * 4
            let (x, y) = (Double(boxes.values[start]), Double(boxes.values[start + 1]))
            let (width, height) = (Double(boxes.values[start + 2]), Double(boxes.values[start + 3]))
            return Candidate(
                // NaN is worse than any number.
                index: index, score: row[best].isNaN ? -.infinity : row[best], label: best - row.startIndex,
                corners: (x - width / 2, y - height / 2, x + width / 2, y + height / 2))
        }
        return candidates.sorted { $0.score == $1.score ? $0.index < $1.index : $0.score > $1.score }
    }
}
