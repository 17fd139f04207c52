import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import Testing

/// Files that broke other readers, by the name under which they became known. Each gives one typed error here, within
/// twice the size of the file and 8 MiB (`refusal` checks it).
@Suite(.timeLimit(.minutes(20))) struct GGUFReplayTests {
    @Test("CVE-2024-39720: four bytes, just the magic")
    func justTheMagic() throws {
        let error = try refusal(Array("GGUF".utf8))
        #expect(error.kind == "truncated")
        #expect(error.location.field == "version")
        for bytes in [[], Array("GGU".utf8)] { #expect(try refusal(bytes).kind == "truncated") }
    }

    @Test("ollama 17033: 24 bytes, version 1, a string of no bytes")
    func versionOne() throws {
        let bytes = RawGGUF(version: 1, entries: 0).bytes
        #expect(bytes.count == 24)
        #expect(try refusal(bytes).kind == "unsupportedVersion")
    }

    @Test("ollama 17032: 36 bytes, a string length that is negative as a signed number")
    func negativeLength() throws {
        let short = RawGGUF.bytes(entries: 1) {
            $0.u64(1 << 63)
            $0.u32(8)
        }
        #expect(short.count == 36)
        #expect(try refusal(short).kind == "beyondFile")
        for length in [1 << 63, UInt64.max, UInt64.max - 7, 1 << 62, 1 << 32] {
            for version in [UInt32(2), 3] {
                let key = RawGGUF.bytes(entries: 1, version: version) {
                    $0.string("key", length: length)
                    $0.zeros(64)
                }
                #expect(try refusal(key).location.field == "metadata key 0")
                let value = RawGGUF.bytes(entries: 1, version: version) {
                    $0.key("key", 8)
                    $0.string("", length: length)
                    $0.zeros(64)
                }
                let error = try refusal(value)
                #expect(error.kind == "beyondFile")
                #expect(error.location.field == "key")
            }
        }
    }

    @Test("llama.cpp 24884: 37 bytes, an empty metadata key")
    func emptyKey() throws {
        let bytes = RawGGUF.bytes(entries: 1) { $0.entry("", .uint8(0)) }
        #expect(bytes.count == 37)
        #expect(try refusal(bytes).kind == "emptyKey")
    }

    @Test("candle 3876: 57 bytes, general.alignment = 0")
    func alignmentZero() throws {
        let bytes = RawGGUF.bytes(entries: 1) { $0.entry("general.alignment", .uint32(0)) }
        #expect(bytes.count == 57)
        #expect(try refusal(bytes).kind == "badAlignment")
    }

    @Test("candle 3533: under 64 bytes, 2^32 items, at five places")
    func manyItems() throws {
        let many = UInt64(1) << 32
        let files = [
            RawGGUF(tensors: many).bytes,
            RawGGUF(entries: many).bytes,
            RawGGUF.bytes(entries: 1) {
                $0.string("k", length: many)
                $0.zeros(8)
            },
            RawGGUF.bytes(entries: 1) {
                $0.key("k", 8)
                $0.string("", length: many)
            },
            RawGGUF.bytes(entries: 1) { $0.array("k", of: 8, count: many) },
            RawGGUF.bytes(tensors: 1) {
                $0.string("", length: many)
                $0.zeros(30)
            },
        ]
        for bytes in files {
            #expect(bytes.count < 64)
            #expect(try refusal(bytes).kind == "beyondFile")
        }
    }

    @Test("CVE-2025-66960, CVE-2025-66959, ollama 16175, 16189, 17042: absurd counts; one odd file among many")
    func oneOddFile() throws {
        for count in [1 << 63, UInt64.max, UInt64.max / 2, UInt64.max / 8 + 1, UInt64.max / 12] {
            for element in 0...UInt32(12) {
                let bytes = RawGGUF.bytes(entries: 1) {
                    $0.array("k", of: element, count: count)
                    $0.zeros(128)
                }
                #expect(try refusal(bytes).kind == "beyondFile")
            }
        }
        let folder = try TemporaryFolder()
        let good = try Sample.builder().bytes()
        for index in 0..<31 { _ = try folder.write(good, "\(index).gguf") }
        let bad = RawGGUF.bytes(entries: 1) { $0.array("k", of: 8, count: .max) }
        _ = try folder.write(bad, "7.gguf")
        let failures = try folder.names().filter { (try? GGUFFile(path: folder.path($0))) == nil }
        #expect(failures == ["7.gguf"])
    }

    @Test("CVE-2024-12055: a file cut off at any byte")
    func cutAnywhere() throws {
        var builder = GGUFBuilder()
        builder.set("a", .array(GGUFArray(strings: ["x", "yz"])))
        builder.set("b", .array(GGUFArray([true, false])))
        builder.set("c", .float64(1))
        try builder.add("t", .q8_0, shape: [32, 2], bytes: [UInt8](repeating: 1, count: 68))
        let whole = try builder.bytes()
        let end = try #require(try GGUFFile(MappedFile(copying: whole)).tensors.first).offset + 68
        for count in 0..<whole.count {
            let cut = MappedFile(copying: Array(whole[..<count]))
            if count >= end {
                // Only padding is missing.
                #expect(try GGUFFile(cut).tensors.count == 1)
            } else {
                #expect(throws: FileError.self) { try GGUFFile(cut) }
            }
        }
    }

    @Test("CVE-2026-7482: tensor offset and size beyond the file")
    func beyondTheFile() throws {
        for (offset, size) in [(0, 65), (32, 33), (64, 1), (1 << 40, 8), (1 << 62, 8), (0, 1 << 40)]
            as [(UInt64, UInt64)]
        {
            let bytes = Self.table([("t", 24, [size], offset)], data: 64)
            #expect(try refusal(bytes).kind == "tensorBeyondFile")
        }
        #expect(try refusal(Self.table([("t", 24, [8], UInt64.max - 31)], data: 64)).kind == "tensorBeyondFile")
    }

    @Test("CVE-2025-53630: the sum of tensor sizes wraps")
    func wrappingSum() throws {
        let half = UInt64(1) << 62
        let bytes = Self.table(
            [("a", 24, [half], 0), ("b", 24, [half], half), ("c", 24, [half], 2 * half), ("d", 24, [half], 3 * half)],
            data: 64)
        #expect(try refusal(bytes).kind == "tensorBeyondFile")
    }

    @Test("CVE-2026-27940: two I8 tensors of 0x7FFFFFFFFFFFFFC0, the bypass of that fix")
    func wrappingSumWithOverhead() throws {
        let size = UInt64(0x7fff_ffff_ffff_ffc0)
        let bytes = Self.table([("a", 24, [size], 0), ("b", 24, [size], size)], data: 32)
        #expect(try refusal(bytes).kind == "tensorBeyondFile")
    }

    @Test("CVE-2026-33298: a dimension of 2^42 + 1 in a Gemma 3 file; dimensions whose bytes wrap")
    func wrappingDimensions() throws {
        let fixture = try GemmaFixtures.bytes("gemma3-f16.gguf")
        let fields = FieldMap(fixture).fields.filter { $0.kind == .dimension }
        for field in [fields[0], fields[1], fields[fields.count - 1]] {
            for size in [(1 << 42) + 1, 1 << 62, 1 << 63, (1 << 63) + 32, UInt64.max] as [UInt64] {
                var bytes = fixture
                bytes.replaceSubrange(field.offset..<field.offset + 8, with: size.littleEndianBytes)
                let error = try #require(throws: FileError.self) { try GGUFFile(MappedFile(copying: bytes)) }
                #expect(["tensorBeyondFile", "sizeOverflow", "badDimension"].contains(error.kind))
            }
        }
        for shape in [
            [1 << 32, 1 << 32], [1 << 62, 2], [1 << 62, 4], [3, 1 << 62], [1 << 16, 1 << 16, 1 << 16, 1 << 16],
        ]
            as [[UInt64]]
        {
            #expect(try refusal(Self.table([("t", 0, shape, 0)], data: 64)).kind == "sizeOverflow")
        }
    }

    @Test("CVE-2024-21802, 21825, 21836, 23496, 23605: counts of the header, arrays and dimensions")
    func countsEverywhere() throws {
        for count in [2, 1 << 31, 1 << 32, (1 << 61) + 1, (1 << 60) + 1, UInt64.max / 24 + 1, .max] as [UInt64] {
            #expect(try refusal(RawGGUF(tensors: count).bytes + [UInt8](repeating: 0, count: 40)).kind == "beyondFile")
            #expect(try refusal(RawGGUF(entries: count).bytes).kind == "beyondFile")
            let both = RawGGUF(tensors: 1, entries: count).bytes + [UInt8](repeating: 0, count: 36)
            #expect(try refusal(both).kind == "beyondFile")
        }
    }

    @Test("llama.cpp 15711: one limit on the number of tensors, used everywhere")
    func oneLimit() throws {
        let tensors = RawGGUF.bytes(tensors: UInt64(GGUFLimits.tensors) + 1) { $0.zeros(1 << 20) }
        #expect(try refusal(tensors).kind == "limitExceeded")
        let entries = RawGGUF.bytes(entries: UInt64(GGUFLimits.metadataEntries) + 1) { $0.zeros(1 << 20) }
        #expect(try refusal(entries).kind == "limitExceeded")
    }

    @Test("as many tensors and entries as allowed, and the last of them bad, stay within the memory allowed")
    func fullTables() throws {
        let tensors = RawGGUF.bytes(tensors: UInt64(GGUFLimits.tensors)) { raw in
            for index in 0..<GGUFLimits.tensors { raw.tensor("\(index)", type: 24, shape: [1], offset: UInt64(index)) }
        }
        #expect(try refusal(tensors).kind == "misaligned")
        let entries = RawGGUF.bytes(entries: UInt64(GGUFLimits.metadataEntries)) { raw in
            for index in 1..<GGUFLimits.metadataEntries { raw.entry("\(index)", .uint8(1)) }
            raw.entry("1", .uint8(1))
        }
        #expect(try refusal(entries).kind == "duplicateKey")
    }

    @Test("keys of combining marks cost no more than others, and are compared by their bytes", .timeLimit(.minutes(20)))
    func combiningMarks() throws {
        let marks = String(repeating: "\u{0301}\u{0323}", count: 200)
        let bytes = RawGGUF.bytes(entries: 4_002) { raw in
            for index in 0..<4_000 { raw.entry(marks + "\(index)", .uint8(1)) }
            raw.entry("\u{e9}", .uint8(1))
            raw.entry("e\u{301}", .uint8(2))
        }
        let metadata = try GGUFFile(MappedFile(copying: bytes)).metadata
        #expect(try metadata.integer("\u{e9}") == 1)
        #expect(try metadata.integer("e\u{301}") == 2)
    }

    @Test("GHSA-8wwf-w4qm-gpqr, CVE-2025-49847: a vocabulary entry longer than a signed size")
    func longVocabularyEntry() throws {
        for length in [0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 63] as [UInt64] {
            let bytes = RawGGUF.bytes(entries: 1) {
                $0.array("tokenizer.ggml.tokens", of: 8, count: 2)
                $0.string("a")
                $0.string("b", length: length)
                $0.zeros(64)
            }
            let error = try refusal(bytes)
            #expect(error.kind == "beyondFile")
            #expect(error.location.field == "tokenizer.ggml.tokens")
        }
        let long = RawGGUF.bytes(entries: 1) {
            $0.array("tokenizer.ggml.tokens", of: 8, count: 1)
            $0.string(String(repeating: "x", count: GGUFLimits.arrayStringBytes + 1))
        }
        #expect(try refusal(long).kind == "limitExceeded")
    }

    @Test("llama.cpp 26690: scores and token types declared UINT8, with the right count")
    func scoresOfBytes() throws {
        var builder = GGUFBuilder()
        builder.set("tokenizer.ggml.scores", .array(GGUFArray([1, 2, 3] as [UInt8])))
        builder.set("tokenizer.ggml.token_type", .array(GGUFArray([1, 2, 3] as [Float])))
        let metadata = try GGUFFile(MappedFile(copying: builder.bytes(), path: "m.gguf")).metadata
        for read in [{ _ = try metadata.floats($0) }, { _ = try metadata.numbers($0) }] as [(String) throws -> Void] {
            let error = try #require(throws: FileError.self) { try read("tokenizer.ggml.scores") }
            #expect(error.kind == "wrongType")
            #expect(error.location == .init(file: "m.gguf", field: "tokenizer.ggml.scores"))
        }
        #expect(throws: FileError.self) { try metadata.integers("tokenizer.ggml.token_type") }
    }

    @Test("llama.cpp 24997, 26318: alignment 0x80000000, of type INT32, and near the largest number")
    func alignments() throws {
        for value in [0x8000_0000, 0xffff_ffff, 3, 33, 1 << 21, 0x7fff_ffff] as [UInt32] {
            let bytes = RawGGUF.bytes(tensors: 1, entries: 1) {
                $0.entry("general.alignment", .uint32(value))
                $0.tensor()
                $0.data(64)
            }
            #expect(try refusal(bytes).kind == "badAlignment")
        }
        for value in [.int32(32), .uint64(32), .float32(32), .string("32"), .bool(true)] as [GGUFValue] {
            let bytes = RawGGUF.bytes(entries: 1) { $0.entry("general.alignment", value) }
            #expect(try refusal(bytes).kind == "badAlignment")
        }
        // The largest one in a small file: the data would begin behind its end.
        let wide = RawGGUF.bytes(tensors: 1, entries: 1) {
            $0.entry("general.alignment", .uint32(1 << 20))
            $0.tensor()
            $0.data(64)
        }
        #expect(try refusal(wide).kind == "tensorBeyondFile")
    }

    @Test("gguf-py, huggingface.js 2028: arrays thousands deep; n_dims = 0xFFFFFFFF; unknown element type")
    func nesting() throws {
        for depth in [GGUFLimits.arrayDepth, 5_000] {
            let bytes = RawGGUF.bytes(entries: 1) {
                $0.array("k", of: 9, count: 1)
                for _ in 0..<depth {
                    $0.u32(9)
                    $0.u64(1)
                }
            }
            #expect(try refusal(bytes).kind == "nestingTooDeep")
        }
        for count in [0, 5, UInt32.max] {
            let bytes = Self.table([], count: 1, data: 0) { $0.tensor(dimensions: count) }
            #expect(try refusal(bytes).kind == "badDimensionCount")
        }
        for element in [13, 255, UInt32.max] {
            let inner = RawGGUF.bytes(entries: 1) {
                $0.array("k", of: 9, count: 1)
                $0.u32(element)
                $0.u64(0)
            }
            #expect(try refusal(inner).kind == "unknownValueType")
        }
    }

    @Test("sparkinfer 9: an array of an unknown type, followed by what looks like entries")
    func unknownElement() throws {
        let bytes = RawGGUF.bytes(entries: 2) {
            $0.array("k", of: 77, count: 0)
            $0.entry("next", .uint8(1))
        }
        let error = try refusal(bytes)
        #expect(error == .unknownValueType(error.location, id: 77))
        #expect(error.location.field == "k")
    }

    @Test("mistral.rs 2215, 2307: a value that is missing, no array, or of the wrong type is nil or a named error")
    func wrongTypes() throws {
        var builder = GGUFBuilder()
        builder.set("tokenizer.ggml.token_type", .int32(1))
        builder.set("gemma3.context_length", .string("8192"))
        builder.set("large", .uint64(.max))
        builder.set("half", .float32(0.5))
        builder.set("whole", .float32(10))
        builder.set("nan", .float32(.nan))
        builder.set("larges", .array(GGUFArray([1, .max] as [UInt64])))
        let metadata = try GGUFFile(MappedFile(copying: builder.bytes())).metadata
        #expect(try metadata.integer("missing") == nil)
        #expect(try metadata.strings("missing") == nil)
        #expect(try metadata.integer("whole") == 10)
        for (field, kind, read) in [
            ("tokenizer.ggml.token_type", "wrongType", { _ = try metadata.integers($0) }),
            ("gemma3.context_length", "wrongType", { _ = try metadata.integer($0) }),
            ("gemma3.context_length", "wrongType", { _ = try metadata.strings($0) }),
            ("large", "outOfRange", { _ = try metadata.integer($0) }),
            ("half", "outOfRange", { _ = try metadata.integer($0) }),
            ("nan", "outOfRange", { _ = try metadata.integer($0) }),
            ("nan", "outOfRange", { _ = try metadata.number($0) }),
            ("larges", "outOfRange", { _ = try metadata.integers($0) }),
            ("large", "wrongType", { _ = try metadata.bool($0) }),
            ("large", "wrongType", { _ = try metadata.string($0) }),
        ] as [(String, String, (String) throws -> Void)] {
            let error = try #require(throws: FileError.self) { try read(field) }
            #expect(error.kind == kind)
            #expect(error.location.field == field)
        }
    }

    /// A file of the given tensors.
    static func table(
        _ rows: [(name: String, type: UInt32, shape: [UInt64], offset: UInt64)], count: UInt64? = nil, data: Int,
        _ fill: (inout RawGGUF) -> Void = { _ in }
    ) -> [UInt8] {
        RawGGUF.bytes(tensors: count ?? UInt64(rows.count)) {
            for row in rows { $0.tensor(row.name, type: row.type, shape: row.shape, offset: row.offset) }
            fill(&$0)
            $0.data(data)
        }
    }
}
