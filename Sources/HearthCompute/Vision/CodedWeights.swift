internal import CHearthKernels

/// Packed weights in a coding, used in place: usually in a mapped file, of which only the codes are read.
package final class CodedWeights: @unchecked Sendable {
    // Sendable: the bytes and the descriptor are never modified, and the bytes live as long as `owner`.
    /// The coding.
    package let coding: WeightCoding
    /// Number of rows of 16 values.
    package let rows: Int
    let kernel: UnsafeMutablePointer<hk_coded>
    private let start: UnsafeRawPointer
    private let owner: any AnyObject & Sendable

    /// - Parameters:
    ///   - bytes: at least `coding.byteCount(rows: rows)` bytes, aligned to 4.
    ///   - owner: keeps the bytes in memory.
    /// - Throws: `ComputeError.shapeMismatch` if there are fewer bytes, or the coding is invalid.
    package init(
        _ coding: WeightCoding, rows: Int, bytes: UnsafeRawBufferPointer, owner: any AnyObject & Sendable
    ) throws(ComputeError) {
        guard coding.problem(rows: rows) == nil else {
            throw .shapeMismatch(what: "bits of a coding of weights", expected: 8, found: coding.bits)
        }
        let wanted = coding.byteCount(rows: rows)
        guard let start = bytes.baseAddress, bytes.count >= wanted, Int(bitPattern: start) % 4 == 0 else {
            throw .shapeMismatch(what: "bytes of coded weights", expected: wanted, found: bytes.count)
        }
        self.coding = coding
        self.rows = rows
        self.start = start
        self.owner = owner
        var kernel = hk_coded()
        kernel.coding = coding.kernel
        kernel.bits = coding.bits
        kernel.stretch = max(coding.stretch, 1)
        kernel.codes = (start + coding.codesOffset(rows: rows)).assumingMemoryBound(to: UInt8.self)
        kernel.tables = start.assumingMemoryBound(to: Float.self)
        kernel.scales = start.assumingMemoryBound(to: UInt8.self)
        kernel.half_parameters = coding.hasHalfParameters
        kernel.rounds_to_half = coding.roundsToHalf
        if let offset = coding.offset {
            kernel.offset = offset
        } else {
            kernel.offsets = (start + coding.offsetsOffset(rows: rows)).assumingMemoryBound(to: UInt8.self)
        }
        self.kernel = .allocate(capacity: 1)
        self.kernel.initialize(to: kernel)
    }

    deinit {
        kernel.deinitialize(count: 1)
        kernel.deallocate()
    }

    /// The values in place; nil if they are coded.
    package var floats: FloatWeights? {
        guard coding.kind == .float32 else { return nil }
        return FloatWeights(base: start.assumingMemoryBound(to: Float.self), count: rows * 16, owner: owner)
    }

    func require(_ what: String, _ wanted: Int) throws(ComputeError) {
        guard rows * 16 >= wanted else { throw .shapeMismatch(what: what, expected: wanted, found: rows * 16) }
    }
}

/// Weights of a product: values, or codes that are expanded panel by panel during the multiplication.
package enum ProductWeights: Sendable {
    case floats(FloatWeights)
    case coded(CodedWeights)

    func require(_ what: String, _ wanted: Int) throws(ComputeError) {
        switch self {
        case .floats(let weights): try weights.require(what, wanted)
        case .coded(let weights): try weights.require(what, wanted)
        }
    }

    /// The values; nil for codes.
    var base: UnsafePointer<Float>? { if case .floats(let weights) = self { weights.base } else { nil } }
    /// The codes; nil for values.
    var kernel: UnsafePointer<hk_coded>? {
        if case .coded(let weights) = self { UnsafePointer(weights.kernel) } else { nil }
    }
}

extension WeightCoding {
    fileprivate var kernel: hk_coding {
        switch kind {
        case .float32: HK_CODED_FLOAT
        case .half: HK_CODED_HALF
        case .palette: HK_CODED_PALETTE
        case .affine: HK_CODED_AFFINE
        }
    }
}

extension KernelSet {
    /// Whether products that expand these codes on the fly are about as fast as products with values, by measurement
    /// (`Benchmarks/README.md`). Otherwise it is better to expand the codes once.
    package func multipliesCoded(_ coding: WeightCoding) -> Bool {
        switch coding.kind {
        case .float32: false
        case .half, .affine: true
        case .palette: coding.bits <= vision.panel_bits
        }
    }
}

extension Compute {
    /// Expands coded weights, using all threads.
    /// - Throws: `ComputeError.outOfMemory`.
    package func expanded(_ weights: CodedWeights) throws(ComputeError) -> FloatWeights {
        if let floats = weights.floats { return floats }
        let region = try FloatRegion(count: max(weights.rows * 16, 1))
        let (vision, output, rows) = (kernels.vision, region.base, weights.rows)
        let step = 1 << 12
        eachPart((rows + step - 1) / step) { part in
            let first = part * step
            vision.expand(weights.kernel, first, min(step, rows - first), output + first * 16)
        }
        return FloatWeights(region)
    }
}
