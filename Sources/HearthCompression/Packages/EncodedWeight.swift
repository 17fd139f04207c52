internal import CHearthCompression
internal import HearthCoreMLFormat
internal import HearthSystem

/// A compressed weight before it has a place in a file: the operation that stands for it, and its parameters.
struct EncodedWeight: Sendable {
    /// A parameter: a tensor by its bytes, a text, or what another operation makes.
    struct Parameter: Sendable {
        enum Content: Sendable {
            /// Little-endian and packed.
            case bytes([UInt8])
            case text(String)
            /// The result with this number of `parts`.
            case part(Int)
        }

        let name: String
        let type: MILDataType
        let shape: [Int]
        let content: Content
    }

    /// An operation before the one that stands for the weight, which takes its results.
    struct Parts: Sendable {
        let kind: ConstantExpression.Kind
        let parameters: [Parameter]
        /// Elements that are there: the results are the mask and the elements. Nil where all are: they are the result.
        let count: Int?
    }

    let kind: ConstantExpression.Kind
    let parameters: [Parameter]
    var parts: Parts?
    let bits: Int
    let groups: Int
    let quality: SignalRatio
    /// What was left out, where zeros are.
    var sparsity: CompressionReport.Sparsity?

    var byteCount: Int {
        (parameters + (parts?.parameters ?? [])).reduce(0) {
            if case .bytes(let bytes) = $1.content { $0 + bytes.count } else { $0 }
        }
    }
}

extension EncodedWeight {
    /// - Parameters:
    ///   - type: fp16 or fp32, the type of the elements and of everything that is made of them.
    ///   - version: of the format: from 9 on indices and codes have shapes and types of their own.
    init(_ weight: PalettizedWeight, _ type: MILDataType, shape: [Int], version: Int) {
        if let mask = weight.mask {
            self.init(weight, leaving: mask, type, shape: shape)
        } else {
            self.init(dense: weight, type, shape: shape, version: version)
        }
    }

    private init(dense weight: PalettizedWeight, _ type: MILDataType, shape: [Int], version: Int) {
        let levels = Self.bytes(weight.palettes.flatMap { $0 }, type)
        bits = weight.bits
        groups = weight.palettes.count
        quality = weight.quality
        let palette: [Parameter]
        if version < 9 {
            let packed = weight.packedCodes
            palette = [
                Parameter(name: "indices", type: .uint8, shape: [packed.count], content: .bytes(packed)),
                Parameter(name: "lut", type: type, shape: [1 << weight.bits], content: .bytes(levels)),
                Self.shape(shape),
            ]
        } else {
            let (size, axis) = weight.vector ?? (1, 0)
            var places = shape
            if size > 1 { places[axis] /= size }
            palette =
                [
                    Parameter(
                        name: "indices", type: Self.indexType(weight.bits), shape: places,
                        content: .bytes(weight.packedCodes)),
                    Parameter(
                        name: "lut", type: type, shape: weight.groups + [1 << weight.bits, size],
                        content: .bytes(levels)),
                ]
                + (size > 1
                    ? [
                        Parameter(
                            name: "vector_axis", type: .int32, shape: [], content: .bytes(Self.bytes([Int32(axis)])))
                    ] : [])
        }
        guard let scales = weight.scales else {
            (kind, parameters) = (.palette, palette)
            return
        }
        parts = Parts(kind: .palette, parameters: palette, count: nil)
        kind = .blockwise
        parameters = [
            Parameter(name: "data", type: type, shape: shape, content: .part(0)),
            Parameter(
                name: "scale", type: type, shape: scales.blocks, content: .bytes(Self.bytes(scales.values, type))),
        ]
    }

    init(_ weight: LinearWeight, _ type: MILDataType, shape: [Int], version: Int) {
        bits = weight.bits
        groups = weight.scales.count
        quality = weight.quality
        let codes = Self.codeType(weight)
        let scales = Self.bytes(weight.scales, type)
        let zeros = weight.zeroPoints.map { UInt8(truncatingIfNeeded: $0) }
        if version < 9 {
            let axis = weight.blocks.firstIndex { $0 > 1 } ?? 0
            let channels = weight.scales.count > 1 ? [weight.scales.count] : []
            kind = .affine
            parameters = [
                Parameter(name: "quantized_data", type: codes, shape: shape, content: .bytes(weight.packedCodes)),
                Parameter(name: "zero_point", type: codes, shape: channels, content: .bytes(zeros)),
                Parameter(name: "scale", type: type, shape: channels, content: .bytes(scales)),
                Parameter(
                    name: "axis", type: .int32, shape: [], content: .bytes(Self.bytes([Int32(axis)]))),
            ]
        } else {
            kind = .blockwise
            parameters =
                [Parameter(name: "data", type: codes, shape: shape, content: .bytes(weight.packedCodes))]
                + Self.scales(weight, type)
        }
    }

    /// Scales of blocks, and their zero points where they have some.
    static func scales(_ weight: LinearWeight, _ type: MILDataType) -> [Parameter] {
        let scales = Parameter(
            name: "scale", type: type, shape: weight.blocks, content: .bytes(bytes(weight.scales, type)))
        guard !weight.isSigned else { return [scales] }
        let zeros = weight.zeroPoints.map { UInt8(truncatingIfNeeded: $0) }
        let packed = weight.bits == 8 ? zeros : PalettizedWeight.packed(zeros, bits: weight.bits)
        let type = codeType(weight)
        return [scales, Parameter(name: "offset", type: type, shape: weight.blocks, content: .bytes(packed))]
    }

    static func indexType(_ bits: Int) -> MILDataType {
        let types: [Int: MILDataType] = [1: .uint1, 2: .uint2, 3: .uint3, 4: .uint4, 6: .uint6]
        return types[bits] ?? .uint8
    }

    static func codeType(_ weight: LinearWeight) -> MILDataType {
        weight.bits == 4 ? (weight.isSigned ? .int4 : .uint4) : weight.isSigned ? .int8 : .uint8
    }

    /// A vector that stays a constant: the cast is one of name only.
    init(vector values: [Float], _ type: MILDataType, shape: [Int]) {
        (kind, bits, groups, quality) = (.cast, type.bits, 1, SignalRatio())
        parameters = [Parameter(name: "val", type: type, shape: shape, content: .bytes(Self.bytes(values, type)))]
    }

    /// Floats as halves.
    /// - Returns: nil where a value is beyond the range of half precision.
    init?(halving elements: WeightElements, shape: [Int], isCancelled: () -> Bool) throws {
        var bytes = [UInt8](repeating: 0, count: elements.count * 2)
        var quality = SignalRatio()
        var halves = [UInt16](repeating: 0, count: min(elements.count, Palettization.piece))
        for start in stride(from: 0, to: elements.count, by: Palettization.piece) {
            if isCancelled() { throw CancellationError() }
            let values = elements.floats([start..<min(start + Palettization.piece, elements.count)])
            guard hc_floats_to_halves(values, values.count, &halves) == 0 else { return nil }
            for (index, value) in values.enumerated() {
                let half = halves[index]
                bytes[(start + index) * 2] = UInt8(truncatingIfNeeded: half)
                bytes[(start + index) * 2 + 1] = UInt8(half >> 8)
                let off = Double(value) - Double(hc_half_to_float(half))
                quality.signal += Double(value) * Double(value)
                quality.noise += off * off
            }
        }
        kind = .cast
        bits = 16
        groups = 1
        self.quality = quality
        parameters = [
            Parameter(name: "source_val", type: .float16, shape: shape, content: .bytes(bytes)),
            Parameter(name: "output_dtype", type: .string, shape: [], content: .text("fp32")),
        ]
    }

    static func shape(_ shape: [Int]) -> Parameter {
        Parameter(
            name: "shape", type: .uint32, shape: [shape.count], content: .bytes(bytes(shape.map { UInt32($0) })))
    }

    static func bytes(_ values: [some FixedWidthInteger]) -> [UInt8] { values.flatMap(\.littleEndianBytes) }

    /// Floats that are numbers of `type` already.
    static func bytes(_ values: [Float], _ type: MILDataType) -> [UInt8] {
        type == .float16 ? bytes(values.map { hc_half_from_double(Double($0)) }) : bytes(values.map(\.bitPattern))
    }
}
