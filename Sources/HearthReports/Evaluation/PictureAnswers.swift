/// The models' predictions for one picture. A line of a results file.
package struct PictureAnswers: Sendable, Equatable, Codable {
    /// One model's prediction: one of `top`, `boxes` and `values`.
    package struct Answer: Sendable, Equatable, Codable {
        /// The most likely classes, best first; at most `depth`.
        package var top: [Int]?
        /// What a detector found, most confident first.
        package var boxes: [FoundBox]?
        /// The numbers of a regressor.
        package var values: [Double]?
        /// Inference time in milliseconds.
        package var ms: Double

        package init(top: [Int]? = nil, boxes: [FoundBox]? = nil, values: [Double]? = nil, ms: Double) {
            (self.top, self.boxes, self.values, self.ms) = (top, boxes, values, ms)
        }
    }

    /// Number of classes that are kept.
    package static let depth = 5

    /// Index in the list, from 0.
    package var place: Int
    /// The file as in the list.
    package var picture: String
    /// The right class, according to the list.
    package var label: Int?
    /// The objects in the picture, according to the annotations.
    package var boxes: [LabelledBox]?
    /// The right numbers, according to the list.
    package var values: [Double]?
    /// One for each model; empty if the picture could not be read.
    package var answers: [Answer]
    /// Why the picture could not be read.
    package var unreadable: String?

    /// One of `label`, `boxes` and `values` is given.
    package init(
        place: Int, picture: String, label: Int? = nil, boxes: [LabelledBox]? = nil, values: [Double]? = nil,
        answers: [Answer], unreadable: String? = nil
    ) {
        (self.place, self.picture, self.answers, self.unreadable) = (place, picture, answers, unreadable)
        (self.label, self.boxes, self.values) = (label, boxes, values)
    }

    /// Whether the labels are the same.
    func isLabelled(like other: PictureAnswers) -> Bool {
        label == other.label && boxes == other.boxes && values == other.values
    }

    /// What is wrong with a decoded line, given its file's header; nil if it is valid.
    func problem(_ header: EvaluationHeader) -> String? {
        if !(0..<header.pictures).contains(place) || !header.shard.contains(place) {
            return "picture \(place) is not of this part of the list"
        }
        if let problem = labelProblem(header) { return problem }
        if answers.isEmpty, unreadable != nil { return nil }
        if answers.count != header.models.count {
            return "\(answers.count) answers for \(header.models.count) models"
        }
        for answer in answers {
            if let problem = answer.problem(header) { return problem }
            guard answer.ms.isFinite, answer.ms >= 0 else { return "a time is invalid" }
        }
        return nil
    }

    /// The numbers that a label or an answer may have, whose squares can be added up.
    static let numbers = -Double(Float.greatestFiniteMagnitude)...Double(Float.greatestFiniteMagnitude)

    fileprivate static func areNumbers(_ values: [Double]?, _ header: EvaluationHeader) -> Bool {
        values?.count == header.classes && values?.allSatisfy(numbers.contains) == true
    }

    private func labelProblem(_ header: EvaluationHeader) -> String? {
        let classes = 0..<header.classes
        switch header.task ?? .classification {
        case .classification:
            guard let label else { return "the picture has no class" }
            return classes.contains(label) ? nil : "there is no class \(label)"
        case .detection:
            return boxes?.allSatisfy { classes.contains($0.label) } == true
                ? nil : "the boxes of the picture are invalid"
        case .regression: return Self.areNumbers(values, header) ? nil : "the numbers of the picture are invalid"
        }
    }
}

extension PictureAnswers.Answer {
    fileprivate func problem(_ header: EvaluationHeader) -> String? {
        let classes = 0..<header.classes
        switch header.task ?? .classification {
        case .classification:
            guard let top, !top.isEmpty, top.count <= PictureAnswers.depth, top.allSatisfy(classes.contains),
                Set(top).count == top.count
            else { return "an answer is not a list of classes" }
        case .detection:
            guard boxes?.allSatisfy({ classes.contains($0.label) }) == true else {
                return "an answer is not a list of boxes"
            }
        case .regression:
            guard PictureAnswers.areNumbers(values, header) else { return "an answer is not a list of numbers" }
        }
        return nil
    }
}
