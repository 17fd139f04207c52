import Foundation
import HearthSystem
import Testing

@Suite("whole files, programs and their output", .timeLimit(.minutes(20)))
struct WholeFileTests {
    private let folder = "\(NSTemporaryDirectory())/hearth-whole-\(UInt64.random(in: 0...(.max)))"

    @Test("a file is read whole, through a link too; what is no file or too long is refused and never waited for")
    func read() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/a"))
        try Data().write(to: URL(fileURLWithPath: "\(folder)/empty"))
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "a")
        #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
        #expect(try WholeFile.read("\(folder)/a", limit: 100_000) == bytes)
        #expect(try WholeFile.read("\(folder)/link", limit: 100_000) == bytes)
        #expect(try WholeFile.read("\(folder)/empty", limit: 0) == [])
        func code(_ name: String, limit: Int = 1 << 20) -> Int32? {
            do throws(FileFailure) {
                _ = try WholeFile.read("\(folder)/\(name)", limit: limit)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("a", limit: 99_999) == EFBIG)
        #expect(code("pipe") == EINVAL)
        #expect(code("") == EISDIR)
        #expect(code("none") == ENOENT)
    }

    @Test("what is no file is said in words, and no file takes its place")
    func obstacles() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "pipe")
        for name in ["pipe", "link"] {
            #expect(WholeFile.obstacle(at: "\(folder)/\(name)") == "not a regular file")
            #expect(throws: FileError.self) { try FloatFileWriter(path: "\(folder)/\(name)") }
        }
        #expect(WholeFile.obstacle(at: folder) == "Is a directory")
        #expect(WholeFile.obstacle(at: "") == "No such file or directory")
        for name in ["stdout", "stderr", "fd/1"] {
            #expect(WholeFile.obstacle(at: "/dev/\(name)") == "not a regular file")
        }
        #expect(WholeFile.obstacle(at: "\(folder)/none") == nil)
        #expect(throws: FileError.self) { try FloatFileWriter(path: folder) }
        do throws(FileFailure) {
            try WholeFile.check("\(folder)/pipe")
            Issue.record("a pipe was taken for a file")
        } catch {
            #expect(error.reason == "not a regular file")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(names) == ["pipe", "link"])
        var status = stat()
        #expect(stat("\(folder)/pipe", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("a program is found in the first folder that has it, and only where it is one")
    func find() throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/tool", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(ProgramPath.find("sh", in: "/no/such:/bin:/usr/bin") == "/bin/sh")
        #expect(ProgramPath.find("tool", in: folder) == nil)
        // The order of the names takes precedence over that of the folders.
        #expect(ProgramPath.find(["no-such-program", "cat", "sh"], in: "/no/such:/bin") == "/bin/cat")
        #expect(ProgramPath.find(["tool", "sh"], in: "\(folder):/bin") == "/bin/sh")
        #expect(ProgramPath.folders(environment: ["PATH": "/opt"]) == "/opt")
        #expect(ProgramPath.folders(environment: [:]).contains("/usr/bin"))
        #expect(ProgramPath.find("sh", in: "") == nil && ProgramPath.find("sh", in: "bin:.") == nil)
    }

    @Test("whether work was cancelled may be asked when the work has ended: by a thread that it started, for example")
    func outliving() async throws {
        let isCancelled = try await OwnThread.run { isCancelled in isCancelled }
        #expect(!isCancelled())
        let task = Task {
            try await OwnThread.run { isCancelled in
                while !isCancelled() { usleep(1000) }
                return isCancelled
            }
        }
        task.cancel()
        #expect(try await task.value())
    }

    @Test("output is read piece by piece, with what was said besides and the status at the end")
    func pieces() throws {
        let process = try ChildProcess(
            "/bin/sh", ["-c", "head -c 300000 /dev/zero; echo no >&2; exit 3"], input: .file([]))
        var buffer = [UInt8](repeating: 7, count: 70_001)
        var total = 0
        while true {
            let count = process.read(into: &buffer, from: 1)
            if count == 0 { break }
            #expect(buffer[0] == 7 && buffer[1...count].allSatisfy { $0 == 0 })
            total += count
        }
        #expect(total == 300_000)
        let outcome = process.finish()
        #expect(outcome.status == 3 && outcome.message == Array("no\n".utf8))
    }

    @Test("a program that says more on standard error than anybody keeps does not stand still")
    func talkative() throws {
        let process = try ChildProcess(
            "/bin/sh", ["-c", "head -c 3000000 /dev/zero >&2; printf done"], input: .file([]))
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(process.read(into: &buffer, from: 0) == 4)
        #expect(process.read(into: &buffer, from: 0) == 0)
        let outcome = process.finish()
        #expect(outcome.status == 0 && outcome.message.count == 4096)
    }

    @Test("killing ends a read that waits")
    func kill() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "sleep 600"], input: .file([]))
        let reader = Task {
            try await OwnThread.run { _ in
                var buffer = [UInt8](repeating: 0, count: 10)
                return process.read(into: &buffer, from: 0)
            }
        }
        process.kill()
        #expect(try await reader.value == 0)
        #expect(process.finish().status == 137)
    }
}
