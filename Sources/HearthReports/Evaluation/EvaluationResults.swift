internal import Foundation
internal import HearthSystem

/// A file of results: JSON Lines, first what the evaluation is about, then a line for each picture.
///
/// Lines are only ever appended. A process that is killed leaves at most its last line unfinished; that one does not count.
package struct EvaluationResults: Sendable {
    /// The file's path, as it was given.
    package let file: String
    /// What it is about.
    package let header: EvaluationHeader
    /// One for each picture, in the order of the file.
    package private(set) var answers: [PictureAnswers] = []
    /// Bytes up to the end of the last whole line.
    private(set) var wholeBytes: Int

    /// Results that are in memory only.
    package init(file: String, header: EvaluationHeader, answers: [PictureAnswers]) {
        (self.file, self.header, self.answers) = (file, header, answers)
        wholeBytes = 0
    }

    /// Reads a file.
    /// - Throws: `ReportError.malformedResults`, with the line; `.unusableResults` where it cannot be read.
    package init(path: String, isCancelled: () -> Bool = { false }) throws {
        let files = SystemFiles()
        let real = RealPath.of(path) ?? path
        do {
            // Not a pipe, for which opening would wait.
            try WholeFile.check(real)
            let open = try files.open(real, .read, permissions: 0)
            defer { files.close(open) }
            guard let found = try Self(open, path: path, isCancelled: isCancelled) else {
                throw ReportError.malformedResults(file: path, line: 1, problem: "the file holds no whole line")
            }
            self = found
        } catch let error as FileFailure {
            throw ReportError.unusableResults(file: path, reason: error.reason)
        }
    }

    /// - Returns: nil where there is not one whole line.
    init?(_ open: OpenFile, path: String, isCancelled: () -> Bool) throws {
        var lines = ResultLines(open, path: path)
        guard let first = try lines.next() else { return nil }
        guard let header = try? JSONDecoder().decode(EvaluationHeader.self, from: first) else {
            throw lines.failure("the first line is not that of results of an evaluation")
        }
        if let problem = header.problem { throw lines.failure(problem) }
        self.init(file: path, header: header, answers: [])
        wholeBytes = lines.position
        var places: [Int: Int] = [:]
        /// A line that makes no sense, if it turns out not to be the last.
        var doubtful: ReportError?
        while let line = try lines.next() {
            if isCancelled() { throw CancellationError() }
            if let doubtful { throw doubtful }
            guard let answer = try? JSONDecoder().decode(PictureAnswers.self, from: line) else {
                doubtful = lines.failure("the line is not that of a picture")
                continue
            }
            if let problem = answer.problem(header) { throw lines.failure(problem) }
            Self.take(answer, into: &answers, &places)
            wholeBytes = lines.position
        }
    }

    /// A picture that was read in the end counts as read.
    private static func take(_ answer: PictureAnswers, into found: inout [PictureAnswers], _ places: inout [Int: Int]) {
        guard let earlier = places[answer.place] else {
            places[answer.place] = found.count
            found.append(answer)
            return
        }
        if found[earlier].answers.isEmpty { found[earlier] = answer }
    }
}

extension EvaluationResults {
    /// Results of several parts as those of one evaluation.
    package struct Merged: Sendable {
        /// That of the first part.
        package var header: EvaluationHeader
        /// One for each picture, in the order of the list.
        package var answers: [PictureAnswers]
        /// Pictures of the list that no part has.
        package var missing: Int
        /// Parts of which pictures are missing; empty where the files were not cut into the same number of parts.
        package var missingShards: [EvaluationShard]
        /// Pictures that were in several files, with the same answers.
        package var repeated: Int
    }

    /// Adds up files that are about the same models, labels and pictures.
    ///
    /// A picture that several files have counts once. Which class comes out of a model must not depend on the machine for that: where
    /// the answers differ, one of the files is not what it says to be.
    /// - Parameter parts: at least one.
    /// - Throws: `ReportError.conflictingResults`, which names the files.
    package static func merge(_ parts: [EvaluationResults]) throws(ReportError) -> Merged? {
        guard let first = parts.first else { return nil }
        var found: [Int: (answer: PictureAnswers, file: String)] = [:]
        var repeated = 0
        for part in parts {
            if let problem = first.header.conflict(with: part.header) {
                throw .conflictingResults(file: part.file, with: first.file, problem: problem)
            }
            for answer in part.answers {
                guard let earlier = found[answer.place], !earlier.answer.answers.isEmpty else {
                    found[answer.place] = (answer, part.file)
                    continue
                }
                if answer.answers.isEmpty { continue }
                let isSame =
                    earlier.answer.label == answer.label
                    && zip(earlier.answer.answers, answer.answers).allSatisfy { $0.top == $1.top }
                guard isSame else {
                    throw .conflictingResults(
                        file: part.file, with: earlier.file,
                        problem: "the answers for the picture '\(answer.picture)' are others")
                }
                repeated += 1
            }
        }
        let header = first.header
        let missing = (0..<header.pictures).count - found.count
        var shards: Set<EvaluationShard> = []
        if missing > 0, parts.allSatisfy({ $0.header.shard.count == header.shard.count }) {
            for place in 0..<header.pictures where found[place] == nil {
                let count = header.shard.count
                if let shard = EvaluationShard(place % count + 1, of: count) { shards.insert(shard) }
            }
        }
        return Merged(
            header: header, answers: found.values.map(\.answer).sorted { $0.place < $1.place }, missing: missing,
            missingShards: shards.sorted { $0.index < $1.index }, repeated: repeated)
    }
}
