import CHearthKernels
import Foundation
import Testing

/// Values that an independent implementation computed (see Tests/Fixtures/gemma).
@Suite("Kernel goldens", .timeLimit(.minutes(20)))
struct KernelGoldenTests {
    struct Operations: Decodable {
        struct Entry: Decodable {
            let op: String
            let x: [Float]
            let y: [Float]
            let eps: Float?
            let gain: [Float]?
            let cap: Float?
            let width: Int?
            let base: Double?
            let scale: Double?
            let rotated_pairs: Int?
            let pos: Int?
        }
        let ops: [Entry]
    }

    @Test("Blocks become exactly the expected floats", arguments: KernelTable.available)
    func blocks(set: KernelTable) throws {
        let index = try JSONDecoder().decode(KernelFixtures.Blocks.self, from: KernelFixtures.data("blocks.json"))
        let raw = try KernelFixtures.data("blocks.raw")
        let values = try KernelFixtures.data("blocks.f32")
        var checked = 0
        for entry in index.types {
            guard let format = KernelFormat.all.first(where: { $0.value.rawValue == entry.ggml_type }) else { continue }
            let blocks = Array(raw[entry.raw_offset..<entry.raw_offset + entry.raw_bytes])
            let got = set.dequantize(format, blocks, count: entry.values)
            for i in 0..<entry.values {
                let start = (entry.value_offset + i) * 4
                let bits = values[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                #expect(got[i].bitPattern == bits, "\(format) value \(i)")
            }
            checked += 1
        }
        #expect(checked == KernelFormat.all.count)
    }

    @Test("Operations agree with the reference", arguments: KernelTable.available)
    func operations(set: KernelTable) throws {
        let file = try JSONDecoder().decode(Operations.self, from: KernelFixtures.data("ops.json"))
        for entry in file.ops {
            var got = entry.x
            switch entry.op {
            case "rmsnorm":
                set.table.rms_norm(entry.x, entry.gain, entry.x.count, try #require(entry.eps), &got)
            case "gelu_tanh":
                let ones = [Float](repeating: 1, count: entry.x.count)
                set.table.gated_gelu(entry.x, ones, entry.x.count, &got)
            case "softcap":
                set.table.soft_cap(&got, got.count, try #require(entry.cap))
            case "rope":
                let width = try #require(entry.width), pairs = try #require(entry.rotated_pairs)
                let base = try #require(entry.base), scale = try #require(entry.scale)
                let position = Double(try #require(entry.pos)) * scale
                let angles = (0..<width / 2).map { i in
                    i < pairs ? position * pow(base, -2 * Double(i) / Double(width)) : 0
                }
                set.table.rotate(&got, angles.map { Float(cos($0)) }, angles.map { Float(sin($0)) }, width / 2)
            default:
                continue
            }
            for (value, expected) in zip(got, entry.y) {
                let close = isClose(value, Double(expected), relative: 1e-5, absolute: 1e-6)
                #expect(close, "\(entry.op) \(entry.x.count)")
            }
        }
    }
}
