import CHearthKernels
import Foundation
import HearthTestSupport

/// One set of kernels, with the C calls made from Swift arrays. The table is constant: sharing it is safe.
struct KernelTable: @unchecked Sendable, CustomStringConvertible {
    let table: hk_kernels
    let name: String

    var description: String { name }

    /// The sets that this processor runs, the portable one last.
    static let available: [KernelTable] = {
        var tables = [UnsafePointer<hk_kernels>?](repeating: nil, count: 8)
        let count = hk_available(&tables, tables.count)
        return tables.prefix(count).compactMap { table in
            table.map { KernelTable(table: $0.pointee, name: String(cString: $0.pointee.name)) }
        }
    }()

    func dequantize(_ format: KernelFormat, _ blocks: [UInt8], count: Int) -> [Float] {
        var out = [Float](repeating: 0, count: count)
        table.dequantize(format.value, blocks, count, &out)
        return out
    }

    /// Pairs in the set's form.
    func quantize(_ x: [Float]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: (x.count + 63) / 64 * table.pair_bytes)
        out.withUnsafeMutableBytes { table.quantize(x, x.count, $0.baseAddress, 4) }
        return out
    }

    /// `weights` [rows][columns] times each token of `x` [tokens][columns]; the result is [tokens][rows].
    func multiply(
        _ format: KernelFormat, _ weights: [UInt8], rows: Int, columns: Int, _ x: [Float], tokens: Int
    ) -> [Float] {
        var y = [Float](repeating: .nan, count: tokens * rows)
        let rowBytes = columns / format.values * format.bytes
        if format.values == 1 {
            table.multiply(format.value, weights, rowBytes, rows, columns, x, columns, 0, tokens, &y, rows)
        } else {
            // The same step of all tokens side by side, four pairs each.
            let steps = (columns + 255) / 256
            var pairs = [UInt8](repeating: 0, count: steps * tokens * 4 * table.pair_bytes)
            pairs.withUnsafeMutableBytes { pairs in
                for token in 0..<tokens {
                    let values = Array(x[token * columns..<(token + 1) * columns])
                    guard let start = pairs.baseAddress else { continue }
                    table.quantize(values, columns, start + 4 * token * table.pair_bytes, 4 * tokens)
                }
            }
            table.multiply(format.value, weights, rowBytes, rows, columns, pairs, 4, 4 * tokens, tokens, &y, rows)
        }
        return y
    }
}

/// A storage format with its block shape.
struct KernelFormat: Sendable, CustomStringConvertible {
    let name: String
    let value: hk_format
    let values: Int
    let bytes: Int

    var description: String { name }

    static let all = [
        KernelFormat(name: "F32", value: HK_F32, values: 1, bytes: 4),
        KernelFormat(name: "F16", value: HK_F16, values: 1, bytes: 2),
        KernelFormat(name: "BF16", value: HK_BF16, values: 1, bytes: 2),
        KernelFormat(name: "Q4_0", value: HK_Q4_0, values: 32, bytes: 18),
        KernelFormat(name: "Q4_1", value: HK_Q4_1, values: 32, bytes: 20),
        KernelFormat(name: "Q5_0", value: HK_Q5_0, values: 32, bytes: 22),
        KernelFormat(name: "Q5_1", value: HK_Q5_1, values: 32, bytes: 24),
        KernelFormat(name: "Q8_0", value: HK_Q8_0, values: 32, bytes: 34),
        KernelFormat(name: "Q4_K", value: HK_Q4_K, values: 256, bytes: 144),
        KernelFormat(name: "Q5_K", value: HK_Q5_K, values: 256, bytes: 176),
        KernelFormat(name: "Q6_K", value: HK_Q6_K, values: 256, bytes: 210),
    ]

    /// A block with the bytes of `scales` where a format has its scales, and `fill` elsewhere.
    func filled(with fill: UInt8, scales: [UInt8]) -> [UInt8] {
        let kept: Range<Int> =
            switch name {
            case "Q6_K": 192..<210
            case "Q4_1", "Q5_1": 0..<4
            case "Q4_K", "Q5_K": 0..<16
            case "Q4_0", "Q5_0", "Q8_0": 0..<2
            default: 0..<bytes
            }
        return scales.indices.map { kept.contains($0) ? scales[$0] : fill }
    }

    /// Blocks of random quants whose scales are finite and of moderate size, as floats near 1 are.
    func randomBlocks(_ count: Int, _ random: inout SeededNumbers) -> [UInt8] {
        var blocks = (0..<count * bytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        let scales: [Int]
        switch name {
        case "F32": scales = []
        case "Q6_K": scales = [208]
        case "Q4_1", "Q5_1", "Q4_K", "Q5_K": scales = [0, 2]
        default: scales = [0]
        }
        for block in 0..<count {
            let start = block * bytes
            if name == "F32" {
                withUnsafeBytes(of: Float.random(in: -1...1, using: &random)) { source in
                    blocks.replaceSubrange(start..<start + 4, with: source)
                }
            }
            for scale in scales {
                let exponent = name == "BF16" ? 0x3f : UInt8.random(in: 0x24...0x3b, using: &random)
                blocks[start + scale + 1] = blocks[start + scale + 1] & 0x83 | exponent
            }
        }
        return blocks
    }
}

extension SeededNumbers {
    init(_ seed: UInt64) { self.init(seed: seed) }

    mutating func floats(_ count: Int, within limit: Float = 1) -> [Float] {
        (0..<count).map { _ in Float.random(in: -limit...limit, using: &self) }
    }
}

enum KernelFixtures {
    static func data(_ name: String) throws -> Data {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appendingPathComponent("Fixtures/gemma").appendingPathComponent(name))
    }

    struct Blocks: Decodable {
        struct Entry: Decodable {
            let type: String
            let ggml_type: UInt32
            let raw_offset: Int
            let raw_bytes: Int
            let value_offset: Int
            let values: Int
        }
        let types: [Entry]
    }
}

/// Whether two results agree: equal, both NaN, or within the tolerance.
func isClose(_ a: Float, _ b: Double, relative: Double, absolute: Double = 0) -> Bool {
    Double(a) == b || (a.isNaN && b.isNaN) || abs(Double(a) - b) <= relative * abs(b) + absolute
}
