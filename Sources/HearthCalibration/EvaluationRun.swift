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
        /// What is known of it: its place in the list, its name and its labels.
        package var picture: PictureAnswers
        package var path: String
        /// Its line in the label list; nil if the list has no lines.
        package var row: Int?
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
    package static func subjects(_ list: EvaluationList, folder: String, shard: EvaluationShard) -> [Subject] {
        list.pictures.filter { shard.contains($0.place) }.map { picture in
            let file = picture.picture
            return Subject(
                picture: picture, path: file.hasPrefix("/") ? file : "\(folder)/\(file)",
                row: list.lines?[picture.place])
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
            if let known = earlier[subject.picture.place] {
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
        var result = subject.picture
        do {
            let images = try await images(subject)
            result.answers = try await answers(images, subject, turn: turn)
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

    /// An image, and the input that is made of it.
    private typealias Prepared = (picture: OrientedImage, tensors: [String: CoreMLTensor])

    /// The model inputs of an image, one per kind of preprocessing. It is decoded once per target size.
    private func images(_ subject: Subject) async throws -> [Prepared] {
        try await OwnThread.run { [models] isCancelled in
            var decoded: [(target: ImageTarget, picture: OrientedImage)] = []
            return try models.inputs.map { input in
                if isCancelled() { throw CancellationError() }
                let target = input.image.target
                if let known = decoded.first(where: { $0.target == target }) {
                    return (known.picture, try input.tensors(known.picture))
                }
                let picture = try ImageDecoder().picture(at: subject.path, for: target)
                try models.checkSize(picture, subject)
                decoded.append((target, picture))
                return (picture, try input.tensors(picture))
            }
        }
    }

    private func answers(
        _ images: [Prepared], _ subject: Subject, turn: Int
    ) async throws -> [PictureAnswers.Answer] {
        let members = models.members
        var answers = [PictureAnswers.Answer?](repeating: nil, count: members.count)
        for step in members.indices {
            // A different model starts with each image, so that none always runs after the same one and its cache contents.
            let place = (step + turn) % members.count
            let member = members[place]
            let image = images[member.input]
            let input = image.tensors.merging(member.head.thresholds) { $1 }
            do {
                let (outputs, milliseconds) = try await member.runner.withSoundModel { session in
                    let start = ContinuousClock.now
                    return (try await session.predict(input), (ContinuousClock.now - start).milliseconds)
                }
                answers[place] = try member.head.answer(outputs, image.picture, milliseconds: milliseconds)
            } catch CoreMLError.nonFiniteStep(_, let name, _) {
                throw CalibrationError.nonFiniteOutput(
                    model: member.name, image: subject.picture.picture, output: name)
            }
        }
        return answers.compactMap { $0 }
    }
}

extension EvaluationModels {
    /// Boxes are in pixels of the upright image.
    fileprivate func checkSize(_ picture: OrientedImage, _ subject: EvaluationRun.Subject) throws {
        let place = subject.picture.place
        guard sizes.indices.contains(place), let size = sizes[place],
            size != ObjectAnnotations.Size(width: picture.width, height: picture.height)
        else { return }
        throw CalibrationError.otherSize(
            file: subject.path, found: "\(picture.width) × \(picture.height)",
            expected: "\(size.width) × \(size.height)")
    }
}
