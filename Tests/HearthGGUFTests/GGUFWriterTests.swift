import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import Testing

/// What is written is what was read, and nothing half-written ever has a name.
@Suite(.timeLimit(.minutes(20))) struct GGUFWriterTests {
    @Test("read, write: the same bytes", arguments: try GemmaFixtures.models())
    func roundTrip(path: String) throws {
        let original = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let builder = GGUFBuilder(copying: try GGUFFile(path: path))
        #expect(try builder.bytes() == original)
        let folder = try TemporaryFolder()
        try builder.write(to: folder.path("copy.gguf"))
        #expect(try folder.bytes("copy.gguf") == original)
        #expect(try folder.names() == ["copy.gguf"])
    }

    @Test("every metadata type and tensor type survives", arguments: [UInt32(2), 3])
    func everyType(version: UInt32) throws {
        var builder = try Sample.builder()
        builder.version = version
        let bytes = try builder.bytes()
        let file = try GGUFFile(MappedFile(copying: bytes))
        #expect(file.version == version)
        #expect(try GGUFBuilder(copying: file).bytes() == bytes)

        let metadata = file.metadata
        #expect(try metadata.integer("u8") == 200)
        #expect(try metadata.integer("i8") == -100)
        #expect(try metadata.integer("u16") == 60_000)
        #expect(try metadata.integer("i16") == -30_000)
        #expect(try metadata.integer("u32") == 4_000_000_000)
        #expect(try metadata.integer("i32") == -2_000_000_000)
        #expect(try metadata.integer("u64") == 1 << 60)
        #expect(try metadata.integer("i64") == -1 << 60)
        #expect(try metadata.number("f32") == 0.5)
        #expect(try metadata.number("f64") == 1e300)
        #expect(try metadata.bool("bool") == true)
        #expect(try metadata.string("string") == "Grüße")
        #expect(metadata.bytes("raw") == [0xff, 0, 0xfe])
        #expect(try metadata.string("raw") == "\u{fffd}\0\u{fffd}")
        #expect(try metadata.strings("strings")?.count == 40)
        #expect(try metadata.strings("strings")?.string(at: 39) == "39")
        #expect(try metadata.strings("strings")?[40] == nil)
        #expect(try metadata.integers("u64s") == [1, 2, 3])
        #expect(try metadata.integers("bools") == [1, 0, 1])
        #expect(try metadata.floats("f32s") == [1, -.infinity])
        #expect(try metadata.numbers("f64s") == [2.5])
        let nested = try #require(try metadata.array("nested")).prefix(9)
        #expect(nested.count == 2)

        for type in GGUFTensorType.allCases {
            let tensor = try #require(file.tensor(named: "t.\(type.name)"))
            #expect(tensor.shape == [type.blockElements * 2, 3])
            #expect(tensor.byteCount == type.blockBytes * 6)
            #expect(tensor.offset % 32 == 0)
            let data = try file.withBytes(of: tensor) { Array($0) }
            #expect(data == Sample.data(type))
        }
    }

    @Test("set keeps the place of a key, remove closes the gap")
    func editing() throws {
        var builder = GGUFBuilder()
        for key in ["a", "b", "c"] { builder.set(key, .uint8(1)) }
        builder.set("b", .string("new"))
        builder.remove("a")
        builder.remove("missing")
        let file = try GGUFFile(MappedFile(copying: builder.bytes()))
        #expect(file.metadata.keys == ["b", "c"])
        #expect(try file.metadata.string("b") == "new")
        #expect(try file.metadata.integer("c") == 1)
    }

    @Test("another alignment is honoured, a wrong one refused")
    func alignment() throws {
        var builder = GGUFBuilder()
        builder.set("general.alignment", .uint32(4096))
        try builder.add("a", .i8, shape: [3], bytes: [1, 2, 3])
        try builder.add("b", .i8, shape: [1], bytes: [4])
        let bytes = try builder.bytes()
        let file = try GGUFFile(MappedFile(copying: bytes))
        #expect(file.alignment == 4096)
        #expect(file.tensors.map(\.offset) == [4096, 8192])
        #expect(try GGUFBuilder(copying: file).bytes() == bytes)
        builder.set("general.alignment", .uint32(24))
        #expect(throws: FileError.self) { try builder.bytes() }
    }

    @Test("a file without padding at its end stays so", arguments: [true, false])
    func padding(padsEnd: Bool) throws {
        var builder = GGUFBuilder()
        builder.padsEnd = padsEnd
        for tensors in 0..<2 {
            if tensors == 1 { try builder.add("a", .i8, shape: [3], bytes: [1, 2, 3]) }
            let bytes = try builder.bytes()
            let file = try GGUFFile(MappedFile(copying: bytes))
            #expect(try GGUFBuilder(copying: file).bytes() == bytes)
            #expect((bytes.count % 32 == 0) == padsEnd)
        }
    }

    @Test("tensors can be generated while writing, and must be as long as they say")
    func generated() throws {
        func build(_ pieces: [[UInt8]]) throws -> [UInt8] {
            var builder = GGUFBuilder()
            try builder.add("a", .f16, shape: [4]) { sink in
                for piece in pieces { try piece.withUnsafeBytes(sink) }
            }
            return try builder.bytes()
        }
        var plain = GGUFBuilder()
        try plain.add("a", .f16, shape: [4], bytes: [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try build([[1, 2, 3], [], [4, 5, 6, 7, 8]]) == plain.bytes())
        #expect(throws: FileError.self) { try build([[1, 2, 3]]) }
        #expect(throws: FileError.self) { try build([[1, 2, 3, 4, 5], [6, 7, 8, 9]]) }
    }

    @Test("the builder refuses what the reader would refuse")
    func refusals() throws {
        var builder = GGUFBuilder()
        try builder.add("a", .f32, shape: [1], bytes: [0, 0, 0, 0])
        #expect(throws: FileError.self) { try builder.add("a", .f32, shape: [1], bytes: [0, 0, 0, 0]) }
        #expect(throws: FileError.self) { try builder.add("", .f32, shape: [1], bytes: [0, 0, 0, 0]) }
        #expect(throws: FileError.self) { try builder.add("b", .f32, shape: [2], bytes: [0, 0, 0, 0]) }
        #expect(throws: FileError.self) { try builder.add("b", .q8_0, shape: [31], bytes: []) }
        #expect(throws: FileError.self) { try builder.add("b", .f32, shape: [], bytes: [0, 0, 0, 0]) }
        #expect(throws: FileError.self) { try builder.add("b", .f32, shape: [1, 1, 1, 1, 1], bytes: [0, 0, 0, 0]) }
        #expect(throws: FileError.self) { try builder.add("b", .f32, shape: [.max, 4], bytes: []) }
        #expect(builder.tensors.count == 1)
        builder.set("", .bool(true))
        #expect(throws: FileError.self) { try builder.bytes() }
    }

    @Test("a failed write leaves the old file and no other")
    func atomicity() throws {
        struct Stop: Error {}
        let folder = try TemporaryFolder()
        let path = folder.path("model.gguf")
        try Sample.builder().write(to: path)
        let before = try folder.bytes("model.gguf")
        let map = try MappedFile(path: path)
        var broken = GGUFBuilder()
        try broken.add("a", .f32, shape: [1]) { _ in throw Stop() }
        #expect(throws: Stop.self) { try broken.write(to: path) }
        #expect(try folder.bytes("model.gguf") == before)
        #expect(try folder.names() == ["model.gguf"])

        try GGUFBuilder().write(to: path)
        #expect(map.isIntact)
        #expect(map.withUnsafeBytes { Array($0) } == before)
        #expect(throws: FileError.self) { try GGUFBuilder().write(to: folder.path("none/model.gguf")) }
    }
}
