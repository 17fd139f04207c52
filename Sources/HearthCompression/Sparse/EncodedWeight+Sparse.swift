internal import HearthCoreMLFormat

/// Weights without their zeros: a bit for each element, and what the elements that are there are.
extension EncodedWeight {
    /// Elements as they are.
    init(
        _ elements: WeightElements, leaving mask: SparseMask, _ type: MILDataType, shape: [Int], version: Int
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(mask.used * type.bits / 8)
        switch elements {
        case .half(let values):
            values.withBase { base in
                mask.forEach { place in
                    bytes.append(UInt8(truncatingIfNeeded: base[place]))
                    bytes.append(UInt8(base[place] >> 8))
                }
            }
        case .single(let values):
            values.withBase { base in
                mask.forEach { place in
                    let bits = base[place].bitPattern
                    for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte))) }
                }
            }
        }
        let values = Parameter(name: "nonzero_data", type: type, shape: [mask.used], content: .bytes(bytes))
        kind = .sparse
        (bits, groups) = (type.bits, 1)
        quality = SignalRatio()
        sparsity = CompressionReport.Sparsity(mask)
        parameters =
            version < 9
            ? [
                values,
                Parameter(name: "mask", type: .uint8, shape: [mask.packed.count], content: .bytes(mask.packed)),
                Self.shape(shape),
            ] : [values, Self.mask("mask", mask, shape)]
    }

    /// Indices of the elements that are there; from version 9 on.
    init(_ weight: PalettizedWeight, leaving mask: SparseMask, _ type: MILDataType, shape: [Int]) {
        let codes = PalettizedWeight.packed(mask.selected(weight.codes), bits: weight.bits)
        let parts = [
            Self.mask("indices_mask", mask, shape),
            Parameter(
                name: "indices_nonzero_data", type: Self.indexType(weight.bits), shape: [mask.used],
                content: .bytes(codes)),
            Parameter(
                name: "lut", type: type, shape: weight.groups + [1 << weight.bits, 1],
                content: .bytes(Self.bytes(weight.palettes.flatMap { $0 }, type))),
        ]
        self.init(
            Parts(kind: .sparsePalette, parameters: parts, count: mask.used), mask, bits: weight.bits,
            groups: weight.palettes.count, weight.quality)
    }

    /// Integers of the elements that are not zero; from version 9 on. They decode like those of a dense weight.
    init(_ weight: LinearWeight, leaving mask: SparseMask, _ type: MILDataType, shape: [Int]) {
        let codes = mask.selected(weight.codes).map { UInt8(bitPattern: $0) }
        let packed = weight.bits == 8 ? codes : PalettizedWeight.packed(codes, bits: weight.bits)
        let parts =
            [
                Self.mask("data_mask", mask, shape),
                Parameter(
                    name: "nonzero_data", type: Self.codeType(weight), shape: [mask.used], content: .bytes(packed)),
            ] + Self.scales(weight, type)
        self.init(
            Parts(kind: .sparseBlockwise, parameters: parts, count: mask.used), mask, bits: weight.bits,
            groups: weight.scales.count, weight.quality)
    }

    private init(_ parts: Parts, _ mask: SparseMask, bits: Int, groups: Int, _ quality: SignalRatio) {
        kind = .sparse
        self.parts = parts
        (self.bits, self.groups, self.quality) = (bits, groups, quality)
        sparsity = CompressionReport.Sparsity(mask)
        parameters = [
            Parameter(name: "nonzero_data", type: .float32, shape: [], content: .part(1)),
            Parameter(name: "mask", type: .uint1, shape: [], content: .part(0)),
        ]
    }

    private static func mask(_ name: String, _ mask: SparseMask, _ shape: [Int]) -> Parameter {
        Parameter(name: name, type: .uint1, shape: shape, content: .bytes(mask.packed))
    }
}

extension CompressionReport {
    /// A weight that is stored without its zeros.
    package struct Sparsity: Sendable, Equatable {
        /// The share of elements that is left out, 0 to 1.
        package let share: Double
        /// Bytes of the package that this saves, with all that an entry of the file of weights and an operation take.
        package internal(set) var savedBytes = 0

        init(_ mask: SparseMask) { share = mask.sparsity }
    }
}
