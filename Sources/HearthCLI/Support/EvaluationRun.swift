import Foundation
import HearthCoreML
import HearthImages
import HearthReports
import HearthSystem
import HearthVision

/// Shows pictures to models: each is decoded once and seen by all of them in turn, so that whatever slows the machine slows all alike.
struct EvaluationRun: Sendable {
    /// A picture that is to be shown.
    struct Subject: Sendable {
        var place: Int
        var name: String
        var path: String
        var row: Int
        var label: Int
    }

    let models: EvaluationModels
    let skipsUnreadable: Bool
    /// Where answers are kept; nil keeps them in memory only.
    let log: EvaluationLog?

    /// The pictures of a part of a list.
    static func subjects(
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
    /// - Throws: a failure that names the first row whose picture is missing, and says how many there are.
    static func checkPresence(_ subjects: [Subject], labels: String, isCancelled: () -> Bool) throws {
        var missing: [Subject] = []
        for subject in subjects {
            if isCancelled() { throw CancellationError() }
            if access(subject.path, R_OK) != 0 { missing.append(subject) }
        }
        guard let first = missing.first else { return }
        let others = missing.count == 1 ? "" : "; \(missing.count - 1) more of \(subjects.count) are missing"
        throw CommandFailure(
            .invalidInput, "there is no such image: \(first.path)\(others)", at: "\(labels): row \(first.row)",
            todo: "Check --images, or skip unreadable images with --skip-unreadable.")
    }

    /// - Parameter progress: receives the number of images done.
    /// - Returns: answers, in the order of `subjects`.
    func callAsFunction(_ subjects: [Subject], progress: (Int) -> Void) async throws -> [PictureAnswers] {
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
            let failure = CommandFailure(error)
            // What is missing on this machine is missing for every picture.
            guard failure.status == .invalidInput else { throw failure }
            guard skipsUnreadable else {
                throw CommandFailure(
                    .invalidInput,
                    passedOn: failure.message + " Or skip unreadable images with --skip-unreadable.")
            }
            Output.error.writeLine("hearth: note: skipped: " + failure.message.withVisibleControls)
            result.unreadable = failure.message
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
                let (outputs, milliseconds) = try await member.host.runner.withSoundModel { session in
                    try await PictureRun.timed { try await session.predict(input) }
                }
                answers[place] = PictureAnswers.Answer(
                    top: try member.classifier.places(of: outputs), ms: milliseconds)
            } catch CoreMLError.nonFiniteStep(_, let name, _) {
                throw CommandFailure(
                    .failure, "a result is not a finite number (output \(name))", at: "\(member.name): \(subject.name)",
                    todo: "Exclude this model: its weights are damaged, or it was compressed too far.")
            }
        }
        return answers.compactMap { $0 }
    }
}
