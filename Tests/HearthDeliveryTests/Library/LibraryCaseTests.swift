import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// The library's cases one by one, on a real file system where that is what counts.
@Suite("Library: cases", .timeLimit(.minutes(20)))
struct LibraryCaseTests {
    private func onDisk(_ body: (LibraryFixture) throws -> Void) throws {
        let home = try LibraryFixture.temporaryHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try body(LibraryFixture(SystemFiles(), home: home))
    }

    @Test("15: several processes that honour no lock install the same; all finish, one wins, the bytes are right")
    func case15_noLockHonoured() async throws {
        let home = try LibraryFixture.temporaryHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        for round in 0..<5 {
            let word = "round\(round)"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let fixture = LibraryFixture(FaultyFiles(SystemFiles(), .ignoresLocks), home: home)
                        try await OwnThread.run { _ in _ = try fixture.install("m", word) }
                    }
                }
                try await group.waitForAll()
            }
            let fixture = LibraryFixture(SystemFiles(), home: home)
            #expect(try fixture.bytes("m") == LibraryFixture.content(word))
            #expect(fixture.versions.count == round + 1)
            #expect(fixture.library.listing().notices.isEmpty)
        }
    }

    @Test("16: two tasks pull the same; it is installed once")
    func case16_twoTasksOneInstall() async throws {
        struct AnyModel: ModelCompiler {
            func validate(_ path: String) throws {}
            func compile(_ path: String, sha256: String, progress: (Int, Int) throws -> Void) -> CompilationOutcome {
                .compiled
            }
        }
        let home = try LibraryFixture.temporaryHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let bytes = LibraryFixture.content("served", count: 300_000)
        let server = try MisbehavingServer { MisbehavingServer.reply($0, bytes) }
        defer { server.stop() }
        let fixture = LibraryFixture(SystemFiles(), home: home)
        let installer = ModelInstaller(
            library: fixture.library, downloader: Downloader(), compilers: [.text: AnyModel()])
        let url = server.url("/org/repo/resolve/main/tiny.gguf")
        async let first = installer.pull(PullRequest(.url(url)))
        async let second = installer.pull(PullRequest(.url(url)))
        let results = try await [first, second]
        let (one, other) = (results[0].record, results[1].record)
        #expect(one == other)
        #expect(results[0].isCurrent && results[1].isCurrent)
        #expect(fixture.versions == ["tiny \(SHA256.digest(of: bytes).prefix(12))"])
        let path = try #require(fixture.library.current("tiny")).path
        #expect(try fixture.disk.readFile(path, limit: 1 << 20) == bytes)
        // Again: what is there is there.
        var again = PullRequest(.url(url))
        again.sha256 = SHA256.digest(of: bytes)
        let before = server.requests.count
        let repeated = try await installer.pull(again)
        #expect(repeated.record == results[0].record)
        #expect(server.requests.count == before)
    }

    @Test(
        "What a source holds for a pull is given back once, whether the pull ends well or not",
        arguments: [true, false])
    func sourceIsReleased(isThere: Bool) async throws {
        struct Held: ModelSource {
            let folder: String
            let released: Locked<Int>
            func location(of file: ManifestFile) async throws -> FileLocation { .local(path: "\(folder)/\(file.path)") }
            func release() async { released.change { $0 += 1 } }
        }
        struct AnyModel: ModelCompiler {
            func validate(_ path: String) throws {}
            func compile(_ path: String, sha256: String, progress: (Int, Int) throws -> Void) -> CompilationOutcome {
                .compiled
            }
        }
        let home = try LibraryFixture.temporaryHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let bytes = LibraryFixture.content("on demand")
        if isThere { try Data(bytes).write(to: URL(fileURLWithPath: home + "/tiny.gguf")) }
        let json = """
            {"schema": 1, "name": "tiny", "version": "1.0.0", "engine": "text", "files": [
            {"path": "tiny.gguf", "urls": [], "bytes": \(bytes.count), "sha256": "\(SHA256.digest(of: bytes))"}]}
            """
        let source = Held(folder: home, released: Locked(0))
        let fixture = LibraryFixture(SystemFiles(), home: home + "/library")
        let installer = ModelInstaller(
            library: fixture.library, downloader: Downloader(), compilers: [.text: AnyModel()])
        let manifest = try ModelManifest(json: Data(json.utf8))
        let result = try? await installer.pull(PullRequest(.manifest(manifest, source: source, address: "on demand")))
        #expect((result != nil) == isThere)
        #expect(source.released.value == 1)
    }

    @Test(
        "17: what is leased is neither removed nor evicted, and stays through an upgrade; what is mapped stays readable"
    )
    func case17_leases() throws {
        try onDisk { fixture in
            try fixture.install("m", "v1")
            let other = LibraryFixture(SystemFiles(), home: fixture.home).library
            var lease: ModelLease? = fixture.library.use(try #require(fixture.library.current("m")))
            #expect(lease != nil)
            #expect(throws: DeliveryError.inUse(name: "m", version: "v1")) { try other.remove(name: "m") }
            #expect(try other.prune(to: 0).removed.isEmpty)
            try fixture.install("m", "v2")
            #expect(try other.prune(to: 0).removed == [.init(name: "m", version: "v2")])
            #expect(try fixture.bytes("m") == LibraryFixture.content("v1"))

            let path = try #require(fixture.library.current("m")).path
            let open = try fixture.disk.open(path, .read, permissions: 0)
            defer { fixture.disk.close(open) }
            withExtendedLifetime(lease) {}
            lease = nil
            #expect(try other.remove(name: "m").removed == [.init(name: "m", version: "v1")])
            #expect(!fixture.disk.exists(path))
            var bytes = [UInt8](repeating: 0, count: 3000)
            let count = try bytes.withUnsafeMutableBytes { try fixture.disk.readFully(into: $0, from: open, at: 0) }
            #expect(count == 3000 && bytes == LibraryFixture.content("v1"))
        }
    }

    @Test("18: the clock jumps back; what was used last is still evicted last")
    func case18_clockJumpsBack() throws {
        let disk = SimulatedDisk()
        for word in ["a", "b", "c"] { try LibraryFixture(disk, time: { 1.7e9 }).install(word, word) }
        let uses: [(String, Double)] = [("a", 1.8e9), ("c", 1.2e9), ("b", 0)]
        for (name, time) in uses {
            let library = LibraryFixture(disk, time: { time }).library
            _ = library.use(try #require(library.current(name)))
        }
        let library = LibraryFixture(disk, time: { -5 }).library
        #expect(try library.prune(to: 0).removed.map(\.name) == ["a", "c", "b"])
    }

    @Test("19: a new revision with the same file name, and even the same version, lies beside the old one")
    func case19_sameFileName() throws {
        try onDisk { fixture in
            let first = try fixture.install("m", "old", version: "1.0")
            let second = try fixture.install("m", "new", version: "1.0")
            #expect(first.files[0].path == second.files[0].path)
            #expect(second.version == "1.0+\(second.files[0].sha256.prefix(8))")
            #expect(try fixture.bytes("m") == LibraryFixture.content("new"))
            #expect(try fixture.library.rollBack(name: "m") == "1.0")
            #expect(try fixture.bytes("m") == LibraryFixture.content("old"))
            // The same content again is the same version.
            #expect(try fixture.install("m", "old", version: "1.0") == first)
        }
    }

    @Test(
        "20: a file that is gone makes a version incomplete, also offline; the one before answers; installing repairs")
    func case20_missingFile() throws {
        try onDisk { fixture in
            try fixture.install("m", "v1")
            try fixture.install("m", "v2")
            let path = try #require(fixture.library.current("m")).path
            try fixture.disk.unlink(path)
            #expect(fixture.library.current("m")?.version == "v1")
            let broken = try #require(fixture.library.versions(of: "m").first { $0.version == "v2" })
            #expect(broken.missing == ["model.gguf"])
            #expect(fixture.library.listing().notices.contains { $0.contains("incomplete") })
            // A file cut short is missing too.
            try fixture.put([1, 2, 3], at: path)
            #expect(fixture.library.current("m")?.version == "v1")
            try fixture.install("m", "v2")
            #expect(try fixture.bytes("m") == LibraryFixture.content("v2"))
        }
    }

    @Test("21: an older version than the newest that was active is refused unless asked for, also after eviction")
    func case21_rollback() throws {
        let fixture = LibraryFixture(SimulatedDisk())
        func check(_ version: String, allow: Bool = false) throws {
            try fixture.library.check(
                name: "m", version: version, files: [], revision: ModelVersion(version), storage: .kept,
                allowDowngrade: allow)
        }
        try fixture.install("m", "ten", version: "1.10", revision: ModelVersion("1.10"))
        try check("1.10")
        try check("1.11")
        #expect(throws: DeliveryError.olderRevision(name: "m", offered: "1.9", newest: "1.10")) { try check("1.9") }
        try check("1.9", allow: true)
        _ = try fixture.library.prune(to: 0)
        #expect(fixture.versions.isEmpty)
        #expect(throws: DeliveryError.olderRevision(name: "m", offered: "1.9", newest: "1.10")) { try check("1.9") }
        // Whoever removes a model has it forgotten.
        try fixture.install("m", "ten", version: "1.10", revision: ModelVersion("1.10"))
        _ = try fixture.library.remove(name: "m")
        try check("1.9")
    }

    @Test(
        "22: names and paths that lead out of their folder are refused",
        arguments: [
            "../x", "a/../../x", "/etc/passwd", "C:\\x", "C:x", "a\\b", "a\0b", "", ".", "..", "a//b", "a/",
            String(repeating: "x", count: 300), String(repeating: "a/", count: 600) + "b", "~/x",
        ])
    func case22_paths(path: String) throws {
        let fixture = LibraryFixture(SimulatedDisk())
        var candidate = try fixture.candidate("m", "v1")
        candidate.files[0].path = path
        #expect(throws: DeliveryError.self) { try fixture.library.install(candidate) }
        for (name, version) in [(path, "v"), ("m", path)] {
            var candidate = try fixture.candidate("m", "v1")
            candidate.name = name
            candidate.version = version
            #expect(throws: DeliveryError.self) { try fixture.library.install(candidate) }
        }
        #expect(fixture.versions.isEmpty)
    }

    @Test("22: twins in case only, links in the place of bytes")
    func case22_twinsAndLinks() throws {
        try onDisk { fixture in
            var twins = try fixture.candidate("m", "v1")
            twins.files.append(.init(path: "MODEL.gguf", bytes: 1, sha256: twins.files[0].sha256))
            #expect(throws: DeliveryError.self) { try fixture.library.install(twins) }
            try fixture.install("Model", "v1")
            #expect(throws: DeliveryError.nameTwin(name: "model", installed: "Model")) {
                try fixture.install("model", "v2")
            }
            let path = try #require(fixture.library.current("Model")).path
            let secret = "\(fixture.home)/secret"
            try fixture.put(LibraryFixture.content("v1"), at: secret)
            try fixture.disk.unlink(path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: secret)
            #expect(fixture.library.current("Model") == nil)
            // Installing again replaces the link itself.
            try fixture.install("Model", "v1")
            #expect(try fixture.bytes("Model") == LibraryFixture.content("v1"))
            #expect(fixture.disk.exists(secret))
        }
    }

    @Test("One odd thing among many: it is told, and everything else is listed")
    func oddThings() throws {
        try onDisk { fixture in
            for name in ["a", "b", "c"] { try fixture.install(name, name) }
            let models = "\(fixture.home)/Models"
            let manager = FileManager.default
            try fixture.put([0xFF, 0xFE, 0], at: "\(models)/manifests/a/garbage.json")
            try fixture.put(Array("{\"format\":99}".utf8), at: "\(models)/manifests/a/later.json")
            try fixture.put([UInt8](repeating: 0x5B, count: 200_000), at: "\(models)/manifests/b/deep.json")
            try fixture.put([UInt8](repeating: 0x20, count: 2 << 20), at: "\(models)/manifests/b/huge.json")
            try manager.createDirectory(atPath: "\(models)/manifests/c/folder.json", withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: "\(models)/manifests/c/link.json", withDestinationPath: "/nowhere")
            #expect(mkfifo("\(models)/manifests/c/pipe.json", 0o600) == 0)
            try manager.createDirectory(atPath: "\(models)/manifests/not a name", withIntermediateDirectories: true)
            try fixture.put([1], at: "\(models)/manifests/file")
            try fixture.put([1], at: "\(models)/selections/b.json")
            try fixture.put([1], at: "\(models)/blobs/odd")
            try fixture.put([UInt8](repeating: 0, count: 4096), at: "\(models)/uses/c@c")
            let listing = fixture.library.listing()
            #expect(listing.models.map(\.name) == ["a", "b", "c"])
            #expect(listing.notices.count == 10, "\(listing.notices)")
            for name in ["a", "b", "c"] { #expect(try fixture.bytes(name) == LibraryFixture.content(name)) }
            // A record of a later Hearth may name any of the bytes.
            _ = try fixture.library.prune()
            for name in ["a", "b", "c"] { #expect(try fixture.bytes(name) == LibraryFixture.content(name)) }
        }
    }

    @Test("A purgeable model lives in the folder for caches; a pin survives what is installed later")
    func classesAndPins() throws {
        let fixture = LibraryFixture(SimulatedDisk())
        try fixture.install("p", "p1", storage: .purgeable)
        #expect(fixture.library.current("p")?.path.hasPrefix("\(fixture.home)/PurgeableModels/") == true)
        #expect(throws: DeliveryError.otherStorage(name: "p", storage: .purgeable)) { try fixture.install("p", "p2") }
        try fixture.install("m", "v1")
        try fixture.install("m", "v2")
        try fixture.library.pin(name: "m", version: "v1")
        try fixture.install("m", "v3")
        #expect(fixture.library.current("m")?.version == "v1")
        #expect(try fixture.library.prune(to: 0).removed.map(\.version) == ["v2", "v3", "p1"])
        try fixture.library.unpin(name: "m")
        #expect(throws: DeliveryError.nothingBefore(name: "m")) { try fixture.library.rollBack(name: "m") }
    }
}
