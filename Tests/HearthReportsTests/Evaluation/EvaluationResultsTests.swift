import Foundation
import HearthReports
import HearthTestSupport
import Testing

@Suite("Results of evaluations", .timeLimit(.minutes(20)))
struct EvaluationResultsTests {
    private typealias Samples = EvaluationSamples
    private static let wrong: [Set<Int>] = [[1, 7], [1, 2, 30]]

    private func write(_ path: String, _ header: EvaluationHeader, _ answers: [PictureAnswers]) async throws {
        let log = try EvaluationLog.open(path, header)
        for answer in answers { try await log.append(answer) }
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test("What is written is read; a file goes on where it ends")
    func resume() async throws {
        let folder = try TemporaryFolder()
        let (header, answers) = (
            Samples.header(sizes: [9, 5], pictures: 40), Samples.answers(pictures: 40, wrong: Self.wrong)
        )
        try await write(folder["r"], header, Array(answers[..<15]))
        do {
            let log = try EvaluationLog.open(folder["r"], header)
            #expect(log.earlier.answers == Array(answers[..<15]) && log.earlier.header == header)
            #expect(throws: ReportError.resultsInUse(file: folder["r"])) {
                try EvaluationLog.open(folder["r"], header)
            }
            for answer in answers[15...] { try await log.append(answer) }
        }
        let results = try EvaluationResults(path: folder["r"])
        #expect(results.answers == answers && results.header == header)
    }

    @Test("Cut off at any byte, a file loses at most the line that was being written")
    func torn() async throws {
        let folder = try TemporaryFolder()
        let (header, answers) = (
            Samples.header(sizes: [9, 5], pictures: 6), Samples.answers(pictures: 6, wrong: Self.wrong)
        )
        try await write(folder["whole"], header, answers)
        let whole = try bytes(folder["whole"])
        for end in 0...whole.count {
            let path = folder["torn"]
            try whole.prefix(end).write(to: URL(fileURLWithPath: path))
            let lines = whole.prefix(end).count { $0 == UInt8(ascii: "\n") }
            do {
                let log = try EvaluationLog.open(path, header)
                #expect(log.earlier.answers == Array(answers.prefix(max(0, lines - 1))), "\(end)")
                for answer in answers.dropFirst(max(0, lines - 1)) { try await log.append(answer) }
            }
            #expect(try bytes(path) == whole, "\(end)")
        }
    }

    @Test("A last line that a loss of power left full of zeros does not count either")
    func zeros() async throws {
        let folder = try TemporaryFolder()
        let (header, answers) = (
            Samples.header(sizes: [9, 5], pictures: 6), Samples.answers(pictures: 6, wrong: Self.wrong)
        )
        try await write(folder["r"], header, Array(answers[..<3]))
        let whole = try bytes(folder["r"])
        for tail in [[UInt8](repeating: 0, count: 700), [UInt8](repeating: 0, count: 80) + [0x0A]] {
            try (whole + tail).write(to: URL(fileURLWithPath: folder["r"]))
            let log = try EvaluationLog.open(folder["r"], header)
            #expect(log.earlier.answers == Array(answers[..<3]))
            #expect(try bytes(folder["r"]) == whole)
        }
    }

    @Test("Files of something else are refused by name and stay as they are")
    func others() async throws {
        let folder = try TemporaryFolder()
        let header = Samples.header(sizes: [9, 5], pictures: 6)
        try await write(folder["r"], header, Samples.answers(pictures: 6, wrong: Self.wrong))
        let before = try bytes(folder["r"])
        let part = try #require(EvaluationShard(1, of: 2))
        let conflicts: [(EvaluationHeader, String)] = [
            (Samples.header(sizes: [9, 5], pictures: 6, digest: "e"), "another model"),
            (Samples.header(sizes: [9], pictures: 6), "2 models, not of 1"),
            (Samples.header(sizes: [9, 5], pictures: 7), "another list"),
            (Samples.header(sizes: [9, 5], pictures: 6, shard: part), "part 1/1, not of part 1/2"),
        ]
        for (other, words) in conflicts {
            do {
                _ = try EvaluationLog.open(folder["r"], other)
                Issue.record("no error")
            } catch let error as ReportError {
                guard case .otherResults(folder["r"], let problem) = error else { throw error }
                #expect(problem.contains(words), "\(problem)")
            }
            #expect(try bytes(folder["r"]) == before)
        }
        for text in [
            "my only copy of something", "{\"kind\":\"other\"}\n", "not json\n", "{\"kind\":\"hearth evaluate\"}\n",
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder["x"]))
            #expect(throws: ReportError.self) { try EvaluationLog.open(folder["x"], header) }
            #expect(try bytes(folder["x"]) == Data(text.utf8))
            #expect(throws: ReportError.self) { try EvaluationResults(path: folder["x"]) }
        }
        #expect(throws: ReportError.self) { try EvaluationLog.open(folder.path, header) }
        #expect(throws: ReportError.self) { try EvaluationResults(path: folder["none"]) }
    }

    @Test("A line in the middle that makes no sense is named; so are numbers out of range")
    func malformed() async throws {
        let folder = try TemporaryFolder()
        let header = Samples.header(sizes: [9, 5], pictures: 6)
        try await write(folder["r"], header, Samples.answers(pictures: 6, wrong: Self.wrong))
        let lines = String(decoding: try bytes(folder["r"]), as: UTF8.self).split(separator: "\n").map(String.init)
        let bad = [
            "", "{}", "[1]", "{\"place\":99,\"picture\":\"x\",\"label\":1,\"answers\":[]}",
            "{\"place\":2,\"picture\":\"x\",\"label\":10,\"answers\":[]}",
            "{\"place\":2,\"picture\":\"x\",\"label\":1,\"answers\":[]}",
            "{\"place\":2,\"picture\":\"x\",\"label\":1,\"answers\":[{\"top\":[1],\"ms\":1}]}",
            "{\"place\":2,\"picture\":\"x\",\"label\":1,\"answers\":[{\"top\":[1],\"ms\":1},{\"top\":[99],\"ms\":1}]}",
            "{\"place\":2,\"picture\":\"x\",\"label\":1,\"answers\":[{\"top\":[1],\"ms\":1},{\"top\":[1,1],\"ms\":1}]}",
            "{\"place\":2,\"picture\":\"x\",\"label\":1,\"answers\":[{\"top\":[1],\"ms\":1},{\"top\":[],\"ms\":1}]}",
            "{\"place\":2,\"picture\":\"x\",\"label\":1,\"answers\":[{\"top\":[1],\"ms\":1},{\"top\":[1],\"ms\":-1}]}",
        ]
        for line in bad {
            var changed = lines
            changed[3] = line
            try Data((changed.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: folder["b"]))
            do {
                _ = try EvaluationResults(path: folder["b"])
                Issue.record("no error for \(line)")
            } catch let error as ReportError {
                guard case .malformedResults(folder["b"], 4, _) = error else {
                    Issue.record("\(line): \(error)")
                    continue
                }
            }
        }
    }

    @Test("Parts add up to exactly what the whole is, in any order, and say what is missing", arguments: 1...5)
    func merge(count: Int) async throws {
        let folder = try TemporaryFolder()
        let answers = Samples.answers(pictures: 101, wrong: Self.wrong)
        let whole = try #require(Evaluation(Samples.header(sizes: [9, 5], pictures: 101), answers, maxDrop: 0.01))
        var parts: [EvaluationResults] = []
        for index in 1...count {
            let shard = try #require(EvaluationShard(index, of: count))
            let path = folder["\(index)"]
            try await write(
                path, Samples.header(sizes: [9, 5], pictures: 101, shard: shard),
                Samples.answers(pictures: 101, wrong: Self.wrong, shard: shard))
            parts.append(try EvaluationResults(path: path))
        }
        let merged = try #require(try EvaluationResults.merge(parts.reversed()))
        #expect(merged.answers == answers && merged.missing == 0 && merged.repeated == 0)
        #expect(Evaluation(merged.header, merged.answers, maxDrop: 0.01) == whole)
        guard count > 1 else { return }
        let some = try #require(try EvaluationResults.merge(Array(parts.dropFirst())))
        #expect(some.missing == parts[0].answers.count)
        #expect(some.missingShards.map(\.description) == ["1/\(count)"])
    }

    @Test("A list that claims more pictures than can be counted is merged at once")
    func manyPictures() throws {
        let answers = Samples.answers(pictures: 2, wrong: Self.wrong)
        let part = EvaluationResults(
            file: "a", header: Samples.header(sizes: [9, 5], pictures: .max), answers: answers)
        let merged = try #require(try EvaluationResults.merge([part]))
        #expect(merged.missing == .max - 2 && merged.missingShards.map(\.description) == ["1/1"])
    }

    @Test("A picture in two files counts once; where the answers differ the files are named")
    func overlap() throws {
        let header = Samples.header(sizes: [9, 5], pictures: 10)
        let answers = Samples.answers(pictures: 10, wrong: Self.wrong)
        let first = EvaluationResults(file: "a", header: header, answers: Array(answers[..<7]))
        var later = Array(answers[4...])
        // Time is no answer.
        later[0].answers[0].ms = 99
        let second = EvaluationResults(file: "b", header: header, answers: later)
        let merged = try #require(try EvaluationResults.merge([first, second]))
        #expect(merged.answers == answers && merged.repeated == 3)
        later[0].answers[0].top?.reverse()
        let third = EvaluationResults(file: "c", header: header, answers: later)
        #expect(
            throws: ReportError.conflictingResults(
                file: "c", with: "a", problem: "the answers for the picture '4.png' differ")
        ) { try EvaluationResults.merge([first, third]) }
        let other = EvaluationResults(
            file: "d", header: Samples.header(sizes: [9, 5], pictures: 10, digest: "x"), answers: [])
        #expect(throws: ReportError.self) { try EvaluationResults.merge([first, other]) }
        #expect(try EvaluationResults.merge([]) == nil)
    }

    @Test("A picture that could be read at last replaces the note that it could not")
    func readAtLast() async throws {
        let folder = try TemporaryFolder()
        let header = Samples.header(sizes: [9, 5], pictures: 2)
        let answers = Samples.answers(pictures: 2, wrong: Self.wrong)
        let note = PictureAnswers(place: 1, picture: "1.png", label: 1, answers: [], unreadable: "cut off")
        try await write(folder["r"], header, [answers[0], note, answers[1]])
        #expect(try EvaluationResults(path: folder["r"]).answers == answers)
        let (a, b) = (
            EvaluationResults(file: "a", header: header, answers: [answers[0], note]),
            EvaluationResults(file: "b", header: header, answers: [answers[1]])
        )
        for parts in [[a, b], [b, a]] { #expect(try EvaluationResults.merge(parts)?.answers == answers) }
    }

    @Test("Parts of a list are disjoint, cover it, and are equally large")
    func shards() throws {
        for count in 1...7 {
            let parts = try (1...count).map { index in
                let shard = try #require(EvaluationShard(index, of: count))
                return (0..<100).filter(shard.contains)
            }
            #expect(parts.flatMap { $0 }.sorted() == Array(0..<100))
            let sizes = Set(parts.map(\.count)).sorted()
            #expect(sizes.count == 1 || sizes == [sizes[0], sizes[0] + 1])
        }
        #expect(
            EvaluationShard(0, of: 1) == nil && EvaluationShard(2, of: 1) == nil && EvaluationShard(1, of: 0) == nil)
    }
}
