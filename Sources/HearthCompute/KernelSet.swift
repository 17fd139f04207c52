package import CHearthKernels

/// The kernels for one instruction set. All sets compute the same integer products; floating-point sums differ only in the last
/// bits, because they are added in a different order.
public struct KernelSet: @unchecked Sendable, Equatable {
    // Sendable: the tables are constants.
    package let table: UnsafePointer<hk_kernels>

    /// `portable`, `avx2`, `avx512` or `neon`.
    public let name: String

    /// Bits of the activations that meet quantized weights: 16, or 8 for a coarser and faster product.
    package var activationBits: Int { Int(table.pointee.activation_bits) }

    /// Tells apart what is stored: sets and forms of activations give different keys and values.
    package var key: String { activationBits == 16 ? name : "\(name)-\(activationBits)" }

    init(table: UnsafePointer<hk_kernels>) {
        self.table = table
        self.name = String(cString: table.pointee.name)
    }

    /// The same set with activations of 16 or 8 bits.
    /// - Throws: `ComputeError.unknownActivations` if the set has no such products.
    package func withActivations(bits: Int) throws(ComputeError) -> KernelSet {
        if bits == activationBits { return self }
        guard bits == 8, let coarse = table.pointee.with_bytes else {
            throw .unknownActivations(bits: bits, set: name)
        }
        return KernelSet(table: coarse)
    }

    /// The sets that this processor supports, fastest first; `portable` is always the last.
    public static let available: [KernelSet] = {
        var tables = [UnsafePointer<hk_kernels>?](repeating: nil, count: 8)
        let count = hk_available(&tables, tables.count)
        return tables.prefix(count).compactMap { $0.map(KernelSet.init(table:)) }
    }()

    /// The set with the given name, or the fastest one for nil. The program passes `HEARTH_KERNELS` here.
    package static func selected(by name: String?) throws(ComputeError) -> KernelSet {
        let wanted = name.map { name in available.filter { $0.name == name } } ?? available
        guard let set = wanted.first else {
            throw .unknownKernelSet(name: name ?? "", available: available.map(\.name))
        }
        return set
    }

    /// The same, with activations of the given bits; nil is the set's default.
    package static func selected(by name: String?, activationBits bits: Int?) throws(ComputeError) -> KernelSet {
        let set = try selected(by: name)
        guard let bits else { return set }
        return try set.withActivations(bits: bits)
    }

    /// Whether both are the same set.
    public static func == (left: KernelSet, right: KernelSet) -> Bool { left.table == right.table }
}
