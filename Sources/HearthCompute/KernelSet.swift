package import CHearthKernels

/// The kernels for one instruction set. All sets compute the same integer products; floating-point sums differ only in the last
/// bits, because they are added in a different order.
public struct KernelSet: @unchecked Sendable, Equatable {
    // Sendable: the tables are constants.
    package let table: UnsafePointer<hk_kernels>

    /// `portable`, `avx2`, `avx512` or `neon`.
    public let name: String

    init(table: UnsafePointer<hk_kernels>) {
        self.table = table
        self.name = String(cString: table.pointee.name)
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

    /// Whether both are the same set.
    public static func == (left: KernelSet, right: KernelSet) -> Bool { left.table == right.table }
}
