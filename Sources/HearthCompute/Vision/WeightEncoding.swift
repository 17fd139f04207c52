internal import CHearthKernels

/// How weights are kept in fewer bytes than they take when they are computed with. Nothing is lost: each is used only for
/// weights that it holds exactly.
public enum WeightEncoding: String, Sendable, Codable {
    /// Four bytes each, read in place.
    case float32
    /// Two bytes each.
    case half
    /// A byte each, into a table of 256 values.
    case palette8
    /// Half a byte each, the first in the low half, into a table of 16 values.
    case palette4

    /// Bytes of `count` weights, table included.
    public func byteCount(_ count: Int) -> Int { tableCount * 4 + (count * bits + 7) / 8 }

    /// Values of the table.
    public var tableCount: Int {
        switch self {
        case .float32, .half: 0
        case .palette8: 256
        case .palette4: 16
        }
    }

    private var bits: Int {
        switch self {
        case .float32: 32
        case .half: 16
        case .palette8: 8
        case .palette4: 4
        }
    }

    /// The shortest encoding that holds every one of these values, bit for bit.
    public static func shortest(_ values: UnsafeBufferPointer<Float>) -> WeightEncoding {
        var distinct: Set<UInt32> = []
        for value in values {
            distinct.insert(value.bitPattern)
            if distinct.count > 256 { break }
        }
        if distinct.count <= 16 { return .palette4 }
        if distinct.count <= 256 { return .palette8 }
        return values.allSatisfy(isHalf) ? .half : .float32
    }

    /// Whether a number has no more precision or range than half precision has: ten bits behind the leading one, fewer
    /// below 2⁻¹⁴.
    private static func isHalf(_ value: Float) -> Bool {
        if value == 0 { return true }
        let exponent = Int(value.exponent)
        guard value.isFinite, exponent <= 15, exponent >= -24 else { return false }
        let lost = exponent >= -14 ? 13 : 13 + (-14 - exponent)
        return value.significandBitPattern & ((1 << UInt32(min(lost, 23))) - 1) == 0
    }

    /// The encoded bytes.
    public func encoded(_ values: UnsafeBufferPointer<Float>) -> [UInt8] {
        switch self {
        case .float32: return [UInt8](UnsafeRawBufferPointer(values))
        case .half:
            var bytes = [UInt8](repeating: 0, count: values.count * 2)
            for (index, value) in values.enumerated() {
                let bits = Self.halfBits(value)
                bytes[2 * index] = UInt8(truncatingIfNeeded: bits)
                bytes[2 * index + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            }
            return bytes
        case .palette8, .palette4:
            var places: [UInt32: UInt8] = [:]
            var table = [Float](repeating: 0, count: tableCount)
            for value in values where places[value.bitPattern] == nil && places.count < tableCount {
                table[places.count] = value
                places[value.bitPattern] = UInt8(places.count)
            }
            var bytes = table.withUnsafeBytes { [UInt8]($0) }
            let codes = values.map { places[$0.bitPattern] ?? 0 }
            if self == .palette8 {
                bytes += codes
            } else {
                for index in stride(from: 0, to: codes.count, by: 2) {
                    bytes.append(codes[index] | (index + 1 < codes.count ? codes[index + 1] << 4 : 0))
                }
            }
            return bytes
        }
    }

    /// A number that half precision holds, in it.
    private static func halfBits(_ value: Float) -> UInt16 {
        let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
        if value == 0 { return sign }
        let exponent = Int(value.exponent)
        let significand = UInt16(truncatingIfNeeded: value.significandBitPattern >> 13)
        if exponent >= -14 { return sign | UInt16(exponent + 15) << 10 | significand }
        return sign | (significand | 0x400) >> UInt16(-14 - exponent)
    }
}

extension Compute {
    /// Weights from their bytes.
    /// - Parameter bytes: `encoding.byteCount(region.count)` of them, on a border of four.
    /// - Throws: `ComputeError.shapeMismatch`.
    public func expand(
        _ encoding: WeightEncoding, _ bytes: UnsafeRawBufferPointer, into region: FloatRegion
    ) throws(ComputeError) {
        guard bytes.count >= encoding.byteCount(region.count), let start = bytes.baseAddress else {
            throw .shapeMismatch(
                what: "bytes of weights", expected: encoding.byteCount(region.count), found: bytes.count)
        }
        let table = start.assumingMemoryBound(to: Float.self)
        let codes = (start + encoding.tableCount * 4).assumingMemoryBound(to: UInt8.self)
        let (vision, output, count) = (kernels.vision, region.base, region.count)
        // Even, so that no byte is shared by two parts.
        let step = 1 << 16
        let work = PartWork { part in
            let first = part * step
            let size = min(step, count - first)
            switch encoding {
            case .float32: (output + first).update(from: table + first, count: size)
            case .half: vision.expand_half(codes + 2 * first, size, output + first)
            case .palette8: vision.expand_palette(codes + first, 8, table, size, output + first)
            case .palette4: vision.expand_palette(codes + first / 2, 4, table, size, output + first)
            }
        }
        run(work, count: (count + step - 1) / step)
    }
}
