internal import Foundation
internal import HearthCoreML
internal import HearthImages
package import HearthReports
internal import HearthSystem
internal import HearthVision

/// Runs models on images. Each image is decoded once and processed by all models in turn, so that external load affects all
/// models equally.
package struct EvaluationRun: Sendable {
    /// An image to be evaluated.
    package struct Subject: Sendable {
        /// Its index in the whole list.
        package var place: Int
        package var name: String
        package var path: String
        /// Its line in the label list.
        package var row: Int
        /// The index of its class.
        package var label: Int
    }

    private let models: EvaluationModels
    private let skipsUnreadable: Bool
    private let log: EvaluationLog?
    private let onSkip: @Sendable (_ reason: String) -> Void

    /// Creates a run.
    /// - Parameters:
    ///   - skipsUnreadable: whether an unreadable image is skipped instead of ending the run.
    ///   - log: stores the answers; nil to keep them in memory only.
    ///   - onSkip: called with a one-line reason for each skipped image.
    package init(
        models: EvaluationModels, skipsUnreadable: Bool, log: EvaluationLog?,
        onSkip: @escaping @Sendable (_ reason: String) -> Void
    ) {
        (self.models, self.skipsUnreadable, self.log, self.onSkip) = (models, skipsUnreadable, log, onSkip)
    }

    /// The images of one shard of a list.
    package static func subjects(
        _ list: LabelList, _ labels: [Int], folder: String, shard: EvaluationShard
    ) -> [Subject] {
        zip(list.rows, labels).enumerated().filter { shard.contains($0.offset) }.map { place, entry in
            let (row, label) = entry
            return Subject(
                place: place, name: row.file, path: row.file.hasPrefix("/") ? row.file : "\(folder)/\(row.file)",
                row: row.line, label: label)
        }
    }

    /// Checks that all files exist, before anything is computed.
    /// - Throws: ``CalibrationError`` with the first row whose image is missing, and the number of missing images.
    package static func checkPresence(_ subjects: [Subject], labels: String, isCancelled: () -> Bool) throws {
        var missing: [Subject] = []
        for subject in subjects {
            if isCancelled() { throw CancellationError() }
            if !FileAccess.canRead(subject.path) { missing.append(subject) }
        }
        guard let first = missing.first else { return }
        throw CalibrationError.missingImages(
            file: labels, row: first.row, path: first.path, others: missing.count - 1, total: subjects.count)
    }

    /// Evaluates images.
    /// - Parameter progress: receives the number of images done.
    /// - Returns: the answers, in the order of `subjects`.
    package func callAsFunction(_ subjects: [Subject], progress: (Int) -> Void) async throws -> [PictureAnswers] {
        let earlier = Dictionary(
            (log?.earlier.answers ?? []).filter { !$0.answers.isEmpty }.map { ($0.place, $0) }, uniquingKeysWith: { $1 }
        )
        var all: [PictureAnswers] = []
        all.reserveCapacity(subjects.count)
        for (number, subject) in subjects.enumerated() {
            try Task.checkCancellation()
            if let known = earlier[subject.place] {
                all.append(known)
            } else {
                let answers = try await answers(subject, turn: number)
                try await log?.append(answers)
                all.append(answers)
            }
            progress(number + 1)
        }
        return all
    }

    private func answers(_ subject: Subject, turn: Int) async throws -> PictureAnswers {
        var result = PictureAnswers(place: subject.place, picture: subject.name, label: subject.label, answers: [])
        do {
            let tensors = try await tensors(subject)
            result.answers = try await answers(tensors, subject, turn: turn)
        } catch let error as ImageError {
            // A missing library affects every image.
            guard error.category == .invalidInput else { throw error }
            let reason = error.localizedDescription
            guard skipsUnreadable else { throw CalibrationError.unreadableImage(message: reason) }
            onSkip(reason)
            result.unreadable = reason
        }
        return result
    }

    /// The model inputs of an image, one per kind of preprocessing. It is decoded once per target size.
    private func tensors(_ subject: Subject) async throws -> [[String: CoreMLTensor]] {
        try await OwnThread.run { [inputs = models.inputs] isCancelled in
            var decoded: [(target: ImageTarget, picture: OrientedImage)] = []
            return try inputs.map { input in
                if isCancelled() { throw CancellationError() }
                let target = input.picture.image.target
                if let known = decoded.first(where: { $0.target == target }) {
                    return try input.inputs(for: known.picture)
                }
                let picture = try ImageDecoder().picture(at: subject.path, for: target)
                decoded.append((target, picture))
                return try input.inputs(for: picture)
            }
        }
    }

    private func answers(
        _ tensors: [[String: CoreMLTensor]], _ subject: Subject, turn: Int
    ) async throws -> [PictureAnswers.Answer] {
        let members = models.members
        var answers = [PictureAnswers.Answer?](repeating: nil, count: members.count)
        for step in members.indices {
            // A different model starts with each image, so that none always runs after the same one and its cache contents.
            let place = (step + turn) % members.count
            let member = members[place]
            let input = tensors[member.input]
            do {
                let (outputs, milliseconds) = try await member.runner.withSoundModel { session in
                    let start = ContinuousClock.now
                    return (try await session.predict(input), (ContinuousClock.now - start).milliseconds)
                }
                answers[place] = PictureAnswers.Answer(
                    top: try member.classifier.places(of: outputs), ms: milliseconds)
            } catch CoreMLError.nonFiniteStep(_, let name, _) {
                throw CalibrationError.nonFiniteOutput(model: member.name, image: subject.name, output: name)
            }
        }
        return answers.compactMap { $0 }
    }
}
