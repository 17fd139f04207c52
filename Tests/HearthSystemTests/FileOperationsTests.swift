import Foundation
import HearthSystem
import HearthTestSupport
import Testing

/// The real file system and the simulated one have to agree on what the store relies on.
@Suite("File operations", .timeLimit(.minutes(20)))
struct FileOperationsTests {
    private static func withBoth(_ body: (any FileOperations, String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/hearth-files-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for files in [SystemFiles(), SimulatedDisk()] as [any FileOperations] {
            try files.makeFolders(folder)
            try body(files, folder)
        }
    }

    private func text(_ files: any FileOperations, _ path: String) throws -> String {
        String(decoding: try files.readFile(path, limit: 1000), as: UTF8.self)
    }

    @Test("Names: exclusive creation, replacing, linking, removing")
    func names() throws {
        try Self.withBoth { files, folder in
            let file = try files.open("\(folder)/a", .createNew, permissions: 0o600)
            try files.writeAll(Array("one".utf8), to: file)
            #expect(throws: FileFailure(operation: "open", path: "\(folder)/a", code: EEXIST)) {
                _ = try files.open("\(folder)/a", .createNew, permissions: 0o600)
            }
            try files.link("\(folder)/a", to: "\(folder)/b")
            #expect(try files.status("\(folder)/b")?.inode == files.status(of: file).inode)
            try files.rename("\(folder)/a", to: "\(folder)/c")
            #expect(try files.list(folder) == ["b", "c"])
            #expect(try files.status("\(folder)/a") == nil)
            try files.unlink("\(folder)/b")
            try files.replaceFile("\(folder)/c", with: Array("two".utf8))
            #expect(try text(files, "\(folder)/c") == "two")
            #expect(try files.list(folder) == ["c"])
            files.close(file)
            #expect(throws: FileFailure.self) { try files.removeFolder(folder) }
            #expect(throws: FileFailure.self) { try files.open("\(folder)/none", .update, permissions: 0) }
            #expect(throws: FileFailure.self) { try files.readFile("\(folder)/c", limit: 2) }
        }
    }

    @Test("Bytes: writing beyond the end leaves zeros, truncating cuts and lengthens")
    func bytes() throws {
        try Self.withBoth { files, folder in
            let file = try files.open("\(folder)/a", .create, permissions: 0o600)
            defer { files.close(file) }
            try files.writeAll([1, 2, 3], to: file, at: 2)
            #expect(try files.readFile("\(folder)/a", limit: 10) == [0, 0, 1, 2, 3])
            try files.truncate(file, to: 3)
            try files.truncate(file, to: 4)
            #expect(try files.readFile("\(folder)/a", limit: 10) == [0, 0, 1, 0])
            #expect(try files.freeSpace(folder) > 0)
        }
    }

    @Test("A lock keeps out every other opening of the file until it is given back")
    func locks() throws {
        try Self.withBoth { files, folder in
            let first = try files.open("\(folder)/l", .create, permissions: 0o600)
            let second = try files.open("\(folder)/l", .create, permissions: 0o600)
            defer { files.close(second) }
            #expect(try files.lock(first, shared: false))
            #expect(try !files.lock(second, shared: false))
            #expect(try !files.lock(second, shared: true))
            files.unlock(first)
            #expect(try files.lock(second, shared: true))
            #expect(try files.lock(first, shared: true))
            files.close(first)
            #expect(try files.lock(second, shared: false))
        }
    }

    @Test("Short writes are continued, a full disk is an error")
    func shortWrites() throws {
        try Self.withBoth { files, folder in
            let short = FaultyFiles(files, .shortWrites(2))
            let file = try short.open("\(folder)/a", .create, permissions: 0o600)
            defer { files.close(file) }
            try short.writeAll([1, 2, 3, 4, 5], to: file)
            #expect(try files.readFile("\(folder)/a", limit: 10) == [1, 2, 3, 4, 5])
            #expect(short.calls == ["open", "write", "write", "write"])
            let full = FaultyFiles(files, .fills(afterBytes: 3))
            #expect(throws: FileFailure(operation: "write", path: "\(folder)/a", code: ENOSPC)) {
                try full.writeAll([1, 2, 3, 4, 5], to: file)
            }
        }
    }

    @Test("replaceFile: old or new after a loss of power at any call; without fsync it would not be")
    func powerLoss() throws {
        var generator = SeededNumbers.fresh()
        func replace(_ disk: SimulatedDisk, dyingAt call: Int) -> Int {
            let files = FaultyFiles(disk, .dies(call: call))
            try? files.replaceFile("/d/f", with: Array(repeating: 2, count: 1500))
            return files.calls.count
        }
        func fresh() throws -> SimulatedDisk {
            let disk = SimulatedDisk()
            try disk.makeFolder("/d", permissions: 0o755)
            try disk.synchronizeFolder("/")
            try disk.replaceFile("/d/f", with: Array(repeating: 1, count: 1500))
            return disk
        }
        let calls = replace(try fresh(), dyingAt: .max)
        for call in 0...calls {
            for _ in 0..<20 {
                let disk = try fresh()
                _ = replace(disk, dyingAt: call)
                disk.losePower(using: &generator)
                let bytes = try disk.readFile("/d/f", limit: 5000)
                #expect(bytes.count == 1500 && Set(bytes).count == 1)
            }
        }
        // The simulation has teeth: a careless writer loses its bytes.
        var losses = 0
        for _ in 0..<50 {
            let disk = try fresh()
            let file = try disk.open("/d/t", .createNew, permissions: 0o600)
            try disk.writeAll(Array(repeating: 2, count: 1500), to: file)
            try disk.rename("/d/t", to: "/d/f")
            disk.losePower(using: &generator)
            let bytes = try disk.readFile("/d/f", limit: 5000)
            if bytes.count != 1500 || Set(bytes).count != 1 { losses += 1 }
        }
        #expect(losses > 0)
    }
}
