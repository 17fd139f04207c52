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

    /// Tokens as products take them: floats beside weights that are floats, and pairs otherwise.
    struct Tokens {
        let values: [Float]
        let pairs: [UInt8]
        let (count, columns): (Int, Int)
    }

    /// `x` [tokens][columns], for products with weights in that format.
    func prepared(_ x: [Float], tokens: Int, columns: Int, for format: KernelFormat) -> Tokens {
        guard format.values > 1 else { return Tokens(values: x, pairs: [], count: tokens, columns: columns) }
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
        return Tokens(values: x, pairs: pairs, count: tokens, columns: columns)
    }

    /// `weights` [rows][columns] times each token; the result is [tokens][rows].
    func multiply(_ format: KernelFormat, _ weights: [UInt8], rows: Int, _ x: Tokens) -> [Float] {
        var y = [Float](repeating: .nan, count: x.count * rows)
        let rowBytes = x.columns / format.values * format.bytes
        if format.values == 1 {
            table.multiply(
                format.value, weights, rowBytes, rows, x.columns, x.values, x.columns, 0, x.count, &y, rows)
        } else {
            table.multiply(
                format.value, weights, rowBytes, rows, x.columns, x.pairs, 4, 4 * x.count, x.count, &y, rows)
        }
        return y
    }

    /// The same of `x` [tokens][columns] as it is.
    func multiply(
        _ format: KernelFormat, _ weights: [UInt8], rows: Int, columns: Int, _ x: [Float], tokens: Int
    ) -> [Float] {
        multiply(format, weights, rows: rows, prepared(x, tokens: tokens, columns: columns, for: format))
    }
}

/// A storage format with its block shape.
struct KernelFormat: Sendable, CustomStringConvertible {
    let name: String
    let value: hk_format
    let values: Int
    let bytes: Int
    /// Where a block's half-precision scales begin.
    var halves: [Int] = [0]
    /// The bytes that scale a block's values.
    var scales: Range<Int>

    var description: String { name }

    private init(
        _ name: String, _ value: hk_format, _ values: Int, _ bytes: Int, halves: [Int] = [0], scales: Range<Int> = 0..<2
    ) {
        (self.name, self.value, self.values, self.bytes, self.halves) = (name, value, values, bytes, halves)
        self.scales = scales
    }

    static let all = [
        KernelFormat("F32", HK_F32, 1, 4, halves: [], scales: 0..<4),
        KernelFormat("F16", HK_F16, 1, 2),
        KernelFormat("BF16", HK_BF16, 1, 2),
        KernelFormat("Q4_0", HK_Q4_0, 32, 18),
        KernelFormat("Q4_1", HK_Q4_1, 32, 20, halves: [0, 2], scales: 0..<4),
        KernelFormat("Q5_0", HK_Q5_0, 32, 22),
        KernelFormat("Q5_1", HK_Q5_1, 32, 24, halves: [0, 2], scales: 0..<4),
        KernelFormat("Q8_0", HK_Q8_0, 32, 34),
        KernelFormat("Q2_K", HK_Q2_K, 256, 84, halves: [80, 82], scales: 80..<84),
        KernelFormat("Q3_K", HK_Q3_K, 256, 110, halves: [108], scales: 96..<110),
        KernelFormat("Q4_K", HK_Q4_K, 256, 144, halves: [0, 2], scales: 0..<16),
        KernelFormat("Q5_K", HK_Q5_K, 256, 176, halves: [0, 2], scales: 0..<16),
        KernelFormat("Q6_K", HK_Q6_K, 256, 210, halves: [208], scales: 192..<210),
        KernelFormat("IQ1_S", HK_IQ1_S, 256, 50),
        KernelFormat("IQ1_M", HK_IQ1_M, 256, 56, halves: [], scales: 48..<56),
        KernelFormat("IQ2_XXS", HK_IQ2_XXS, 256, 66),
        KernelFormat("IQ2_XS", HK_IQ2_XS, 256, 74),
        KernelFormat("IQ2_S", HK_IQ2_S, 256, 82),
        KernelFormat("IQ3_XXS", HK_IQ3_XXS, 256, 98),
        KernelFormat("IQ3_S", HK_IQ3_S, 256, 110),
        KernelFormat("IQ4_NL", HK_IQ4_NL, 32, 18),
        KernelFormat("IQ4_XS", HK_IQ4_XS, 256, 136, scales: 0..<8),
        KernelFormat("MXFP4", HK_MXFP4, 32, 17, halves: [], scales: 0..<1),
        KernelFormat("NVFP4", HK_NVFP4, 64, 36, halves: [], scales: 0..<4),
        KernelFormat("TQ1_0", HK_TQ1_0, 256, 54, halves: [52], scales: 52..<54),
        KernelFormat("TQ2_0", HK_TQ2_0, 256, 66, halves: [64], scales: 64..<66),
    ]

    /// A block with the bytes of `scales` where a format has its scales, and `fill` elsewhere.
    func filled(with fill: UInt8, scales: [UInt8]) -> [UInt8] {
        let kept = values == 1 ? 0..<bytes : self.scales
        return scales.indices.map { kept.contains($0) ? scales[$0] : fill }
    }

    /// Blocks of random quants whose scales are finite and of moderate size, as floats near 1 are.
    func randomBlocks(_ count: Int, _ random: inout SeededNumbers) -> [UInt8] {
        var blocks = (0..<count * bytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        for start in stride(from: 0, to: blocks.count, by: bytes) {
            for scale in halves {
                let exponent = name == "BF16" ? 0x3f : UInt8.random(in: 0x24...0x3b, using: &random)
                blocks[start + scale + 1] = blocks[start + scale + 1] & 0x83 | exponent
            }
            switch name {
            case "F32":
                withUnsafeBytes(of: Float.random(in: -1...1, using: &random)) { source in
                    blocks.replaceSubrange(start..<start + 4, with: source)
                }
            case "MXFP4": blocks[start] = UInt8.random(in: 120...135, using: &random)
            case "IQ1_M":
                // The upper byte of the half is in the upper bits of the last two words.
                let high = UInt8.random(in: 0x24...0x3b, using: &random)
                blocks[start + 55] = blocks[start + 55] & 15 | high & 0xf0
                blocks[start + 53] = blocks[start + 53] & 15 | high << 4
            default: break
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
