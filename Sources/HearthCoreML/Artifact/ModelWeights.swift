package import HearthCompute
package import HearthSystem
internal import Synchronization

/// The weights of a plan, wherever they are: numbers in one block of memory, or the stretches of a compact file.
package final class ModelWeights: Sendable {
    private enum Content: Sendable {
        case numbers(FloatWeights)
        case segments([WeightSegment], MappedFile, Compute)
    }

    private let content: Content
    private let expanded = Atomic<Int>(0)

    /// Bytes of codes that were expanded so far.
    var expandedBytes: Int { expanded.load(ordering: .relaxed) }

    /// All numbers of a plan.
    package init(_ numbers: FloatWeights) { content = .numbers(numbers) }

    /// The weights file of an artifact, which was checked against its plan.
    /// - Parameter compute: expands codes.
    package init(_ weights: MappedFile, _ file: PlanFile, _ compute: Compute) {
        if let segments = file.segments {
            content = .segments(segments, weights, compute)
        } else {
            content = .numbers(
                FloatWeights(
                    base: weights.base.assumingMemoryBound(to: Float.self), count: file.plan.weightCount, owner: weights
                ))
        }
    }

    /// Weights as numbers: where they lie, or expanded.
    /// - Throws: `ComputeError`, `CoreMLError` where the file has them not.
    func floats(_ wanted: PlanWeights) throws -> FloatWeights {
        switch content {
        case .numbers(let numbers): return try numbers.part(wanted.offset, wanted.count)
        case .segments(_, _, let compute):
            let (segment, coded) = try coded(wanted)
            return try floats(coded, compute).part(wanted.offset - segment.target.offset, wanted.count)
        }
    }

    /// Weights for a product: in the codes that they are stored in where it takes such, else as numbers.
    func operand(_ wanted: PlanWeights, takesCoded: Bool) throws -> ProductWeights {
        guard takesCoded, case .segments(_, _, let compute) = content else { return .floats(try floats(wanted)) }
        let (segment, coded) = try coded(wanted)
        guard segment.target == wanted, compute.kernels.multipliesCoded(coded.coding) else {
            return .floats(try floats(wanted))
        }
        return .coded(coded)
    }

    private func floats(_ coded: CodedWeights, _ compute: Compute) throws -> FloatWeights {
        if let floats = coded.floats { return floats }
        let floats = try compute.expanded(coded)
        expanded.add(floats.count * MemoryLayout<Float>.stride, ordering: .relaxed)
        return floats
    }

    /// The stretch that holds some weights.
    private func coded(_ wanted: PlanWeights) throws -> (segment: WeightSegment, weights: CodedWeights) {
        guard case .segments(let segments, let file, _) = content else {
            throw CoreMLError.invalid(.init(file: "weights", field: "segments"), problem: "the weights have no codes")
        }
        // The last one that begins there or before.
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].target.offset <= wanted.offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0, wanted.count >= 0,
            wanted.offset - segments[low - 1].target.offset <= segments[low - 1].rows * 16 - wanted.count
        else {
            throw CoreMLError.invalid(
                .init(file: file.path, field: "segments"),
                problem: "no stretch of the weights has \(wanted.count) from offset \(wanted.offset)")
        }
        let segment = segments[low - 1]
        let weights = try file.withUnsafeBytes { bytes in
            try CodedWeights(
                segment.coding, rows: segment.rows, bytes: UnsafeRawBufferPointer(rebasing: bytes[segment.offset...]),
                owner: file)
        }
        return (segment, weights)
    }
}
