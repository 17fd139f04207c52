package import HearthCoreML
import HearthImages

/// The layout of boxes and scores in a detector's outputs.
///
/// | outputs | models |
/// |---|---|
/// | `coordinates` [N, 4] and `confidence` [N, classes] | Core ML's detectors |
/// | any two tensors [1, N, 4] and [1, N, classes] | `non_maximum_suppression` as the last operation, SSD without it |
/// | one tensor [1, 4 + classes, N] or [1, N, 4 + classes] | YOLO without suppression |
///
/// A box is center x, center y, width, height, as fractions of the model's input image, from its top left corner. If any value
/// is above 2, all are in pixels.
package struct DetectorLayout: Sendable, Equatable {
    /// The outputs with the values.
    package enum Source: Sendable, Equatable {
        case apart(boxes: String, scores: String)
        case joined(output: String, isTransposed: Bool)
    }

    /// An output of a model.
    package struct Output: Sendable, Equatable {
        var name: String
        var shape: [Int]

        package init(name: String, shape: [Int]) {
            self.name = name
            self.shape = shape
        }

        var count: Int { shape.reduce(1, *) }
    }

    /// The outputs with the values.
    package let source: Source
    /// The number of boxes.
    package var boxes: Int
    /// The number of classes.
    package let classes: Int

    /// Determines the layout; nil if the outputs are not those of a detector.
    /// - Parameter labels: the number of labels; nil if unknown.
    package init?(_ outputs: [Output], labels: Int?) {
        if let found = Self.apart(outputs) {
            source = .apart(boxes: found.boxes.name, scores: found.scores.name)
            boxes = found.boxes.count / 4
            classes = found.scores.count / (found.boxes.count / 4)
        } else if let found = Self.joined(outputs, labels: labels) {
            source = .joined(output: found.output.name, isTransposed: found.isTransposed)
            classes = found.classes
            boxes = found.output.count / (4 + found.classes)
        } else {
            return nil
        }
    }

    /// The layout of a model with built-in suppression.
    init(_ suppression: SuppressionStep) {
        source = .apart(boxes: suppression.coordinates, scores: suppression.confidence)
        boxes = suppression.rows
        classes = suppression.classes
    }

    /// The names of the outputs with the values.
    var outputs: [String] {
        switch source {
        case .apart(let boxes, let scores): [boxes, scores]
        case .joined(let output, _): [output]
        }
    }

    private static func apart(_ outputs: [Output]) -> (boxes: Output, scores: Output)? {
        func named(_ name: String) -> Output? { outputs.first { $0.name == name } }
        if let boxes = named("coordinates"), let scores = named("confidence"), fit(boxes, scores) {
            return (boxes, scores)
        }
        let candidates = outputs.filter { $0.shape.last == 4 }
        // Scores of four classes have the same shape as boxes: the name decides.
        let words = ["box", "coord", "bbox", "location"]
        let boxes =
            candidates.count == 1
            ? candidates.first : candidates.first { output in words.contains { output.name.lowercased().contains($0) } }
        guard let boxes, let scores = outputs.first(where: { $0.name != boxes.name && fit(boxes, $0) }) else {
            return nil
        }
        return (boxes, scores)
    }

    /// Whether there is a row of scores for each box; both without a batch dimension, or with a batch of 1.
    private static func fit(_ boxes: Output, _ scores: Output) -> Bool {
        guard boxes.shape.last == 4, boxes.shape.count >= 2, scores.shape.count >= 2, (scores.shape.last ?? 0) > 0
        else { return false }
        let rows = boxes.shape[boxes.shape.count - 2]
        return rows > 0 && boxes.count == rows * 4 && scores.shape[scores.shape.count - 2] == rows
            && scores.count == rows * (scores.shape.last ?? 0)
    }

    private static func joined(
        _ outputs: [Output], labels: Int?
    ) -> (output: Output, classes: Int, isTransposed: Bool)? {
        for output in outputs where output.shape.count == 3 && output.shape[0] == 1 {
            let (first, second) = (output.shape[1], output.shape[2])
            if let labels {
                if first == 4 + labels, second > 0 { return (output, labels, true) }
                if second == 4 + labels, first > 0 { return (output, labels, false) }
            } else if first > 4, second > 4, first != second {
                // Assumes more boxes than classes.
                return (output, min(first, second) - 4, first < second)
            }
        }
        return nil
    }

    /// All boxes with their best class, in the model's order, as fractions of its input image.
    /// - Parameters:
    ///   - outputs: the model's outputs.
    ///   - labels: one label per class; empty to use class indices.
    ///   - width: the width of the model's input image in pixels.
    ///   - height: its height in pixels.
    ///   - file: the model's path, for errors.
    /// - Throws: `CoreMLError` for values that are not finite, or outputs of unexpected size.
    package func candidates(
        _ outputs: [String: CoreMLTensor], labels: [String], width: Int, height: Int, file: String = "model"
    ) throws -> [Detection] {
        guard labels.isEmpty || labels.count == classes else {
            throw CoreMLError.labelCount(
                .init(file: file, field: "labels"), labels: labels.count, results: classes)
        }
        let table = try Table(self, outputs, file: file)
        let isPixels = (0..<boxes).contains { row in (0..<4).contains { table.edge(row, $0) > 2 } }
        let (across, down) = isPixels ? (1 / Double(width), 1 / Double(height)) : (1, 1)
        return (0..<boxes).map { row in
            var best = 0
            for column in 1..<max(1, classes) where table.score(row, column) > table.score(row, best) { best = column }
            let (w, h) = (Double(table.edge(row, 2)) * across, Double(table.edge(row, 3)) * down)
            return Detection(
                label: labels.isEmpty ? String(best) : labels[best], confidence: table.score(row, best),
                box: ImageBox(
                    x: Double(table.edge(row, 0)) * across - w / 2, y: Double(table.edge(row, 1)) * down - h / 2,
                    width: w, height: h))
        }
    }

    /// Uniform access to the values of both layouts.
    private struct Table {
        private let edges: [Float]
        private let scores: [Float]
        private let rows: Int
        private let classes: Int
        /// For a single tensor: whether boxes are rows of 4 + classes values, or columns.
        private let joined: (isJoined: Bool, isTransposed: Bool)

        init(_ layout: DetectorLayout, _ outputs: [String: CoreMLTensor], file: String) throws {
            (rows, classes) = (layout.boxes, layout.classes)
            switch layout.source {
            case .apart(let boxes, let scores):
                joined = (false, false)
                edges = try Self.values(boxes, outputs, count: layout.boxes * 4, file: file)
                self.scores = try Self.values(scores, outputs, count: layout.boxes * layout.classes, file: file)
            case .joined(let output, let isTransposed):
                joined = (true, isTransposed)
                edges = try Self.values(
                    output, outputs, count: layout.boxes * (4 + layout.classes), file: file)
                scores = edges
            }
        }

        private static func values(
            _ name: String, _ outputs: [String: CoreMLTensor], count: Int, file: String
        ) throws -> [Float] {
            let place = CoreMLError.Place(file: file, field: name)
            guard let tensor = outputs[name], tensor.values.count == count else {
                throw CoreMLError.labelCount(place, labels: count, results: outputs[name]?.values.count ?? 0)
            }
            if let index = tensor.values.firstIndex(where: { !$0.isFinite }) {
                throw CoreMLError.nonFiniteOutput(place, index: index)
            }
            return tensor.values
        }

        func edge(_ row: Int, _ column: Int) -> Float {
            joined.isJoined ? value(row, column) : edges[row * 4 + column]
        }

        func score(_ row: Int, _ column: Int) -> Float {
            joined.isJoined ? value(row, 4 + column) : scores[row * classes + column]
        }

        private func value(_ row: Int, _ column: Int) -> Float {
            edges[joined.isTransposed ? column * rows + row : row * (4 + classes) + column]
        }
    }
}
