internal import Foundation
internal import HearthSystem

/// A file of results: JSON Lines, first what the evaluation is about, then a line for each picture.
///
/// Lines are only ever appended. A process that is killed leaves at most its last line unfinished; that one does not count.
public struct EvaluationResults: Sendable {
    /// The file's path, as it was given.
    public let file: String
    /// What it is about.
    public let header: EvaluationHeader
    /// One for each picture, in the order of the file.
    public private(set) var answers: [PictureAnswers] = []
    /// Bytes up to the end of the last whole line.
    private(set) var wholeBytes: Int

    /// Longest line; a picture's has some hundred bytes.
    private static let longestLine = 1 << 20

    /// Results that are in memory only.
    public init(file: String, header: EvaluationHeader, answers: [PictureAnswers]) {
        (self.file, self.header, self.answers) = (file, header, answers)
        wholeBytes = 0
    }

    /// Reads a file.
    /// - Throws: `CompressionError.malformedResults`, with the line; `.unusableResults` where it cannot be read.
    public init(path: String, isCancelled: () -> Bool = { false }) throws {
        let files = SystemFiles()
        let real = RealPath.of(path) ?? path
        do {
            // Not a pipe, for which opening would wait.
            try WholeFile.check(real)
            let open = try files.open(real, .read, permissions: 0)
            defer { files.close(open) }
            guard let found = try Self(open, path: path, isCancelled: isCancelled) else {
                throw CompressionError.malformedResults(file: path, line: 1, problem: "the file holds no whole line")
            }
            self = found
        } catch let error as FileFailure {
            throw CompressionError.unusableResults(file: path, reason: error.reason)
        }
    }

    /// - Returns: nil where there is not one whole line.
    init?(_ open: OpenFile, path: String, isCancelled: () -> Bool) throws {
        let files = SystemFiles()
        let decoder = JSONDecoder()
        var rest: [UInt8] = []
        var (position, line) = (0, 0)
        var header: EvaluationHeader?
        var places: [Int: Int] = [:]
        var found: [PictureAnswers] = []
        /// A line that makes no sense, if it turns out not to be the last.
        var doubtful: CompressionError?
        var whole = 0
        func failure(_ problem: String) -> CompressionError {
            .malformedResults(file: path, line: line, problem: problem)
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            if isCancelled() { throw CancellationError() }
            let count = try chunk.withUnsafeMutableBytes { try files.read(into: $0, from: open, at: position) }
            if count == 0 { break }
            position += count
            rest += chunk[..<count]
            var begin = rest.startIndex
            while let end = rest[begin...].firstIndex(of: UInt8(ascii: "\n")) {
                line += 1
                if let doubtful { throw doubtful }
                let text = Data(rest[begin..<end])
                begin = end + 1
                if let header {
                    guard let answer = try? decoder.decode(PictureAnswers.self, from: text) else {
                        doubtful = failure("the line is not that of a picture")
                        continue
                    }
                    if let problem = answer.problem(header) { throw failure(problem) }
                    Self.take(answer, into: &found, &places)
                } else {
                    guard let first = try? decoder.decode(EvaluationHeader.self, from: text) else {
                        throw failure("the first line is not that of results of an evaluation")
                    }
                    if let problem = first.problem { throw failure(problem) }
                    header = first
                }
                whole = position - rest.count + begin
            }
            rest.removeFirst(begin)
            guard rest.count <= Self.longestLine else {
                line += 1
                throw failure("the line is longer than \(Self.longestLine >> 20) MiB")
            }
        }
        guard let header else { return nil }
        (file, self.header, answers, wholeBytes) = (path, header, found, whole)
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
    public struct Merged: Sendable {
        /// That of the first part.
        public var header: EvaluationHeader
        /// One for each picture, in the order of the list.
        public var answers: [PictureAnswers]
        /// Pictures of the list that no part has.
        public var missing: Int
        /// Parts of which pictures are missing; empty where the files were not cut into the same number of parts.
        public var missingShards: [EvaluationShard]
        /// Pictures that were in several files, with the same answers.
        public var repeated: Int
    }

    /// Adds up files that are about the same models, labels and pictures.
    ///
    /// A picture that several files have counts once. Which class comes out of a model must not depend on the machine for that: where
    /// the answers differ, one of the files is not what it says to be.
    /// - Parameter parts: at least one.
    /// - Throws: `CompressionError.conflictingResults`, which names the files.
    public static func merge(_ parts: [EvaluationResults]) throws(CompressionError) -> Merged? {
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
