import Foundation
import HearthCompute
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// A whole model in each storage format, beside a twin whose weights are the same numbers in F32.
@Suite(.timeLimit(.minutes(20))) struct BlockFormatTests {
    private static let source = "gemma3-kquant-kmix.gguf"
    private let text = GemmaFixtures.prompt(20)

    /// Where a block's half-precision scales begin.
    private static func halves(_ type: GGUFTensorType) -> [Int] {
        switch type {
        case .q4_1, .q5_1, .q4_K, .q5_K: [0, 2]
        case .q2_K: [80, 82]
        case .q3_K: [108]
        case .q6_K: [208]
        case .tq1_0: [52]
        case .tq2_0: [64]
        case .f32, .iq1_M, .mxfp4, .nvfp4: []
        default: [0]
        }
    }

    /// Random blocks of small numbers.
    private static func blocks(_ type: GGUFTensorType, _ count: Int, _ random: inout SplitMix64) -> [UInt8] {
        var bytes = (0..<count * type.blockBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        for start in stride(from: 0, to: bytes.count, by: type.blockBytes) {
            // Halves of about 2^-10, of either sign, which the many steps of a block's numbers make hundredths.
            for place in halves(type) {
                bytes[start + place + 1] = bytes[start + place + 1] & 0x83 | (type == .bf16 ? 0x3c : 0x14)
            }
            switch type {
            case .f32: bytes[start + 3] = bytes[start + 3] & 0x80 | 0x3c
            case .f16: bytes[start + 1] = bytes[start + 1] & 0x83 | 0x28
            case .mxfp4: bytes[start] = 122
            case .nvfp4: for place in 0..<4 { bytes[start + place] = UInt8.random(in: 8...24, using: &random) }
            case .iq1_M:
                bytes[start + 55] = bytes[start + 55] & 15 | 0x10
                bytes[start + 53] = bytes[start + 53] & 15 | 0x40
            default: break
            }
        }
        return bytes
    }

    /// What the blocks of a matrix are in F32.
    private static func floats(_ bytes: [UInt8], _ tensor: GGUFTensor, _ format: TensorFormat) throws -> [UInt8] {
        let file = MappedFile(copying: bytes)
        let rows = tensor.shape.dropFirst().reduce(1, *)
        let matrix = try WeightMatrix(
            format: format, rows: rows, columns: tensor.shape[0], base: file.base, byteCount: bytes.count, owner: file)
        let kernels = try KernelSet.selected(by: "portable")
        let values = (0..<rows).flatMap { matrix.row($0, kernels: kernels) }
        return values.withUnsafeBytes { Array($0) }
    }

    private func logits(_ model: TextModel, _ kernels: KernelSet) throws -> [Float] {
        let session = try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: kernels, threads: 1, context: 64)
        // A prompt and single tokens go different ways through the kernels.
        _ = try session.logits(after: text[..<12])
        var result: [Float] = []
        for index in 12..<text.count { result += try session.logits(after: text[index...index]).row(0) }
        return result
    }

    @Test(arguments: TensorFormat.allCases)
    func logitsEqualThoseOfTheSameNumbers(format: TensorFormat) throws {
        let type = try #require(GGUFTensorType(rawValue: format.rawValue))
        var random = SplitMix64(seed: UInt64(format.rawValue) + 20_261_123)
        var stored: [String: [UInt8]] = [:]
        var expanded: [String: [UInt8]] = [:]
        // The embedding and the matrices of a layer: all of them would take a minute without optimisation.
        let names = ["token_embd", "blk.0"]
        for tensor in try GGUFFile(path: GemmaFixtures.path(Self.source)).tensors
        where tensor.shape.count == 2 && names.contains(where: tensor.name.hasPrefix) {
            let bytes = Self.blocks(type, tensor.elementCount / type.blockElements, &random)
            stored[tensor.name] = bytes
            expanded[tensor.name] = try Self.floats(bytes, tensor, format)
        }
        let model = try GemmaFixtures.variant(of: Self.source, bytes: stored) { tensor in
            (stored[tensor.name] == nil ? tensor.type : type, tensor.shape)
        }
        let twin = try GemmaFixtures.variant(of: Self.source, bytes: expanded) { tensor in
            (expanded[tensor.name] == nil ? tensor.type : .f32, tensor.shape)
        }
        for kernels in KernelSet.available {
            let got = try logits(model, kernels), expected = try logits(twin, kernels)
            let deviation = (expected.map { $0 * $0 }.reduce(0, +) / Float(expected.count)).squareRoot()
            let error = zip(got, expected).map { abs($0 - $1) }.max() ?? .infinity
            #expect(deviation > 0.01 && error <= 5e-3 * deviation, "\(kernels.name): \(error) of \(deviation)")
        }
    }
}
