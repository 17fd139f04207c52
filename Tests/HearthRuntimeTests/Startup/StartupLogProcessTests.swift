import HearthRuntime

#if os(Linux)
import HearthTestSupport
import Foundation
import HearthSystem
import Testing

/// Several processes, and processes that are killed: each writer is this test program again, running `write` alone.
@Suite("Startup log, many processes", .serialized, .timeLimit(.minutes(20)))
struct StartupLogProcessTests {
    private static let pathVariable = "HEARTH_TEST_LOG"
    private static let countVariable = "HEARTH_TEST_LOG_COUNT"

    /// The writer's body; in the ordinary run there is nothing to write.
    @Test("Writer") func write() throws {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment[Self.pathVariable],
            let count = environment[Self.countVariable].flatMap({ Int($0) })
        else { return }
        let log = StartupLog(path: path, limits: .init(rows: 100_000), timeout: .seconds(600))
        let writer = Int(getpid())
        for number in 0..<count {
            try log.append(StartupSamples.sample(number: number, model: "writer \(writer)"))
        }
    }

    private func start(_ path: String, count: Int) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", "StartupLogProcessTests/write"]
        var environment = ProcessInfo.processInfo.environment
        environment[Self.pathVariable] = path
        environment[Self.countVariable] = String(count)
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test("Six processes write at once into a log that none of them has made: nothing is lost or doubled")
    func concurrent() throws {
        let folder = try StartupSamples.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/startup.sqlite"
        let writers = try (0..<6).map { _ in try start(path, count: 40) }
        for writer in writers {
            writer.waitUntilExit()
            #expect(writer.terminationStatus == 0)
        }
        let (samples, notice) = try StartupLog(path: path).samples()
        #expect(notice == nil)
        let each = Dictionary(grouping: samples, by: \.profile.model)
        #expect(each.count == 6)
        for (_, samples) in each { #expect(samples.map(\.dirtyBytes) == Array(0..<40)) }
    }

    @Test("Six processes find the same damaged file: it is set aside once")
    func damagedTogether() throws {
        let folder = try StartupSamples.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/startup.sqlite"
        let rubbish = Data("rubbish, and enough of it to be taken for a file".utf8)
        try rubbish.write(to: URL(fileURLWithPath: path))
        let writers = try (0..<6).map { _ in try start(path, count: 10) }
        for writer in writers {
            writer.waitUntilExit()
            #expect(writer.terminationStatus == 0)
        }
        #expect(try StartupLog(path: path).samples().samples.count == 60)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged")) == rubbish)
    }

    /// Stated rule: of each writer's starts 0, 1, 2… a beginning is there, without gaps, and the file is sound.
    @Test("Sixty writers killed at random instants leave a sound log")
    func killed() throws {
        var generator = SeededNumbers(seed: 60)
        let folder = try StartupSamples.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/startup.sqlite"
        var writing = 0
        for round in 0..<30 {
            // Every third round begins with no log at all, so that its making is interrupted too.
            let isFresh = round.isMultiple(of: 3)
            if isFresh {
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                    try FileManager.default.removeItem(atPath: folder + "/" + name)
                }
            }
            let log = StartupLog(path: path, timeout: .seconds(600))
            let before = try log.samples().samples.count
            let writers = try (0..<2).map { _ in try start(path, count: 100_000) }
            // Until the first of them is at work, then a moment more.
            let deadline = ContinuousClock.now + .seconds(600)
            while ContinuousClock.now < deadline {
                if isFresh ? FileManager.default.fileExists(atPath: path) : try log.samples().samples.count > before {
                    break
                }
                usleep(500)
            }
            for writer in writers {
                usleep(.random(in: 0...60_000, using: &generator))
                kill(writer.processIdentifier, SIGKILL)
            }
            for writer in writers { writer.waitUntilExit() }

            let (samples, notice) = try log.samples()
            #expect(notice == nil)
            let each = Dictionary(grouping: samples, by: \.profile.model)
            for (_, samples) in each { #expect(samples.map(\.dirtyBytes) == Array(0..<samples.count)) }
            writing += each.count
            #expect(try SQLiteDatabase(path: path).rows("PRAGMA integrity_check") == [[.text("ok")]])
        }
        #expect(writing > 10, "the writers must have been at work when they were killed")
    }
}
#endif
