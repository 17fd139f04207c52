import Foundation
import HearthCompression
import HearthGGUF
import HearthTestSupport
import Testing

/// Blocks beside those of the reference quantizers, and whole files.
struct GGUFQuantizerTests {
    struct Goldens: Decodable {
        let values: String
        let q8_0: String
        let q4_0: String
        let q4_K_squared_errors: [Double]
        static func load() throws -> Goldens {
            let url = TestFixtures.url("compression/blocks.json")
            return try JSONDecoder().decode(Goldens.self, from: Data(contentsOf: url))
        }
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).map { $0 < 58 ? $0 - 48 : $0 - 87 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// A file with one matrix of the goldens' values, a norm and a vector.
    private func file(_ folder: TemporaryFolder, _ values: [UInt8], columns: Int, architecture: String = "test") throws
        -> String
    {
        var builder = GGUFBuilder()
        builder.set("general.architecture", .string(architecture))
        builder.set("general.file_type", .uint32(0))
        let rows = values.count / 4 / columns
        try builder.add("blk.0.ffn_up.weight", .f32, shape: [columns, rows], bytes: values)
        try builder.add("blk.0.attn_norm.weight", .f32, shape: [columns, rows], bytes: values)
        try builder.add("blk.0.bias", .f32, shape: [columns], bytes: Array(values[..<(columns * 4)]))
        let path = folder["in.gguf"]
        try builder.write(to: path)
        return path
    }

    @Test(arguments: [GGUFFormat.q8_0, .q4_0]) func blocksAreTheReferences(_ format: GGUFFormat) throws {
        let goldens = try Goldens.load()
        let folder = try TemporaryFolder()
        let input = try file(folder, bytes(goldens.values), columns: 256)
        let report = try GGUFQuantizer(format, threads: 2).compress(input, to: folder["out.gguf"])
        let small = try GGUFFile(path: folder["out.gguf"])
        let tensor = try #require(small.tensor(named: "blk.0.ffn_up.weight"))
        #expect(tensor.type == format.type && report.tensors.map(\.name) == [tensor.name])
        #expect(try small.withBytes(of: tensor) { Array($0) } == bytes(format == .q8_0 ? goldens.q8_0 : goldens.q4_0))
        #expect(try small.metadata.integer("general.file_type") == (format == .q8_0 ? 7 : 2))
        #expect(try small.metadata.string("general.architecture") == "test")
        for name in ["blk.0.attn_norm.weight", "blk.0.bias"] {
            let (old, new) = (try GGUFFile(path: input), small)
            let (a, b) = (try #require(old.tensor(named: name)), try #require(new.tensor(named: name)))
            #expect(b.type == .f32)
            #expect(try old.withBytes(of: a) { Array($0) } == new.withBytes(of: b) { Array($0) })
        }
    }

    @Test func q4_KLosesLessThanTheReference() throws {
        let goldens = try Goldens.load()
        let folder = try TemporaryFolder()
        let all = bytes(goldens.values)
        for (block, reference) in goldens.q4_K_squared_errors.enumerated() {
            let part = Array(all[block * 1024..<(block + 1) * 1024])
            let twice = part + part
            let input = try file(folder, twice, columns: 256)
            let output = folder["\(block).gguf"]
            let report = try GGUFQuantizer(.q4_K).compress(input, to: output)
            #expect(report.tensors[0].squaredError / 2 <= reference * 1.0001 + 1e-12, "block \(block)")
            try FileManager.default.removeItem(atPath: input)
        }
    }

    /// Blocks read back by their definition are as far off as the report says.
    @Test func q4_KIsReadBackByItsDefinition() throws {
        let goldens = try Goldens.load()
        let folder = try TemporaryFolder()
        let raw = bytes(goldens.values)
        let report = try GGUFQuantizer(.q4_K).compress(try file(folder, raw, columns: 256), to: folder["out.gguf"])
        let small = try GGUFFile(path: folder["out.gguf"])
        let blocks = try small.withBytes(of: try #require(small.tensor(named: "blk.0.ffn_up.weight"))) { Array($0) }
        var noise = 0.0
        for block in 0..<blocks.count / 144 {
            let b = Array(blocks[block * 144..<(block + 1) * 144])
            func half(_ at: Int) -> Float {
                let bits = UInt16(b[at]) | UInt16(b[at + 1]) << 8
                let value = Half.table[Int(bits & 0x7fff)].value
                return bits & 0x8000 == 0 ? value : -value
            }
            for index in 0..<256 {
                let j = index / 32
                // The upper two bits of the last four scales and minimums are in the bytes of the first four.
                let upper: (scale: UInt8, minimum: UInt8) = ((b[j] >> 6) << 4, (b[4 + j] >> 6) << 4)
                let s: UInt8 = j < 4 ? b[4 + j] & 63 : b[8 + j] & 15 | upper.scale
                let m: UInt8 = j < 4 ? b[8 + j] & 63 : b[8 + j] >> 4 | upper.minimum
                let code: UInt8 = b[16 + j / 2 * 32 + index % 32] >> UInt8(j % 2 * 4) & 15
                let value = half(0) * Float(s) * Float(code) - half(2) * Float(m)
                let at = (block * 256 + index) * 4
                var bits: UInt32 = 0
                for byte in 0..<4 { bits |= UInt32(raw[at + byte]) << UInt32(8 * byte) }
                let original = Float(bitPattern: bits)
                noise += pow(Double(original) - Double(value), 2)
            }
        }
        #expect(abs(noise - report.tensors[0].squaredError) <= 1e-4 * noise)
    }

    @Test func rowsThatAreNoBlocksFallBackOrStay() throws {
        let folder = try TemporaryFolder()
        let values = [UInt8](repeating: 0, count: 96 * 4 * 4)
        let report = try GGUFQuantizer(.q4_K).compress(try file(folder, values, columns: 96), to: folder["a.gguf"])
        #expect(report.tensors.map(\.encoding) == ["q4_0"])
        try FileManager.default.removeItem(atPath: folder["in.gguf"])
        let odd = try GGUFQuantizer(.q8_0).compress(
            try file(folder, [UInt8](repeating: 0, count: 40 * 8 * 4), columns: 40), to: folder["b.gguf"])
        #expect(odd.tensors.isEmpty && odd.skipped.contains { $0.name == "blk.0.ffn_up.weight" })
    }

    @Test func notANumberIsNamedAndNothingIsLeft() throws {
        let folder = try TemporaryFolder()
        var values = [UInt8](repeating: 0, count: 256 * 4 * 4)
        values.replaceSubrange(40..<44, with: [0, 0, 0xc0, 0x7f])
        let input = try file(folder, values, columns: 256)
        for format in GGUFFormat.allCases {
            #expect(throws: CompressionError.notFinite(file: input, tensor: "blk.0.ffn_up.weight", index: 10)) {
                try GGUFQuantizer(format).compress(input, to: folder["out.gguf"])
            }
        }
        #expect(throws: CancellationError.self) {
            try GGUFQuantizer(.q8_0).compress(input, to: folder["out.gguf"], isCancelled: { true })
        }
        #expect(try folder.names() == ["in.gguf"])
    }
}
