internal import Foundation
internal import HearthSystem

/// A results file to which a line is appended for each picture, and which can be resumed.
package actor EvaluationLog {
    /// The results that the file already had.
    package nonisolated let earlier: EvaluationResults
    private nonisolated let file: OpenFile
    private let path: String
    private var position: Int

    /// Opens or creates the file and locks it for this process. Blocks: do not call it on Swift's concurrency threads.
    ///
    /// An incomplete last line is cut off.
    /// - Throws: `ReportError.otherResults` if the file is for another evaluation, `.malformedResults` if it is not a
    ///   results file, `.resultsInUse`, `.unusableResults`; `CancellationError`.
    package static func open(
        _ path: String, _ header: EvaluationHeader, isCancelled: () -> Bool = { false }
    ) throws -> EvaluationLog {
        let files = SystemFiles()
        do {
            let real = RealPath.of(path)
            if let real { try WholeFile.check(real) }
            let file = try files.open(real ?? path, .create, permissions: 0o644)
            do {
                guard try files.lock(file, shared: false) else { throw ReportError.resultsInUse(file: path) }
                return try prepared(file, path, header, isCancelled)
            } catch {
                files.close(file)
                throw error
            }
        } catch let error as FileFailure {
            throw ReportError.unusableResults(file: path, reason: error.reason)
        }
    }

    private init(_ file: OpenFile, _ earlier: EvaluationResults, position: Int) {
        (self.file, self.earlier, self.position) = (file, earlier, position)
        path = earlier.file
    }

    /// Reads existing results, and truncates the file to whole lines.
    private static func prepared(
        _ file: OpenFile, _ path: String, _ header: EvaluationHeader, _ isCancelled: () -> Bool
    ) throws -> EvaluationLog {
        let files = SystemFiles()
        if let found = try EvaluationResults(file, path: path, isCancelled: isCancelled) {
            if let problem = header.conflict(with: found.header) {
                throw ReportError.otherResults(file: path, problem: problem)
            }
            guard found.header.shard == header.shard else {
                throw ReportError.otherResults(
                    file: path, problem: "they are of part \(found.header.shard), not of part \(header.shard)")
            }
            try files.truncate(file, to: found.wholeBytes)
            return EvaluationLog(file, found, position: found.wholeBytes)
        }
        let line = try Self.line(header)
        // Without a whole line the content has to be a prefix of the header, so that no other file is overwritten.
        let size = try files.status(of: file).size
        var there = [UInt8](repeating: 0, count: min(size, line.count))
        let count = try there.withUnsafeMutableBytes { try files.readFully(into: $0, from: file, at: 0) }
        guard size < line.count, line.starts(with: there[..<count]) else {
            throw ReportError.malformedResults(
                file: path, line: 1, problem: "the first line is not that of results of an evaluation")
        }
        try files.writeAll(line, to: file)
        return EvaluationLog(file, EvaluationResults(file: path, header: header, answers: []), position: line.count)
    }

    deinit { SystemFiles().close(file) }

    /// Appends a picture. The line has been passed to the system when this returns, so that it survives the end of the
    /// process.
    /// - Throws: `ReportError.unwritableResults`, for example if the disk is full.
    package func append(_ answers: PictureAnswers) throws {
        let line = try Self.line(answers)
        do {
            try SystemFiles().writeAll(line, to: file, at: position)
        } catch {
            throw ReportError.unwritableResults(file: path, reason: error.reason)
        }
        position += line.count
    }

    private static func line(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }
}
