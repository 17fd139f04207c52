internal import CHearthCompression
internal import HearthFormats

/// A compressed weight before it has a place in a file: the operation that stands for it, and its parameters.
struct EncodedWeight: Sendable {
    /// A parameter: a tensor by its bytes, or a text.
    struct Parameter: Sendable {
        enum Content: Sendable {
            /// Little-endian and packed.
            case bytes([UInt8])
            case text(String)
        }

        let name: String
        let type: MILDataType
        let shape: [Int]
        let content: Content
    }

    let kind: ConstantExpression.Kind
    let parameters: [Parameter]
    let bits: Int
    let groups: Int
    let quality: SignalRatio

    var byteCount: Int {
        parameters.reduce(0) { if case .bytes(let bytes) = $1.content { $0 + bytes.count } else { $0 } }
    }
}

extension EncodedWeight {
    /// - Parameters:
    ///   - type: fp16 or fp32, the type of the elements and of everything that is made of them.
    ///   - version: of the format: from 9 on indices and codes have shapes and types of their own.
    init(_ weight: PalettizedWeight, _ type: MILDataType, shape: [Int], version: Int) {
        let levels = Self.bytes(weight.palettes.flatMap { $0 }, type)
        kind = .palette
        bits = weight.bits
        groups = weight.palettes.count
        quality = weight.quality
        if version < 9 {
            let packed = weight.packedCodes
            parameters = [
                Parameter(name: "indices", type: .uint8, shape: [packed.count], content: .bytes(packed)),
                Parameter(name: "lut", type: type, shape: [1 << weight.bits], content: .bytes(levels)),
                Self.shape(shape),
            ]
        } else {
            let types: [Int: MILDataType] = [1: .uint1, 2: .uint2, 3: .uint3, 4: .uint4, 6: .uint6]
            parameters = [
                Parameter(
                    name: "indices", type: types[weight.bits] ?? .uint8, shape: shape,
                    content: .bytes(weight.packedCodes)),
                Parameter(
                    name: "lut", type: type, shape: weight.groups + [1 << weight.bits, 1], content: .bytes(levels)),
            ]
        }
    }

    init(_ weight: LinearWeight, _ type: MILDataType, shape: [Int], version: Int) {
        bits = weight.bits
        groups = weight.scales.count
        quality = weight.quality
        let codes: MILDataType =
            weight.bits == 4 ? (weight.isSigned ? .int4 : .uint4) : weight.isSigned ? .int8 : .uint8
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
            var parameters = [
                Parameter(name: "data", type: codes, shape: shape, content: .bytes(weight.packedCodes)),
                Parameter(name: "scale", type: type, shape: weight.blocks, content: .bytes(scales)),
            ]
            if !weight.isSigned {
                let packed = weight.bits == 8 ? zeros : PalettizedWeight.packed(zeros, bits: weight.bits)
                parameters.append(
                    Parameter(name: "offset", type: codes, shape: weight.blocks, content: .bytes(packed)))
            }
            self.parameters = parameters
        }
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

    static func bytes(_ values: [some FixedWidthInteger]) -> [UInt8] {
        values.flatMap { value in
            (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }

    /// Floats that are numbers of `type` already.
    static func bytes(_ values: [Float], _ type: MILDataType) -> [UInt8] {
        type == .float16 ? bytes(values.map { hc_half_from_double(Double($0)) }) : bytes(values.map(\.bitPattern))
    }
}
