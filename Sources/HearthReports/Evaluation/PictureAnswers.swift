/// The models' predictions for one picture. A line of a results file.
package struct PictureAnswers: Sendable, Equatable, Codable {
    /// One model's prediction.
    package struct Answer: Sendable, Equatable, Codable {
        /// The most likely classes, best first; at most `depth`.
        package var top: [Int]
        /// Inference time in milliseconds.
        package var ms: Double

        /// A value put together from its parts.
        package init(top: [Int], ms: Double) { (self.top, self.ms) = (top, ms) }
    }

    /// Number of classes that are kept.
    package static let depth = 5

    /// Index in the list, from 0.
    package var place: Int
    /// The file as in the list.
    package var picture: String
    /// The right class, according to the list.
    package var label: Int
    /// One for each model; empty if the picture could not be read.
    package var answers: [Answer]
    /// Why the picture could not be read.
    package var unreadable: String?

    /// A value put together from its parts.
    package init(place: Int, picture: String, label: Int, answers: [Answer], unreadable: String? = nil) {
        (self.place, self.picture, self.label, self.answers) = (place, picture, label, answers)
        self.unreadable = unreadable
    }

    /// What is wrong with a decoded line, given its file's header; nil if it is valid.
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
            else { return "an answer is not a list of classes" }
            guard answer.ms.isFinite, answer.ms >= 0 else { return "a time is invalid" }
        }
        return nil
    }
}
