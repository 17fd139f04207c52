internal import CHearthCompression
internal import Foundation
internal import HearthGGUF
import HearthSystem
internal import Synchronization

/// Quantizes a GGUF file: the metadata and names stay the same, and matrices of more than 200 elements in F32, F16 or BF16
/// become blocks of 8-bit or 4-bit codes.
///
/// q8_0 and q4_0 are byte-identical to the output of the reference quantizer; q4_K searches for the scales with the least
/// squared error. The file is streamed, with a few megabytes of memory for any size.
public struct GGUFQuantizer: Sendable {
    /// The target format of matrices.
    public var format: GGUFFormat
    /// Tensors of up to this many elements are left as they are.
    package var minimumElements = 200
    /// Names of tensors that are left as they are. One that the model does not have is an error.
    public var kept: Set<String> = []
    /// Number of threads.
    public var threads: Int

    /// - Parameters:
    ///   - format: the target format of matrices.
    ///   - threads: nil takes one for each processor available to the process.
    public init(_ format: GGUFFormat, threads: Int? = nil) {
        self.format = format
        self.threads = threads ?? ProcessInfo.processInfo.activeProcessorCount
    }

    /// Writes a smaller copy. It appears complete or not at all.
    /// - Parameters:
    ///   - input: path of the GGUF file.
    ///   - output: path of the copy.
    ///   - replacing: whether an existing `output` may be replaced.
    ///   - began: receives the path of the temporary file in which the copy is made.
    ///   - progress: receives the elements done and the elements in all, on any thread.
    ///   - isCancelled: asked at least every 50 ms, from several threads.
    /// - Returns: the sizes before and after, in bytes.
    /// - Throws: `FileError` for the file, `CompressionError`, `CancellationError`.
    public func compress(
        _ input: String, to output: String, replacing: Bool = false, began: (String) -> Void = { _ in },
        progress: @escaping PackageCompressor.Progress = { _, _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> CompressionReport {
        try OutputPath.check(output, input: input, replacing: replacing)
        try OutputPath.check(output, is: .gguf)
        let file = try GGUFFile(path: input)
        if let unknown = kept.subtracting(file.tensors.map(\.name)).min() {
            throw CompressionError.noSuchTensor(file: input, tensor: unknown)
        }
        let rule = GGUFQuantizationRule(format: format, hasOutput: file.tensor(named: "output.weight") != nil)
        var skipped: [CompressionReport.Skipped] = []
        var chosen: [String: GGUFFormat] = [:]
        for tensor in file.tensors {
            switch rule.format(for: tensor) {
            case _ where kept.contains(tensor.name):
                skipped.append(.init(name: tensor.name, reason: "it is kept as requested"))
            case .success(let format):
                if tensor.elementCount > minimumElements { chosen[tensor.name] = format }
            case .failure(let reason): skipped.append(.init(name: tensor.name, reason: reason.text))
            }
        }
        let total = file.tensors.reduce(0) { chosen[$1.name] == nil ? $0 : $0 + $1.elementCount }
        let tally = Tally(total: total, progress: progress)
        let builder = try builder(file, chosen, tally, isCancelled)
        do {
            try builder.write(to: output, began: began)
        } catch {
            if isCancelled() { throw CancellationError() }
            // The file is being changed: errors in what was read are not its fault.
            try file.file.checkIntact()
            throw error
        }
        return CompressionReport(
            inputBytes: try OutputPath.bytes(of: input), outputBytes: try OutputPath.bytes(of: output), version: nil,
            tensors: tally.tensors, skipped: skipped)
    }

    private func builder(
        _ file: GGUFFile, _ chosen: [String: GGUFFormat], _ tally: Tally,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> GGUFBuilder {
        var builder = GGUFBuilder(metadataOf: file)
        if !chosen.isEmpty {
            builder.set("general.file_type", .uint32(format.fileType))
            builder.set("general.quantization_version", .uint32(2))
        }
        for tensor in file.tensors {
            guard let format = chosen[tensor.name] else {
                try builder.add(tensor, of: file)
                continue
            }
            let stream = BlockStream(file: file, tensor: tensor, format: format, threads: threads)
            try builder.add(tensor.name, format.type, shape: tensor.shape) { sink in
                let quality = try stream.emit(sink, { tally.add($0) }, isCancelled)
                tally.finish(tensor, format, quality)
            }
        }
        return builder
    }

    /// The work done so far. One thread writes the file.
    private final class Tally: Sendable {
        private let total: Int
        private let progress: PackageCompressor.Progress
        private let state = Mutex<(done: Int, tensors: [CompressionReport.Tensor])>((0, []))

        init(total: Int, progress: @escaping PackageCompressor.Progress) {
            self.total = total
            self.progress = progress
        }

        var tensors: [CompressionReport.Tensor] { state.withLock { $0.tensors } }

        func add(_ count: Int) {
            let done = state.withLock { state in
                state.done += count
                return state.done
            }
            progress(done, total)
        }

        func finish(_ tensor: GGUFTensor, _ format: GGUFFormat, _ quality: SignalRatio) {
            let bytes = format.type.byteCount(shape: tensor.shape) ?? 0
            let entry = CompressionReport.Tensor(
                name: tensor.name, shape: tensor.shape, bits: format == .q8_0 ? 8 : 4, encoding: format.rawValue,
                snrDB: quality.decibels, squaredError: quality.noise, bytesBefore: tensor.byteCount, bytes: bytes)
            state.withLock { $0.tensors.append(entry) }
        }
    }
}

/// One tensor on its way into blocks, a piece a thread at a time.
private struct BlockStream: Sendable {
    let file: GGUFFile
    let tensor: GGUFTensor
    let format: GGUFFormat
    let threads: Int

    /// Values of a piece: a whole number of every format's blocks, some milliseconds of work.
    private static let piece = 1 << 16

    func emit(
        _ sink: GGUFBuilder.Sink, _ advance: (Int) -> Void, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> SignalRatio {
        var quality = SignalRatio()
        let count = tensor.elementCount
        let starts = Array(stride(from: 0, to: count, by: Self.piece))
        // Pieces of a tensor in rounds: so much is in memory at a time.
        let round = max(threads, 1) * 4
        for first in stride(from: 0, to: starts.count, by: round) {
            if isCancelled() { throw CancellationError() }
            let pieces = Array(starts[first..<min(first + round, starts.count)])
            let results = Mutex([Int: Result<(blocks: [UInt8], quality: SignalRatio), any Error>]())
            DispatchQueue.concurrentPerform(iterations: pieces.count) { index in
                let range = pieces[index]..<min(pieces[index] + Self.piece, count)
                let result = Result { try isCancelled() ? nil : encoded(range) }
                results.withLock {
                    $0[index] = result.flatMap { $0.map(Result.success) ?? .failure(CancellationError()) }
                }
            }
            for index in pieces.indices {
                guard let result = results.withLock({ $0[index] }) else { throw CancellationError() }
                let (blocks, part) = try result.get()
                quality = quality + part
                try blocks.withUnsafeBytes { try sink($0) }
            }
            advance(min(pieces[pieces.count - 1] + Self.piece, count) - pieces[0])
        }
        try file.file.checkIntact()
        return quality
    }

    private func encoded(_ range: Range<Int>) throws -> (blocks: [UInt8], quality: SignalRatio) {
        let values = try floats(range)
        let bad = hc_first_not_finite(values, values.count)
        guard bad == values.count else {
            throw CompressionError.notFinite(file: file.path, tensor: tensor.name, index: range.lowerBound + bad)
        }
        let blocks = format.blocks(values)
        var quality = SignalRatio()
        for (value, coded) in zip(values, format.values(blocks, count: values.count)) {
            let off = Double(value) - Double(coded)
            quality.signal += Double(value) * Double(value)
            quality.noise += off * off
        }
        return (blocks, quality)
    }

    private func floats(_ range: Range<Int>) throws -> [Float] {
        try file.withBytes(of: tensor) { bytes in
            [Float](unsafeUninitializedCapacity: range.count) { buffer, count in
                count = range.count
                guard let base = bytes.baseAddress, let out = buffer.baseAddress else { return }
                // Tensors begin at multiples of the file's alignment, which may be 1: bytes are copied first.
                let width = tensor.type == .f32 ? 4 : 2
                let source = base + range.lowerBound * width
                if width == 4 {
                    UnsafeMutableRawPointer(out).copyMemory(from: source, byteCount: range.count * 4)
                    return
                }
                let halves = [UInt16](unsafeUninitializedCapacity: range.count) { halves, filled in
                    filled = range.count
                    if let target = halves.baseAddress {
                        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: range.count * 2)
                    }
                }
                if tensor.type == .f16 {
                    hc_halves_to_floats(halves, halves.count, out)
                } else {
                    hc_bfloats_to_floats(halves, halves.count, out)
                }
            }
        }
    }
}
