internal import Foundation
internal import HearthSystem

/// A results file in JSON Lines: a header, then a line for each picture.
///
/// Lines are only appended. A killed process leaves at most an incomplete last line, which is ignored.
package struct EvaluationResults: Sendable {
    /// The file's path as given.
    package let file: String
    /// What the results cover.
    package let header: EvaluationHeader
    /// One for each picture, in the order of the file.
    package private(set) var answers: [PictureAnswers] = []
    /// Bytes up to the end of the last whole line.
    private(set) var wholeBytes: Int

    /// Results in memory only.
    package init(file: String, header: EvaluationHeader, answers: [PictureAnswers]) {
        (self.file, self.header, self.answers) = (file, header, answers)
        wholeBytes = 0
    }

    /// Reads a file.
    /// - Throws: `ReportError.malformedResults`, with the line number; `.unusableResults` if the file cannot be read.
    package init(path: String, isCancelled: () -> Bool = { false }) throws {
        let files = SystemFiles()
        let real = RealPath.of(path) ?? path
        do {
            // Not a pipe: opening it would block.
            try WholeFile.check(real)
            let open = try files.open(real, .read, permissions: 0)
            defer { files.close(open) }
            guard let found = try Self(open, path: path, isCancelled: isCancelled) else {
                throw ReportError.malformedResults(file: path, line: 1, problem: "the file has no complete line")
            }
            self = found
        } catch let error as FileFailure {
            throw ReportError.unusableResults(file: path, reason: error.reason)
        }
    }

    /// - Returns: nil if there is not one whole line.
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
        /// An unparsable line; an error only if it is not the last.
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

    /// A later answer replaces an earlier one if the picture could not be read then.
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
    /// The combined results of several shards.
    package struct Merged: Sendable {
        /// The header of the first shard.
        package var header: EvaluationHeader
        /// One for each picture, in the order of the list.
        package var answers: [PictureAnswers]
        /// Number of pictures in the list that are in no shard.
        package var missing: Int
        /// Shards with missing pictures; empty if the files do not have the same number of shards.
        package var missingShards: [EvaluationShard]
        /// Number of pictures that were in several files, with the same answers.
        package var repeated: Int
    }

    /// Combines files about the same models, labels and pictures.
    ///
    /// A picture in several files counts once. Predicted classes must not depend on the machine: if they differ, one of
    /// the files is not what it claims to be. Boxes and numbers may differ in their last digits.
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
                    earlier.answer.isLabelled(like: answer)
                    && zip(earlier.answer.answers, answer.answers).allSatisfy { $0.top == $1.top }
                guard isSame else {
                    throw .conflictingResults(
                        file: part.file, with: earlier.file,
                        problem: "the answers for the picture '\(answer.picture)' differ")
                }
                repeated += 1
            }
        }
        let header = first.header
        let hasEqualShards = parts.allSatisfy { $0.header.shard.count == header.shard.count }
        return Merged(
            header: header, answers: found.values.map(\.answer).sorted { $0.place < $1.place },
            missing: header.pictures - found.count,
            missingShards: hasEqualShards ? incomplete(header, Array(found.keys)) : [], repeated: repeated)
    }

    /// The shards that lack pictures. Counted by shard: the number of pictures is only what a file claims.
    private static func incomplete(_ header: EvaluationHeader, _ places: [Int]) -> [EvaluationShard] {
        let (pictures, count) = (header.pictures, header.shard.count)
        let found = places.reduce(into: [Int: Int]()) { $0[$1 % count, default: 0] += 1 }
        return (0..<min(count, pictures)).compactMap { index in
            let size = (pictures - 1 - index) / count + 1
            return found[index, default: 0] < size ? EvaluationShard(index + 1, of: count) : nil
        }
    }
}
