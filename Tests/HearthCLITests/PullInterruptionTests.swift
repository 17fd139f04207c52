import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Ctrl-C in each phase of a pull, and of compiling: status 130, at once.
@Suite("Ctrl-C of pull and compile", .serialized, .timeLimit(.minutes(20)), .enabled(if: HearthProcess.showsOpenFiles))
struct PullInterruptionTests {
    /// Minutes of hashing, and no bytes on the disk.
    private static let hugeFile: Int64 = 200 << 30
    private static let fixture = HearthProcess.fixture("gemma3-f16.gguf")

    private func withHome(_ body: (String) throws -> Void) throws {
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try body(home)
    }

    /// Starts a command, waits until it does what is to be interrupted, and interrupts it.
    private func interrupt(
        _ words: [String], home: String, when isThere: (HearthProcess.Running) -> Bool
    ) throws -> HearthProcess.Outcome {
        let running = try HearthProcess.start(words, environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"])
        #expect(HearthProcess.wait { running.hasEnded || running.handles(SIGINT) && isThere(running) }, "\(words)")
        let outcome = running.end(by: SIGINT)
        #expect(outcome.status == 130 && outcome.signal == nil, "\(words): \(outcome.error)")
        #expect(outcome.isPrompt, "\(words)")
        #expect(outcome.output.isEmpty)
        return outcome
    }

    @Test("While a server does not answer, and in the middle of what it sends")
    func downloading() throws {
        let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: Self.fixture)))
        for after in [0, bytes.count / 2] {
            let server = try MisbehavingServer { request in
                var reply = MisbehavingServer.reply(request, bytes)
                reply.hold = (after: after, until: { false })
                return reply
            }
            defer { server.stop() }
            try withHome { home in
                let outcome = try interrupt(["pull", server.url()], home: home) { _ in
                    server.requests.count == 1 && server.bytesSent >= after
                }
                #expect(outcome.error.contains("interrupted"))
            }
        }
    }

    @Test("While a large file is hashed")
    func hashing() throws {
        try withHome { home in
            let library = ModelLibrary(folders: HearthFolders(data: home, cache: home))
            // Nobody computes the digest of these zeros; the record claims one.
            let digest = String(repeating: "a", count: 64)
            let staged = home + "/staged"
            try sparse(staged)
            _ = try library.install(
                .init(
                    name: "m", version: "1",
                    files: [.init(path: "m.gguf", bytes: Int(Self.hugeFile), sha256: digest)], source: "",
                    staged: [digest: staged]))
            let blob = home + "/Models/blobs/" + digest
            _ = try interrupt(["pull", "http://127.0.0.1:9/m.gguf", "--sha256", digest], home: home) {
                $0.openFiles.contains(blob)
            }
            #expect(library.listing().models.count == 1)
        }
    }

    @Test("While another process changes the library")
    func installing() throws {
        try withHome { home in
            let files = SystemFiles()
            try files.makeFolders(home + "/Models")
            let lock = try files.open(home + "/Models/library.lock", .create, permissions: 0o644)
            defer { files.close(lock) }
            #expect(try files.lock(lock, shared: false))
            for words in [["pull", Self.fixture], ["prune"]] {
                _ = try interrupt(words, home: home) { $0.openFiles.contains(lock.path) }
            }
        }
    }

    @Test("While a large model is compiled")
    func compiling() throws {
        try withHome { home in
            let model = home + "/large.gguf"
            try FileManager.default.copyItem(atPath: Self.fixture, toPath: model)
            try sparse(model)
            _ = try interrupt(["compile", "--model", model], home: home) { running in
                running.openFiles.contains(model)
            }
            #expect(!FileManager.default.fileExists(atPath: home + "/Artifacts"))
        }
    }

    private func sparse(_ path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            #expect(FileManager.default.createFile(atPath: path, contents: Data([7])))
        }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: UInt64(Self.hugeFile))
        try handle.close()
    }
}
