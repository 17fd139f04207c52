internal import CHearthCompression
import HearthCoreMLFormat
package import HearthSystem

/// The elements of a weight where they lie: half precision by its bits, or floats.
package enum WeightElements: Sendable {
    case half(FlatArray<UInt16>)
    case single(FlatArray<Float>)

    /// How many elements.
    package var count: Int {
        switch self {
        case .half(let values): values.count
        case .single(let values): values.count
        }
    }

    /// Floats made by the program.
    package init(_ values: [Float]) { self = .single(FlatArray(values)) }

    /// Floats that are kept as halves, to which they are rounded.
    package init(halving values: [Float]) {
        var bits = [UInt16](repeating: 0, count: values.count)
        hc_floats_to_halves(values, values.count, &bits)
        self = .half(FlatArray(bits))
    }

    /// The elements of a tensor of fp16 or fp32; nil for other types.
    init?(_ tensor: MILTensor) {
        switch tensor.type {
        case .float16:
            guard let values = tensor.values(as: UInt16.self) else { return nil }
            self = .half(values)
        case .float32:
            if let values = tensor.values(as: Float.self) {
                self = .single(values)
            } else if let values = tensor.floats() {
                self.init(values)
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// The first element that is NaN or infinite.
    package var firstNotFinite: Int? {
        let place =
            switch self {
            case .half(let values): values.withBase { hc_first_half_not_finite($0, values.count) }
            case .single(let values): values.withBase { hc_first_not_finite($0, values.count) }
            }
        return place < count ? place : nil
    }

    /// The elements of some runs, one after the other, as floats.
    func floats(_ runs: [Range<Int>]) -> [Float] {
        let total = runs.reduce(0) { $0 + $1.count }
        return [Float](unsafeUninitializedCapacity: total) { buffer, count in
            count = total
            guard var next = buffer.baseAddress else { return }
            for run in runs {
                switch self {
                case .half(let values): values.withBase { hc_halves_to_floats($0 + run.lowerBound, run.count, next) }
                case .single(let values):
                    values.withBase { next.update(from: $0 + run.lowerBound, count: run.count) }
                }
                next += run.count
            }
        }
    }

    /// The elements of some runs as a weight of its own.
    func gathered(_ runs: [Range<Int>]) -> WeightElements {
        if runs.count == 1, runs[0] == 0..<count { return self }
        switch self {
        case .single: return WeightElements(floats(runs))
        case .half(let values):
            let total = runs.reduce(0) { $0 + $1.count }
            let bits = [UInt16](unsafeUninitializedCapacity: total) { buffer, count in
                count = total
                guard var next = buffer.baseAddress else { return }
                for run in runs {
                    values.withBase { next.update(from: $0 + run.lowerBound, count: run.count) }
                    next += run.count
                }
            }
            return .half(FlatArray(bits))
        }
    }
}

extension FlatArray {
    /// Calls `body` with the address of the first element; not to be kept beyond the call.
    func withBase<R>(_ body: (UnsafePointer<Element>) throws -> R) rethrows -> R {
        try withBytes { bytes in
            // An empty array has memory too.
            guard let base = bytes.baseAddress else { preconditionFailure("an array without memory") }
            return try body(base.assumingMemoryBound(to: Element.self))
        }
    }
}
