import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import Testing

/// Models that come in several files, cut as llama.cpp's gguf-split does it.
@Suite("GGUF shards", .timeLimit(.minutes(20)))
struct GGUFShardsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func name(_ index: Int, of count: Int = 3) -> String { "model-0000\(index + 1)-of-0000\(count).gguf" }

    /// Writes three files, with three tensors, two and none.
    private func write(
        _ edit: (Int, inout GGUFBuilder) throws -> Void = { _, _ in }
    ) throws {
        for index in 0..<3 {
            var builder = GGUFBuilder()
            if index == 0 { builder.set("general.name", .string("Cut")) }
            builder.set("split.no", .uint16(UInt16(index)))
            builder.set("split.count", .uint16(3))
            builder.set("split.tensors.count", .int32(5))
            for number in [0..<3, 3..<5, 5..<5][index] {
                let bytes = (0..<64).map { UInt8(truncatingIfNeeded: 64 * number + $0) }
                try builder.add("tensor.\(number)", .f32, shape: [16], bytes: bytes)
            }
            try edit(index, &builder)
            _ = try folder.write(builder.bytes(), name(index))
        }
    }

    private func refusal(_ path: String) throws -> FileError {
        try #require(throws: FileError.self) { try GGUFFile(path: path) }
    }

    @Test("Whichever file is named, all of them are opened", arguments: 0..<3)
    func anyOfThem(index: Int) throws {
        try write()
        let file = try GGUFFile(path: folder.path(name(index)))
        #expect(file.shardCount == 3)
        #expect(file.path == folder.path(name(0)))
        #expect(try file.metadata.string("general.name") == "Cut")
        #expect(file.tensors.map(\.name) == (0..<5).map { "tensor.\($0)" })
        for number in 0..<5 {
            let tensor = try #require(file.tensor(named: "tensor.\(number)"))
            let bytes = try file.withBytes(of: tensor) { Array($0) }
            #expect(bytes == (0..<64).map { UInt8(truncatingIfNeeded: 64 * number + $0) })
        }
        let sizes = try (0..<3).map { try Data(contentsOf: URL(fileURLWithPath: folder.path(name($0)))).count }
        #expect(file.byteCount == sizes.reduce(0, +))
        // Written again it is one file.
        let whole = try GGUFFile(MappedFile(copying: GGUFBuilder(copying: file).bytes()))
        #expect(whole.shardCount == 1 && whole.tensors.count == 5 && whole.metadata.keys == ["general.name"])
    }

    @Test("A missing file is named", arguments: 1..<3)
    func missing(index: Int) throws {
        try write()
        try FileManager.default.removeItem(atPath: folder.path(name(index)))
        let error = try refusal(folder.path(name(0)))
        #expect(error.location.file == folder.path(name(index)))
        #expect(error.localizedDescription.contains("part \(index + 1)"))
    }

    @Test("A file that is another one than its name says is named")
    func swapped() throws {
        try write { index, builder in if index == 2 { builder.set("split.no", .uint16(1)) } }
        let error = try refusal(folder.path(name(0)))
        #expect(error.location == .init(file: folder.path(name(2)), field: "split.no"))
    }

    @Test("A file of another cut is named")
    func otherCount() throws {
        try write { index, builder in if index == 1 { builder.set("split.count", .uint16(4)) } }
        let error = try refusal(folder.path(name(0)))
        #expect(error.location == .init(file: folder.path(name(1)), field: "split.count"))
    }

    @Test("A file that lost its name says what it misses")
    func renamed() throws {
        try write()
        try FileManager.default.moveItem(atPath: folder.path(name(1)), toPath: folder.path("alone.gguf"))
        let error = try refusal(folder.path("alone.gguf"))
        #expect(error.location == .init(file: folder.path("alone.gguf"), field: "split.count"))
    }

    @Test("A damaged file, a wrong number of tensors and a tensor that is there twice are refused")
    func damaged() throws {
        try write { index, builder in if index == 0 { builder.set("split.tensors.count", .int32(6)) } }
        #expect(try refusal(folder.path(name(0))).location.field == "split.tensors.count")
        try write { index, builder in
            if index == 2 { try builder.add("tensor.0", .f32, shape: [16], bytes: [UInt8](repeating: 0, count: 64)) }
            builder.set("split.tensors.count", .int32(6))
        }
        let twice = try refusal(folder.path(name(0)))
        #expect(twice.kind == "duplicateTensor" && twice.location.field == "tensor.0")
        try write()
        _ = try folder.write(Array("GGUF".utf8), name(1))
        #expect(try refusal(folder.path(name(2))).location.file == folder.path(name(1)))
    }

    @Test("A change of any file is noticed", arguments: 0..<3)
    func changed(index: Int) throws {
        try write()
        let file = try GGUFFile(path: folder.path(name(0)))
        try file.file.checkIntact()
        let handle = try #require(FileHandle(forWritingAtPath: folder.path(name(index))))
        try handle.seekToEnd()
        try handle.write(contentsOf: [0])
        try handle.close()
        #expect(throws: FileError.self) { try file.file.checkIntact() }
    }
}
