/// The end of a detector's pipeline: of boxes that overlap, the most confident stays. How many stay is known only when it
/// runs, so the outputs have another number of rows each time.
///
/// Rules are those of Core ML's `NonMaximumSuppression.proto`: a box counts as of its best class.
package struct SuppressionStep: Sendable, Equatable, Codable {
    /// The output with the boxes that stay, [rows, 4]: centre x, centre y, width, height.
    package let coordinates: String
    /// The output with their scores, [rows, classes].
    package let confidence: String
    /// Which results of the network they are made of.
    let coordinatesResult: Int
    let confidenceResult: Int
    /// Boxes before suppression.
    package let rows: Int
    /// Classes that are told apart.
    package let classes: Int
    /// Of two boxes that overlap by more than this (intersection over union), the better one stays.
    package let intersectionOverUnion: Float
    /// Least confidence of a box in its best class.
    package let threshold: Float
    /// Whether a box only suppresses boxes of its own class.
    package let isPerClass: Bool
    /// The classes, where the model names them.
    package let labels: [String]?
    /// An input of one value that takes the place of the most overlap; it may be left out.
    package let intersectionOverUnionInput: String
    /// An input of one value that takes the place of the least confidence; it may be left out.
    package let thresholdInput: String
    /// Rows of the outputs, if the model fixes them: unused rows are 0.
    let filled: Int?

    /// What of the inputs is a threshold, and not the network's.
    func isThreshold(_ name: String) -> Bool { name == intersectionOverUnionInput || name == thresholdInput }

    /// The thresholds that stand among inputs.
    /// - Throws: `CoreMLError` for one that is no single value between 0 and 1.
    func thresholds(_ given: [String: CoreMLTensor]) throws -> GraphSuppression {
        func value(_ name: String, or usual: Float) throws -> Float {
            guard let tensor = given[name] else { return usual }
            guard tensor.values.count == 1, tensor.shape.allSatisfy({ $0 == 1 }) else {
                throw CoreMLError.inputShape(name: name, expected: [1], found: tensor.shape)
            }
            guard (0...1).contains(tensor.values[0]) else {
                throw CoreMLError.thresholdOutOfRange(name: name, value: tensor.values[0])
            }
            return tensor.values[0]
        }
        return GraphSuppression(
            intersectionOverUnion: try value(intersectionOverUnionInput, or: intersectionOverUnion),
            score: try value(thresholdInput, or: threshold), perClass: isPerClass)
    }

    /// What stays of the network's results, under the outputs' names.
    /// - Parameter file: the model's path, for errors.
    /// - Throws: `CoreMLError.nonFiniteOutput`, `CancellationError`.
    func apply(
        _ results: [CoreMLTensor], _ thresholds: GraphSuppression, file: String
    ) throws -> [String: CoreMLTensor] {
        let boxes = CoreMLTensor(shape: [1, rows, 4], values: results[coordinatesResult].values)
        let scores = CoreMLTensor(shape: [1, rows, classes], values: results[confidenceResult].values)
        for (name, tensor) in [(coordinates, boxes), (confidence, scores)] {
            if let index = tensor.values.firstIndex(where: { !$0.isFinite }) {
                throw CoreMLError.nonFiniteOutput(.init(file: file, field: name), index: index)
            }
        }
        let kept = try ReferenceExecutor.stoppedByTask.survivors(boxes, scores, thresholds, 0, rows).prefix(
            filled ?? rows)
        func stayed(_ tensor: CoreMLTensor, _ width: Int) -> CoreMLTensor {
            var values: [Float] = []
            for row in kept { values += tensor.values[row * width..<(row + 1) * width] }
            let count = filled ?? kept.count
            values += repeatElement(0, count: count * width - values.count)
            return CoreMLTensor(shape: [count, width], values: values)
        }
        return [coordinates: stayed(boxes, 4), confidence: stayed(scores, classes)]
    }

    /// What is wrong with it beside a network with results of these sizes; nil for nothing. It may come from a file.
    package func problem(results: [Int]) -> String? {
        guard results.indices.contains(coordinatesResult), results.indices.contains(confidenceResult), rows > 0,
            classes > 0, rows <= GraphLimits.elements, classes <= GraphLimits.elements,
            results[coordinatesResult] == rows * 4, results[confidenceResult] == rows * classes,
            labels.map({ $0.count == classes }) ?? true, (0...1).contains(intersectionOverUnion),
            (0...1).contains(threshold), (1...GraphLimits.foldedElements).contains(filled ?? 1)
        else { return "the suppression of boxes does not fit the network's results" }
        return nil
    }
}
