import Foundation
import HearthRuntime
import HearthSystem
import HearthTestSupport
import Testing

@Suite("Startup log", .timeLimit(.minutes(20)))
struct StartupLogTests {
    private func withLog(
        limits: StartupLog.Limits = .init(), _ body: (StartupLog, String) throws -> Void
    ) throws {
        let folder = try StartupSamples.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(StartupLog(path: folder + "/deep/startup.sqlite", limits: limits), folder + "/deep")
    }

    @Test("What is logged is read back, in order")
    func roundTrip() throws {
        try withLog { (log, _) throws in
            #expect(try log.samples().samples.isEmpty)
            let samples = StartupSample.Kind.allCases.enumerated().map { StartupSamples.sample($1, number: $0) }
            for sample in samples { #expect(try log.append(sample).notice == nil) }
            #expect(try log.samples().samples == samples)
            #expect(try log.lastProfile(of: "nano") == StartupSamples.profile)
            #expect(try log.lastProfile(of: "other") == nil)
        }
    }

    @Test("Drift is named against the last start of the same model")
    func drift() throws {
        try withLog { (log, _) throws in
            #expect(try log.append(StartupSamples.sample()).driftedFields == nil)
            #expect(try log.append(StartupSamples.sample()).driftedFields == [])
            #expect(try log.append(StartupSamples.sample(model: "other")).driftedFields == nil)
            let changed = StartupSamples.sample {
                $0.kernelSet = "avx512"
                $0.contextLength = 2048
            }
            #expect(try log.append(changed).driftedFields == ["contextLength", "kernelSet"])
            #expect(try log.append(changed).driftedFields == [])
        }
    }

    @Test("The oldest rows go when the log is full, by rows and by bytes, and the file stays small")
    func caps() throws {
        try withLog(limits: .init(rows: 20)) { (log, _) throws in
            for number in 0..<50 { try log.append(StartupSamples.sample(number: number)) }
            #expect(try log.samples().samples.map(\.dirtyBytes) == Array(30..<50))
        }
        try withLog(limits: .init(rows: 100_000, bytes: 64 << 10)) { (log, folder) throws in
            // A profile of its own for each start: the worst that can be.
            for number in 0..<300 {
                try log.append(
                    StartupSamples.sample(number: number) {
                        $0.modelSHA256 = String(repeating: "x", count: 1000) + "\(number)"
                    })
            }
            let kept = try log.samples().samples.map(\.dirtyBytes)
            #expect(kept.last == 299)
            #expect(kept == Array((300 - kept.count)..<300))
            #expect(kept.count > 5)
            let attributes = try FileManager.default.attributesOfItem(atPath: log.path)
            #expect(try #require(attributes[.size] as? Int) <= 128 << 10)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(files).isSubset(of: ["startup.sqlite", "startup.sqlite.lock"]), "\(files)")
        }
    }

    @Test("Values that no start has are refused by name")
    func refusals() throws {
        try withLog { (log, _) throws in
            var sample = StartupSamples.sample()
            sample.loadMS = .nan
            #expect(throws: StartupLogError.notLoggable(field: "loadMS")) { try log.append(sample) }
            sample.loadMS = 1e308
            #expect(throws: StartupLogError.notLoggable(field: "loadMS")) { try log.append(sample) }
            sample.loadMS = 1
            // Too far in the future to be written in nanoseconds.
            sample.time = Date(timeIntervalSince1970: 1e15)
            #expect(throws: StartupLogError.notLoggable(field: "time")) { try log.append(sample) }
            let long = StartupSamples.sample(model: String(repeating: "m", count: 5000))
            #expect(throws: StartupLogError.notLoggable(field: "profile.model")) { try log.append(long) }
            #expect(try log.samples().samples.isEmpty)
        }
    }

    @Test("What is no log is set aside, one generation of it, and a new one begun")
    func damaged() throws {
        let random = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }
        let foreign = try StartupSamples.folder() + "/foreign.sqlite"
        defer { try? FileManager.default.removeItem(at: URL(fileURLWithPath: foreign).deletingLastPathComponent()) }
        try SQLiteDatabase(path: foreign).execute("CREATE TABLE samples (id INTEGER)")
        let claiming = foreign + "2"
        do {
            let database = try SQLiteDatabase(path: claiming)
            try database.execute("CREATE TABLE samples (id INTEGER)")
            try database.execute("PRAGMA application_id = \(StartupSchema.applicationID)")
            try database.execute("PRAGMA user_version = \(StartupSchema.version)")
        }
        let contents = [
            Data(random), Data("SQLite format 3\u{0}".utf8), try Data(contentsOf: URL(fileURLWithPath: foreign)),
            try Data(contentsOf: URL(fileURLWithPath: claiming)),
        ]
        try withLog { (log, folder) throws in
            for (number, content) in contents.enumerated() {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try content.write(to: URL(fileURLWithPath: log.path))
                let notice = try #require(try log.append(StartupSamples.sample(number: number)).notice)
                #expect(notice.contains("set aside as \(log.path).damaged"))
                #expect(try Data(contentsOf: URL(fileURLWithPath: log.path + ".damaged")) == content)
                #expect(try log.append(StartupSamples.sample(number: 7)).notice == nil)
                #expect(try log.samples().samples.map(\.dirtyBytes) == [number, 7])
            }
        }
    }

    /// Stated rule: whatever byte of the file is wrong, a start is logged, and what is read was once written.
    @Test("A flipped or missing byte anywhere is survived", arguments: 0..<4)
    func flips(seed: Int) throws {
        var generator = SeededNumbers(seed: UInt64(seed))
        try withLog { (log, _) throws in
            for number in 0..<40 { try log.append(StartupSamples.sample(number: number, model: "m\(number)")) }
            let whole = try Data(contentsOf: URL(fileURLWithPath: log.path))
            for _ in 0..<25 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...40, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) {
                    bytes = bytes.prefix(.random(in: 0..<bytes.count, using: &generator))
                }
                try bytes.write(to: URL(fileURLWithPath: log.path))
                do {
                    _ = try log.samples()
                    try log.append(StartupSamples.sample(number: 1000))
                    #expect(try log.samples().samples.contains { $0.dirtyBytes == 1000 })
                } catch let error as StartupLogError {
                    // A number in the header may now say that the file is of a later version.
                    guard case .newer = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
        }
    }

    @Test("A log of a later version is left as it is")
    func newer() throws {
        try withLog { (log, _) throws in
            try log.append(StartupSamples.sample())
            try SQLiteDatabase(path: log.path).execute("PRAGMA user_version = 99")
            let before = try Data(contentsOf: URL(fileURLWithPath: log.path))
            let expected = StartupLogError.newer(path: log.path, version: 99)
            #expect(throws: expected) { try log.append(StartupSamples.sample()) }
            #expect(throws: expected) { try log.samples() }
            #expect(try Data(contentsOf: URL(fileURLWithPath: log.path)) == before)
            #expect(expected.localizedDescription.contains("later version"))
        }
    }

    /// The tables of version 1, as that version made them.
    private static func writeFirstVersion(_ path: String, rows: Int) throws {
        let database = try SQLiteDatabase(path: path)
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        try database.execute(
            """
            CREATE TABLE samples (
                id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, device TEXT NOT NULL,
                os TEXT NOT NULL, digest TEXT NOT NULL, profile TEXT NOT NULL, compile_ms REAL NOT NULL,
                load_ms REAL NOT NULL, first_ms REAL NOT NULL, steady_ms REAL, peak_bytes INTEGER NOT NULL,
                dirty_bytes INTEGER NOT NULL)
            """)
        for number in 0..<rows {
            let sample = StartupSamples.sample(number: number, model: "m\(number % 3)")
            let profile = String(decoding: try JSONEncoder().encode(sample.profile), as: UTF8.self)
            try database.execute(
                "INSERT INTO samples VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                .real(sample.time.timeIntervalSince1970), .text(sample.kind.rawValue), .text(sample.device),
                .text(sample.osVersion), .text(sample.profile.digest),
                .text(number == 4 ? "not JSON" : profile), .real(sample.compileMS), .real(sample.loadMS),
                .real(sample.firstInferenceMS), sample.steadyMS.map { .real($0) } ?? .null,
                .integer(sample.peakResidentBytes), .integer(sample.dirtyBytes))
        }
        try database.execute("PRAGMA application_id = \(0x4872_7468)")
        try database.execute("PRAGMA user_version = 1")
    }

    @Test("A log of version 1 is brought up to date with all that can be read of it")
    func migration() throws {
        try withLog { (log, folder) throws in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Self.writeFirstVersion(log.path, rows: 9)
            let entry = try log.append(StartupSamples.sample(number: 100, model: "m2") { $0.kernelSet = "neon" })
            #expect(entry == .init(driftedFields: ["kernelSet"], notice: nil))
            let samples = try log.samples().samples
            // Row 4's own profile cannot be read; the same profile stands in rows 1 and 7.
            #expect(samples.map(\.dirtyBytes) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 100])
            var expected = StartupSamples.sample(number: 5, model: "m2")
            expected.processVersion = ""
            expected.isMeasured = false
            #expect(samples[5] == expected)
            let database = try SQLiteDatabase(path: log.path)
            #expect(try database.integer("PRAGMA user_version") == 2)
            #expect(try database.integer("SELECT count(*) FROM profiles") == 4)
        }
    }

    @Test("Where nothing can be written there is no log, no notice and no failure")
    func readOnly() async throws {
        let folder = try StartupSamples.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data().write(to: URL(fileURLWithPath: folder + "/file"))
        for path in ["/proc/nowhere/startup.sqlite", folder + "/file/startup.sqlite"] {
            let log = StartupLog(path: path)
            #expect(await log.record(StartupSamples.sample()) == nil)
            #expect(try log.samples().samples.isEmpty)
        }
        #expect(StartupLog(folders: HearthFolders(environment: [:])) == nil)
        // Something that is no file is left alone, and opening it does not wait.
        mkfifo(folder + "/pipe", 0o600)
        let notice = await StartupLog(path: folder + "/pipe").record(StartupSamples.sample())
        #expect(notice?.contains("it is not a file") == true)
    }

    @Test("That others kept the log busy is told of a measured start, and of no other: there is nothing to do about it")
    func busy() async throws {
        let folder = try StartupSamples.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/startup.sqlite"
        try StartupLog(path: path).append(StartupSamples.sample())
        let other = try SQLiteDatabase(path: path)
        try other.execute("BEGIN IMMEDIATE")
        let log = StartupLog(path: path, timeout: .zero)
        for isMeasured in [false, true] {
            var sample = StartupSamples.sample()
            sample.isMeasured = isMeasured
            #expect((await log.record(sample))?.contains("busy") == (isMeasured ? true : nil))
        }
        try other.execute("ROLLBACK")
        #expect(try StartupLog(path: path).samples().samples.count == 1)
    }

    @Test("A log in a folder that cannot be written to is read")
    func immutable() throws {
        try withLog { (log, folder) throws in
            try log.append(StartupSamples.sample(number: 3))
            // A lock that cannot be opened stands for a read-only file system, where root may write anything else.
            try FileManager.default.removeItem(atPath: log.path + ".lock")
            symlink("/nowhere", log.path + ".lock")
            #expect(try log.samples().samples.map(\.dirtyBytes) == [3])
            let database = try SQLiteDatabase(path: log.path, access: .immutable)
            #expect(try database.integer("SELECT count(*) FROM samples") == 1)
        }
    }
}
