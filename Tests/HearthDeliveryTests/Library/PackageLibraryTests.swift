import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Core ML packages in the library: several files under their own names, by content, whole or not at all.
@Suite("Library: packages", .timeLimit(.minutes(20)))
struct PackageLibraryTests {
    /// The files of one version of a package.
    private static func content(_ word: String) -> [String: [UInt8]] {
        [
            "Manifest.json": Array("{\"\(word)\":1}".utf8),
            "Data/com.apple.CoreML/model.mlmodel": LibraryFixture.content(word),
            "Data/com.apple.CoreML/weights/weight.bin": LibraryFixture.content("shared", count: 5000),
        ]
    }

    private static func candidate(
        _ name: String, _ word: String, _ fixture: LibraryFixture
    ) throws -> ModelLibrary.Candidate {
        var staged: [String: String] = [:]
        let files = try content(word).sorted { $0.key < $1.key }.map { path, bytes in
            let place = "\(fixture.library.partialFolder(.kept))/\(word)-\(UInt64.random(in: 0 ... .max))"
            try fixture.put(bytes, at: place)
            let digest = LibraryFixture.digest(bytes)
            staged[digest] = place
            return ModelRecord.File(path: path, bytes: bytes.count, sha256: digest)
        }
        return .init(
            name: name, version: word, files: files, engine: .coreml,
            archive: .init(
                path: "a.zip", bytes: 9000, sha256: LibraryFixture.digest(LibraryFixture.content(word + ".zip"))),
            source: "https://example.org/a.zip", staged: staged)
    }

    private static func install(_ name: String, _ word: String, _ fixture: LibraryFixture) throws {
        let record = try fixture.library.install(try candidate(name, word, fixture))
        try fixture.library.activate(name: name, version: record.version)
    }

    /// What an engine reads below a path.
    private static func read(_ folder: String, _ disk: any FileOperations, _ prefix: String = "") throws -> [String:
        [UInt8]]
    {
        try disk.list(folder).reduce(into: [:]) { files, name in
            let path = "\(folder)/\(name)"
            if disk.isFolder(path) {
                files.merge(try read(path, disk, "\(prefix)\(name)/")) { $1 }
            } else {
                files[prefix + name] = try disk.readFile(path, limit: 1 << 20)
            }
        }
    }

    @Test("Laid out as its engine reads it; one content once, whatever it is called; gone with the last name")
    func life() throws {
        let disk = SimulatedDisk()
        let fixture = LibraryFixture(disk)
        try Self.install("m", "v1", fixture)
        try Self.install("m", "v2", fixture)
        try Self.install("again", "v2", fixture)
        let current = try #require(fixture.library.current("m"))
        #expect(current.version == "v2" && current.engine == .coreml && current.path.hasSuffix(".mlpackage"))
        #expect(try Self.read(current.path, disk) == Self.content("v2"))
        #expect(fixture.library.current("again")?.path == current.path)
        #expect(fixture.library.current("again")?.sha256 == current.sha256)
        #expect(fixture.library.sha256(ofFileAt: current.path) == nil)  // no such file on the real disk
        #expect(try disk.list("\(fixture.home)/Models/packages").count == 2)
        // The weights of both versions are one file.
        #expect(try disk.list("\(fixture.home)/Models/blobs").count == 5)
        #expect(try fixture.library.rollBack(name: "m") == "v1")
        #expect(try Self.read(#require(fixture.library.current("m")).path, disk) == Self.content("v1"))
        _ = try fixture.library.remove(name: "m")
        #expect(try Self.read(#require(fixture.library.current("again")).path, disk) == Self.content("v2"))
        _ = try fixture.library.remove(name: "again")
        #expect(try disk.list("\(fixture.home)/Models/packages").isEmpty)
        #expect(try disk.list("\(fixture.home)/Models/blobs").isEmpty)
    }

    @Test("A package that somebody damaged is incomplete; installing again or pruning makes it anew")
    func repair() throws {
        let disk = SimulatedDisk()
        let fixture = LibraryFixture(disk)
        try Self.install("m", "v1", fixture)
        let path = try #require(fixture.library.current("m")).path
        for repair in [
            { _ = try fixture.library.install(try Self.candidate("m", "v1", fixture)) },
            { _ = try fixture.library.prune() },
        ] {
            try disk.unlink(path + "/Manifest.json")
            #expect(fixture.library.current("m") == nil)
            #expect(fixture.library.listing().notices.count == 1)
            try repair()
            #expect(try Self.read(#require(fixture.library.current("m")).path, disk) == Self.content("v1"))
        }
        // Bytes of the right length that were exchanged under the digest, and brought again.
        let candidate = try Self.candidate("m", "v1", fixture)
        let digest = try #require(candidate.files.first).sha256
        let blob = "\(fixture.home)/Models/blobs/\(digest)"
        try disk.unlink(blob)
        #expect(fixture.library.current("m") == nil)
        _ = try fixture.library.install(candidate)
        #expect(try Self.read(path, disk) == Self.content("v1"))
        #expect(try disk.status(path + "/" + candidate.files[0].path)?.inode == disk.status(blob)?.inode)
    }

    @Test("A disk without second names gets copies")
    func copies() throws {
        let disk = SimulatedDisk()
        let fixture = LibraryFixture(FaultyFiles(disk, .failsAlways(operation: "link", code: EPERM)))
        try Self.install("m", "v1", fixture)
        #expect(try Self.read(#require(fixture.library.current("m")).path, disk) == Self.content("v1"))
        let before = try disk.status("\(fixture.home)/Models/packages")
        try Self.install("again", "v1", fixture)
        #expect(try disk.status("\(fixture.home)/Models/packages") == before)
        _ = try fixture.library.remove(name: "m")
        _ = try fixture.library.remove(name: "again")
        #expect(try disk.list("\(fixture.home)/Models/packages").isEmpty)
    }

    @Test("A record of a text model stays in the format that earlier builds read")
    func formats() throws {
        let disk = SimulatedDisk()
        let fixture = LibraryFixture(disk)
        try fixture.install("text", "v1")
        try Self.install("m", "v1", fixture)
        func record(_ name: String) throws -> String {
            String(
                decoding: try disk.readFile("\(fixture.home)/Models/manifests/\(name)/v1.json", limit: 1 << 20),
                as: UTF8.self)
        }
        #expect(try record("text").contains("\"format\" : 1") && !record("text").contains("engine"))
        #expect(try record("m").contains("\"format\" : 2") && record("m").contains("\"engine\" : \"coreml\""))
    }

    // MARK: - Cut at every step

    enum Change: String, CaseIterable { case first, upgrade, remove, evict }

    private func prepare(_ change: Change, _ fixture: LibraryFixture) throws {
        if change != .first { try Self.install("m", "v1", fixture) }
        if change == .remove || change == .evict { try Self.install("m", "v2", fixture) }
        try fixture.install("other", "o1")
        if change == .evict, let other = fixture.library.current("other") { _ = fixture.library.use(other) }
    }

    private func run(_ change: Change, _ library: ModelLibrary, _ candidate: ModelLibrary.Candidate) throws {
        switch change {
        case .first, .upgrade: try library.activate(name: "m", version: try library.install(candidate).version)
        case .remove: _ = try library.remove(name: "m", version: "v2")
        case .evict: _ = try library.prune(to: 3000)
        }
    }

    /// Old or new, and what is listed is whole.
    private func check(_ fixture: LibraryFixture, _ change: Change, isNew: Bool, _ note: String) throws {
        let found = try fixture.library.current("m").map { try Self.read($0.path, fixture.disk) }
        let versions: (old: String?, new: String?) =
            switch change {
            case .first: (nil, "v2")
            case .upgrade: ("v1", "v2")
            case .remove: ("v2", "v1")
            case .evict: ("v2", nil)
            }
        // Evicting takes the older version first.
        #expect(
            found == versions.new.map(Self.content) || !isNew && found == versions.old.map(Self.content),
            "\(change) \(note)")
        let listing = fixture.library.listing()
        #expect(
            listing.notices.isEmpty && listing.models.allSatisfy(\.isWhole), "\(change) \(note): \(listing.notices)")
        #expect(try fixture.bytes("other") == LibraryFixture.content("o1"), "\(change) \(note)")
    }

    @Test("Killed, and power lost, at every step of every change", arguments: Change.allCases, [false, true])
    func crashes(change: Change, losesPower: Bool) throws {
        // Every step on a quiet machine, every third one otherwise.
        let stride = ProcessInfo.processInfo.environment["HEARTH_SLOW_TESTS"] == nil ? 3 : 1
        for number in 0... {
            let step = number * stride
            let disk = SimulatedDisk()
            let fixture = LibraryFixture(disk)
            try prepare(change, fixture)
            let candidate = try Self.candidate("m", "v2", fixture)
            let faulty = FaultyFiles(disk, .dies(call: step))
            var failed = false
            do { try run(change, LibraryFixture(faulty).library, candidate) } catch { failed = true }
            let isOver = faulty.calls.count <= step
            var numbers = SeededNumbers(step)
            if losesPower { disk.losePower(using: &numbers) } else { disk.killProcess() }
            let after = LibraryFixture(disk)
            try check(after, change, isNew: isOver && !failed, "before call \(step)")
            do { try run(change, after.library, try Self.candidate("m", "v2", after)) } catch DeliveryError.notInstalled
            {
                #expect(change == .remove)
            }
            try check(after, change, isNew: true, "again after call \(step)")
            _ = try after.library.prune()
            let models = after.library.listing().models
            let kept = models.flatMap(\.record.files).map { "/blobs/\($0.sha256)" }
            for path in after.allFiles() where path.contains("/blobs/") || path.contains("/packages/") {
                #expect(
                    kept.contains { path.hasSuffix($0) } || models.contains { path.hasPrefix($0.path + "/") },
                    "left over: \(path) (\(change), call \(step))")
            }
            if isOver { return #expect(step > 20) }
        }
    }
}
