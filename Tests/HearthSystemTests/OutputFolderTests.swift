import Foundation
import HearthSystem
import Testing

@Suite("Files of numbers", .timeLimit(.minutes(20)))
struct OutputFolderTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "hearth-output-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("Values are little-endian float32, and the file is there when it is complete")
    func values() throws {
        try withFolder { folder in
            let path = "\(folder)/a.f32"
            let writer = try FloatFileWriter(path: path)
            try writer.append([1, -2.5])
            #expect(!FileManager.default.fileExists(atPath: path))
            // More than what is collected before it is written.
            try writer.append([Float](repeating: 0.5, count: 600_000))
            try writer.append([.infinity])
            try writer.finish()
            #expect(try names(folder) == ["a.f32"])
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(bytes.count == 4 * 600_003)
            #expect(bytes.prefix(12) == [0, 0, 0x80, 0x3F, 0, 0, 0x20, 0xC0, 0, 0, 0, 0x3F])
            #expect(bytes.suffix(4) == [0, 0, 0x80, 0x7F])
        }
    }

    @Test("A file that is given up leaves nothing, and what was there before stays")
    func givenUp() throws {
        try withFolder { folder in
            let path = "\(folder)/a.f32"
            try Data("before".utf8).write(to: URL(fileURLWithPath: path))
            do {
                let writer = try FloatFileWriter(path: path)
                try writer.append([1])
                #expect(try names(folder).count == 2)
            }
            #expect(try names(folder) == ["a.f32"])
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
        }
    }

    @Test("A link stays a link, and what is no regular file is not replaced")
    func special() throws {
        try withFolder { folder in
            try Data("before".utf8).write(to: URL(fileURLWithPath: "\(folder)/a.f32"))
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "a.f32")
            let writer = try FloatFileWriter(path: "\(folder)/link")
            try writer.append([1])
            try writer.finish()
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/link") == "a.f32")
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/a.f32")) == Data([0, 0, 0x80, 0x3F]))
            #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
            try FileManager.default.createDirectory(atPath: "\(folder)/folder", withIntermediateDirectories: false)
            let before = try names(folder)
            for (name, reason) in [("pipe", "not a regular file"), ("folder", "irectory")] {
                let error = #expect(throws: FileError.self) { try FloatFileWriter(path: "\(folder)/\(name)") }
                #expect(error?.localizedDescription.contains(reason) == true)
            }
            #expect(try names(folder) == before)
        }
    }

    @Test("Unfinished files are known, and removed when the process has to end")
    func unfinished() throws {
        try withFolder { folder in
            let unfinished = UnfinishedFiles()
            let done = try FloatFileWriter(path: "\(folder)/done.f32", unfinished: unfinished)
            try done.append([1])
            try done.finish()
            let open = try FloatFileWriter(path: "\(folder)/open.f32", unfinished: unfinished)
            try open.append([1])
            #expect(try names(folder).count == 2)
            unfinished.removeAll()
            #expect(try names(folder) == ["done.f32"])
            #expect(throws: FileError.self) { try open.finish() }
        }
    }

    @Test("A folder is created with those above it; a name leads nowhere else")
    func folder() throws {
        try withFolder { folder in
            let output = try OutputFolder("\(folder)/new/er")
            try output.write([2], name: "logits")
            #expect(try names("\(folder)/new/er") == ["logits.f32"])
            for name in ["", ".", "..", "a/b", "../a", String(repeating: "x", count: 201)] {
                let error = #expect(throws: FileError.self) { try output.write([2], name: name) }
                #expect(error?.category == .invalidInput)
            }
            #expect(try names("\(folder)/new/er") == ["logits.f32"])
            // Through a link, and where it is there already.
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "new")
            try OutputFolder("\(folder)/link/er/").write([3], name: "again")
            #expect(try names("\(folder)/new/er") == ["again.f32", "logits.f32"])
        }
    }

    @Test("A folder that cannot be created is refused with what is in the way, or in the system's words")
    func noFolder() throws {
        try withFolder { folder in
            try Data().write(to: URL(fileURLWithPath: "\(folder)/file"))
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "nowhere")
            let long = String(repeating: "x", count: 300)
            for (path, reason) in [
                ("\(folder)/file", "a file is in the way"), ("\(folder)/file/", "'\(folder)/file' is a file"),
                ("\(folder)/file/below/it", "'\(folder)/file' is a file"),
                ("\(folder)/link", "a link that leads nowhere is in the way"),
                ("\(folder)/link/below", "'\(folder)/link' is a link that leads nowhere"),
                ("\(folder)/\(long)", "File name too long"), ("", "No such file or directory"),
            ] {
                let error = #expect(throws: FileError.self) { try OutputFolder(path) }
                #expect(error == .noFolder(.init(file: path, field: ""), reason: reason))
                #expect(error?.category == .failed)
                #expect(error?.localizedDescription.hasPrefix("cannot create the folder: ") == true)
            }
            #expect(try names(folder) == ["file", "link"])
        }
    }

    @Test("A folder in one that may not be written to: permission denied", .enabled(if: geteuid() != 0))
    func forbidden() throws {
        try withFolder { folder in
            #expect(chmod(folder, 0o500) == 0)
            let error = #expect(throws: FileError.self) { try OutputFolder("\(folder)/new/er") }
            #expect(chmod(folder, 0o700) == 0)
            #expect(error == .noFolder(.init(file: "\(folder)/new/er", field: ""), reason: "Permission denied"))
        }
    }

    @Test("Whether a folder may be listed and written to, in the system's words")
    func access() throws {
        try withFolder { folder in
            try Data().write(to: URL(fileURLWithPath: "\(folder)/file"))
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: ".")
            #expect(FileAccess.isFolder(folder) && FileAccess.isFolder("\(folder)/link"))
            #expect(!FileAccess.isFolder("\(folder)/file") && !FileAccess.isFolder("\(folder)/none"))
            #expect(FileAccess.obstacle(toListing: folder) == nil)
            #expect(FileAccess.obstacle(toListing: "\(folder)/none") == nil)
            #expect(FileAccess.obstacle(toListing: "\(folder)/file") == "Not a directory")
            #expect(FileAccess.obstacle(toListing: "\(folder)/file/below") == "Not a directory")
            #expect(FileAccess.obstacle(toWriting: folder) == nil)
            #expect(FileAccess.obstacle(toWriting: "\(folder)/none") == "No such file or directory")
        }
    }
}
