import HearthGGUF
import HearthSystem
import HearthTestSupport
import Testing

/// The 33 classes of handcrafted files of llama.cpp's `tests/test-gguf.cpp` (7 header, 7 metadata, 13 tensor, 6 data),
/// made anew. Two differ on purpose: a dimension of zero is refused here, and so is a file whose tensors have no data.
@Suite(.timeLimit(.minutes(20))) struct GGUFHandcraftedTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// The error expected: its case and field; nil for a file that must open.
        let kind: String?
        let field: String
        let bytes: [UInt8]

        /// A file that must open.
        init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            kind = nil
            field = ""
            self.bytes = bytes
        }

        /// A file that must be refused.
        init(_ name: String, _ kind: String, _ field: String, _ bytes: [UInt8]) {
            self.name = name
            self.kind = kind
            self.field = field
            self.bytes = bytes
        }

        var testDescription: String { name }
    }

    @Test("33 classes", arguments: header + metadata + tensors + data)
    func handcrafted(_ test: Case) throws {
        if let kind = test.kind {
            let error = try refusal(test.bytes)
            #expect(error.kind == kind)
            #expect(error.location.field == test.field)
        } else {
            #expect(try touchEverything(GGUFFile(MappedFile(copying: test.bytes))) != 0)
        }
    }

    @Test func thereAre33() {
        #expect([Self.header, Self.metadata, Self.tensors, Self.data].map(\.count) == [7, 7, 13, 6])
    }

    static let header: [Case] = [
        Case("header: bad magic", "badMagic", "magic", RawGGUF(magic: "FUGG").bytes),
        Case("header: version 0", "unsupportedVersion", "version", RawGGUF(version: 0).bytes),
        Case("header: version 1", "unsupportedVersion", "version", RawGGUF(version: 1).bytes),
        Case("header: future version", "unsupportedVersion", "version", RawGGUF(version: 4).bytes),
        Case("header: bad n_tensors", "beyondFile", "tensor_count", RawGGUF(tensors: .max).bytes),
        Case("header: bad n_kv", "beyondFile", "metadata_kv_count", RawGGUF(entries: .max).bytes),
        Case("header: empty", RawGGUF.bytes { $0.data(0) }),
    ]

    static let metadata: [Case] = [
        Case(
            "metadata: bad key size", "beyondFile", "metadata key 0",
            RawGGUF.bytes(entries: 1) {
                $0.string("my_key", length: .max)
                $0.zeros(16)
            }),
        Case("metadata: empty key", "emptyKey", "metadata key 0", entry("", .uint8(1))),
        Case(
            "metadata: bad type", "unknownValueType", "my_key",
            RawGGUF.bytes(entries: 1) {
                $0.key("my_key", 13)
                $0.zeros(16)
            }),
        Case(
            "metadata: duplicate key", "duplicateKey", "my_key",
            RawGGUF.bytes(entries: 2) {
                $0.entry("my_key", .uint8(1))
                $0.entry("my_key", .string("x"))
            }),
        Case("metadata: bad alignment", "badAlignment", "general.alignment", entry("general.alignment", .uint32(13))),
        Case(
            "metadata: alignment of the wrong type", "badAlignment", "general.alignment",
            entry("general.alignment", .int32(32))),
        Case("metadata: right", entry("my_key", .array(GGUFArray(strings: ["a", "", "b"])))),
    ]

    static let tensors: [Case] = [
        Case(
            "tensors: name too long", "limitExceeded", "tensor name 0",
            table { $0.tensor(String(repeating: "n", count: 65)) }),
        Case("tensors: 5 dimensions", "badDimensionCount", "t", table { $0.tensor(shape: [1, 1, 1, 1, 1]) }),
        Case("tensors: negative dimension", "badDimension", "t", table { $0.tensor(shape: [.max]) }),
        Case("tensors: dimension of zero", "badDimension", "t", table { $0.tensor(shape: [8, 0]) }),
        Case(
            "tensors: number of values overflows", "sizeOverflow", "t",
            table { $0.tensor(shape: [8_589_934_588, 8_589_934_588]) }),
        Case(
            "tensors: number of bytes overflows", "sizeOverflow", "t",
            table { $0.tensor(type: 27, shape: [1_533_916_892, 1_533_916_892]) }),
        Case("tensors: bad type", "unknownTensorType", "t", table { $0.tensor(type: 4) }),
        Case("tensors: bad offset", "misaligned", "t", table { $0.tensor(offset: .max) }),
        Case(
            "tensors: duplicate name", "duplicateTensor", "t",
            table(2) {
                $0.tensor()
                $0.tensor(offset: 32)
            }),
        Case("tensors: bad alignment", "badAlignment", "general.alignment", aligned(13, stride: 32)),
        Case("tensors: inconsistent alignment", "misaligned", "u", aligned(nil, stride: 4)),
        Case("tensors: right but without their data", "tensorBeyondFile", "t", table(data: 0) { $0.tensor() }),
        Case("tensors: custom alignment", aligned(1, stride: 4)),
    ]

    static let data: [Case] = [
        Case("data: not enough", "tensorBeyondFile", "t", table(data: 31) { $0.tensor() }),
        Case("data: bad alignment", "badAlignment", "general.alignment", aligned(0, stride: 32)),
        Case("data: inconsistent alignment", "misaligned", "u", aligned(64, stride: 32)),
        Case(
            "data: sizes overflow together", "tensorBeyondFile", "t",
            table(2, data: 32) {
                $0.tensor(type: 24, shape: [0x7fff_ffff_ffff_ffc0])
                $0.tensor("u", type: 24, shape: [0x7fff_ffff_ffff_ffc0], offset: 0x7fff_ffff_ffff_ffc0)
            }),
        Case("data: right", table { $0.tensor(shape: [2, 2, 2, 1]) }),
        Case("data: custom alignment", aligned(4096, stride: 4096)),
    ]

    private static func entry(_ key: String, _ value: GGUFValue) -> [UInt8] {
        RawGGUF.bytes(entries: 1) { $0.entry(key, value) }
    }

    private static func table(_ count: UInt64 = 1, data: Int = 64, _ fill: (inout RawGGUF) -> Void) -> [UInt8] {
        RawGGUF.bytes(tensors: count) {
            fill(&$0)
            $0.data(data)
        }
    }

    /// Two tensors of four bytes, `stride` apart, in a file of the given alignment.
    private static func aligned(_ alignment: UInt32?, stride: UInt64) -> [UInt8] {
        RawGGUF.bytes(tensors: 2, entries: alignment == nil ? 0 : 1) {
            if let alignment { $0.entry("general.alignment", .uint32(alignment)) }
            $0.tensor(shape: [1])
            $0.tensor("u", shape: [1], offset: stride)
            $0.data(Int(stride) + 64, alignment: max(Int(alignment ?? 32), 1))
        }
    }
}
