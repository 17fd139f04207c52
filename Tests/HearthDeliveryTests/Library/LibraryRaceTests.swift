import Foundation
import HearthDelivery
import HearthSystem
import Synchronization
import Testing

/// Programs that change one library at the same time, on a real disk: what one of them removes under another's eyes is gone, and no
/// error.
@Suite("Libraries beside each other", .timeLimit(.minutes(20)))
struct LibraryRaceTests {
    @Test("Pruning to a budget beside installing and removing")
    func pruneBesideRemove() throws {
        let home = try LibraryFixture.temporaryHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let failures = Mutex<[String]>([])
        let isOver = Atomic<Bool>(false)
        let pruning = DispatchGroup()
        for _ in 0..<2 {
            pruning.enter()
            Thread.detachNewThread {
                let fixture = LibraryFixture(SystemFiles(), home: home)
                while !isOver.load(ordering: .relaxed) {
                    do { _ = try fixture.library.prune(to: 1) } catch {
                        failures.withLock { $0.append("prune: \(error)") }
                    }
                }
                pruning.leave()
            }
        }
        let fixture = LibraryFixture(SystemFiles(), home: home)
        var removed = 0
        var round = 0
        // Now and then pruning is not the faster one.
        while round < 60 || removed == 0 && round < 10_000 {
            defer { round += 1 }
            do {
                try fixture.install("m\(round % 3)", "one\(round % 2)")
                _ = try fixture.library.remove(name: "m\(round % 3)")
                removed += 1
            } catch DeliveryError.notInstalled {
                // Pruning was faster.
            } catch DeliveryError.inUse {
                // Pruning is just about to remove it.
            } catch DeliveryError.incomplete {
                // Pruned between installing and activating.
            } catch DeliveryError.storage(let path, _) where path.contains("/partial/") {
                // What is to be installed was taken for a leftover: no download of a living process holds it here.
            } catch {
                failures.withLock { $0.append("round \(round): \(error)") }
            }
        }
        isOver.store(true, ordering: .relaxed)
        pruning.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(removed > 0)
        #expect(try fixture.library.prune(to: 1).remainingBytes == 0)
    }

    @Test("What was seen and is gone when it is read counts as never there")
    func goneBetweenLooks() throws {
        let home = try LibraryFixture.temporaryHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let real = LibraryFixture(SystemFiles(), home: home)
        try real.install("bedtime", "one")
        let vanishing = LibraryFixture(VanishingFiles(), home: home)
        let listing = vanishing.library.listing()
        #expect(listing.models.isEmpty)
        #expect(listing.failure == nil)
        #expect(throws: Never.self) { _ = try vanishing.library.prune(to: 1) }
    }

    @Test("Small files that were about to get their name are known by it, and no others")
    func temporaryNames() {
        for name in [".dat.nosync1f2e.AbCdEf", "usage.json.3k2j.tmp", "sources.json.1.tmp"] {
            #expect(ModelLibrary.isTemporary(name))
        }
        for name in ["usage.json", "sources.json", "startup.sqlite", "notes.tmp", "dat.nosync"] {
            #expect(!ModelLibrary.isTemporary(name))
        }
    }
}

/// The system's files, of which records are removed by somebody else between the look at them and the reading.
private struct VanishingFiles: FileOperations {
    private let files = SystemFiles()

    func open(_ path: String, _ mode: OpenMode, permissions: UInt16) throws(FileFailure) -> OpenFile {
        if mode == .read, path.contains("/manifests/") {
            throw FileFailure(operation: "open", path: path, code: ENOENT)
        }
        return try files.open(path, mode, permissions: permissions)
    }
    func close(_ file: OpenFile) { files.close(file) }
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at position: Int) throws(FileFailure) -> Int {
        try files.write(bytes, to: file, at: position)
    }
    func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at position: Int
    ) throws(FileFailure) -> Int {
        try files.read(into: buffer, from: file, at: position)
    }
    func truncate(_ file: OpenFile, to size: Int) throws(FileFailure) { try files.truncate(file, to: size) }
    func synchronize(_ file: OpenFile) throws(FileFailure) { try files.synchronize(file) }
    func synchronizeFolder(_ path: String) throws(FileFailure) { try files.synchronizeFolder(path) }
    func rename(_ path: String, to target: String) throws(FileFailure) { try files.rename(path, to: target) }
    func link(_ path: String, to target: String) throws(FileFailure) { try files.link(path, to: target) }
    func unlink(_ path: String) throws(FileFailure) { try files.unlink(path) }
    func makeFolder(_ path: String, permissions: UInt16) throws(FileFailure) {
        try files.makeFolder(path, permissions: permissions)
    }
    func removeFolder(_ path: String) throws(FileFailure) { try files.removeFolder(path) }
    func status(_ path: String) throws(FileFailure) -> FileStatus? { try files.status(path) }
    func status(of file: OpenFile) throws(FileFailure) -> FileStatus { try files.status(of: file) }
    func list(_ path: String) throws(FileFailure) -> [String] { try files.list(path) }
    func setPermissions(_ path: String, _ permissions: UInt16) throws(FileFailure) {
        try files.setPermissions(path, permissions)
    }
    func lock(_ file: OpenFile, shared: Bool) throws(FileFailure) -> Bool { try files.lock(file, shared: shared) }
    func unlock(_ file: OpenFile) { files.unlock(file) }
    func freeSpace(_ path: String) throws(FileFailure) -> Int { try files.freeSpace(path) }
}
