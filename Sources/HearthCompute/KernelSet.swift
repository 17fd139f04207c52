package import CHearthKernels

/// The kernels for one instruction set. All sets compute the same integer products; floating-point sums differ only in the last
/// bits, because they are added in a different order.
public struct KernelSet: @unchecked Sendable, Equatable {
    // Sendable: the tables are constants.
    package let table: UnsafePointer<hk_kernels>

    /// `portable`, `avx2`, `avx512` or `neon`.
    public let name: String

    /// Bits of the activations that meet quantized weights: 16, or 8 for a coarser and faster product. Some matrices get 16 bits
    /// even then (`MatrixGroup.takesWords`).
    package var activationBits: Int { Int(table.pointee.activation_bits) }

    /// Tells apart what is stored: sets and forms of activations give different keys and values.
    package var key: String { activationBits == 16 ? name : "\(name)-8-16" }

    init(table: UnsafePointer<hk_kernels>) {
        self.table = table
        self.name = String(cString: table.pointee.name)
    }

    /// The table of the same set with activations of 16 bits.
    var wordTable: UnsafePointer<hk_kernels> { table.pointee.with_words }

    /// The same set with activations of 16 or 8 bits.
    package func withActivations(bits: Int) -> KernelSet {
        KernelSet(table: bits == 8 ? table.pointee.with_bytes : wordTable)
    }

    /// The sets that this processor supports, fastest first; `portable` is always the last.
    public static let available: [KernelSet] = {
        var tables = [UnsafePointer<hk_kernels>?](repeating: nil, count: 8)
        let count = hk_available(&tables, tables.count)
        return tables.prefix(count).compactMap { $0.map(KernelSet.init(table:)) }
    }()

    /// The set with the given name, or the fastest one for nil, with activations of 16 bits. The program passes
    /// `HEARTH_KERNELS` here.
    package static func selected(by name: String?) throws(ComputeError) -> KernelSet {
        let wanted = name.map { name in available.filter { $0.name == name } } ?? available
        guard let set = wanted.first else {
            throw .unknownKernelSet(name: name ?? "", available: available.map(\.name))
        }
        return set
    }

    /// The same set for generating text, with activations of the given bits; nil is what is faster in this set.
    package func forText(activationBits bits: Int? = nil) -> KernelSet {
        withActivations(bits: bits ?? (table.pointee.prefers_bytes ? 8 : 16))
    }

    /// Whether both are the same set.
    public static func == (left: KernelSet, right: KernelSet) -> Bool { left.table == right.table }
}
