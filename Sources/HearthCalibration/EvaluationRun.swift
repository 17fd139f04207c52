internal import Foundation
internal import HearthCoreML
internal import HearthImages
package import HearthReports
internal import HearthSystem
internal import HearthVision

/// Shows pictures to models: each is decoded once and seen by all of them in turn, so that whatever slows the machine slows all alike.
package struct EvaluationRun: Sendable {
    /// A picture that is to be shown.
    package struct Subject: Sendable {
        /// Its place in the whole list.
        package var place: Int
        package var name: String
        package var path: String
        /// Its line in the list.
        package var row: Int
        /// The index of its class.
        package var label: Int
    }

    private let models: EvaluationModels
    private let skipsUnreadable: Bool
    private let log: EvaluationLog?
    private let onSkip: @Sendable (_ reason: String) -> Void

    /// - Parameters:
    ///   - skipsUnreadable: whether a picture that cannot be read is left out instead of ending the run.
    ///   - log: where answers are kept; nil keeps them in memory only.
    ///   - onSkip: receives why a picture is left out, in one line.
    package init(
        models: EvaluationModels, skipsUnreadable: Bool, log: EvaluationLog?,
        onSkip: @escaping @Sendable (_ reason: String) -> Void
    ) {
        (self.models, self.skipsUnreadable, self.log, self.onSkip) = (models, skipsUnreadable, log, onSkip)
    }

    /// The pictures of a part of a list.
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

    /// Looks for all files before anything is computed.
    /// - Throws: ``CalibrationError``, which names the first row whose picture is missing, and says how many there are.
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

    /// - Parameter progress: receives the number of images done.
    /// - Returns: answers, in the order of `subjects`.
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
            // What is missing on this machine is missing for every picture.
            guard error.category == .invalidInput else { throw error }
            let reason = error.localizedDescription
            guard skipsUnreadable else { throw CalibrationError.unreadableImage(message: reason) }
            onSkip(reason)
            result.unreadable = reason
        }
        return result
    }

    /// What each way of taking pictures makes of one. An image is decoded once for each size that is asked for.
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
            // Another model begins with each picture: none has always the caches of the same one to clear away.
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
