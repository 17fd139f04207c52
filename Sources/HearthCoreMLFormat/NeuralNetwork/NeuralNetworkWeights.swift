import HearthSystem

/// Weights of a layer, where they are in the file.
package struct NeuralNetworkWeights: Sendable, Equatable {
    /// How they are stored.
    package enum Encoding: Sendable, Equatable {
        case float32, float16
        /// Codes of this many bits: value = scale · code + bias, one scale and bias for all or one a channel.
        case linear(bits: Int)
        /// Indices of this many bits into a table.
        case palette(bits: Int)
        /// Bytes of another meaning.
        case raw
    }

    /// How they are stored.
    package let encoding: Encoding
    /// How many; nil where only the layer's parameters say it.
    package private(set) var count: Int?
    /// Bytes of weights in the file.
    package let byteCount: Int
    /// Where the message is.
    let place: ByteRange
    private let floatNumbers: WireNumbers
    private let bytes: ByteRange?
    /// Whether codes are signed bytes, as `int8RawValue` has them.
    private let isSigned: Bool
    private let scales: [Float]
    private let biases: [Float]
    /// Channels with a scale each, and consecutive weights of one channel, where channels are not the first dimension.
    private var (channels, run): (Int?, Int) = (nil, 1)
    /// Groups along the first dimension, where `channels` are those of one of them.
    private var groups = 1
    package var origin: WireOrigin { WireOrigin() }

    /// Whether `floats` gives the weights.
    package var isReadable: Bool {
        switch encoding {
        case .float32, .float16: true
        // No writer packs signed codes of fewer bits.
        case .linear(let bits):
            (bits == 8 || !isSigned) && count.map { !scales.isEmpty && $0 % scales.count == 0 } == true
                && (biases.isEmpty || biases.count == scales.count)
                && (channels.map { [1, $0, $0 * groups].contains(scales.count) } ?? true)
        case .palette: count != nil && !isSigned
        case .raw: false
        }
    }

    /// The weights as floats; nil for codes whose number is not known, and bytes of another meaning.
    package func floats() -> [Float]? {
        guard isReadable, let count else { return nil }
        switch encoding {
        case .float32: return floatNumbers.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
        case .float16: return bytes?.withBytes { ElementDecoder.floats($0, .float16, $0.count / 2) }
        case .linear(let bits):
            // One scale for all, or one for each channel that comes out, those of one group after those of the other. Where
            // there are only as many as one group has channels, as coremltools writes them, groups share them.
            let length = channels == nil || scales.count == 1 ? max(count / scales.count, 1) : run
            let perGroup = channels.map { scales.count > $0 ? $0 : scales.count } ?? scales.count
            let groupLength = perGroup < scales.count ? max(count / groups, 1) : max(count, 1)
            return bytes?.withBytes { bytes in
                Self.codes(bytes, bits: bits, count: count).enumerated().map { index, code in
                    let channel = index / groupLength * perGroup + index / length % perGroup
                    let number = isSigned ? Float(Int8(bitPattern: code)) : Float(code)
                    return number * scales[channel] + (biases.isEmpty ? 0 : biases[channel])
                }
            }
        case .palette(let bits):
            return bytes?.withBytes { Self.codes($0, bits: bits, count: count).map { scales[Int($0)] } }
        case .raw: return nil
        }
    }

    /// Codes of one to eight bits, one after the other, the highest bit of the first in the highest of the first byte: how
    /// coremltools packs them (`quantization_utils.py`), the other way round than the codes of programs.
    private static func codes<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, bits: Int, count: Int) -> [UInt8]
    where Bytes.Index == Int {
        guard bits < 8 else { return Array(bytes.prefix(count)) }
        let mask = UInt16(1 << bits) - 1
        return (0..<min(count, bytes.count * 8 / bits)).map { index in
            let bit = index * bits
            var window = UInt16(bytes[bit >> 3]) << 8
            if bit & 7 + bits > 8 { window |= UInt16(bytes[bit >> 3 + 1]) }
            return UInt8(truncatingIfNeeded: window >> UInt16(16 - bits - bit & 7) & mask)
        }
    }
}

extension NeuralNetworkWeights: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        var floats = WireNumbers(.fixed32)
        var (half, raw, signed): (ByteRange?, ByteRange?, ByteRange?)
        var quantization: (encoding: Encoding, first: [Float], second: [Float])?
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: try floats.append(field, "floatValue")
            case 2: half = try field.bytes("float16Value")
            case 30: raw = try field.bytes("rawValue")
            case 31: signed = try field.bytes("int8RawValue")
            case 40: quantization = try Self.quantization(field)
            default: break
            }
        }
        let lists = [floats.count > 0, half != nil, raw != nil, signed != nil].count { $0 }
        guard lists <= 1 else { throw .malformed(nil, "weights are given twice") }
        place = input.range
        floatNumbers = floats
        bytes = half ?? raw ?? signed
        isSigned = signed != nil
        scales = quantization?.first ?? []
        biases = quantization?.second ?? []
        byteCount = floats.count * 4 + (bytes?.count ?? 0)
        if let half {
            guard half.count % 2 == 0 else {
                throw .malformed("float16Value", "\(half.count) bytes are not a whole number of values")
            }
            encoding = .float16
            count = half.count / 2
        } else if let raw = raw ?? signed {
            encoding = quantization?.encoding ?? .raw
            switch encoding {
            case .linear(8), .palette(8): count = raw.count
            default: count = nil
            }
        } else {
            encoding = .float32
            count = floats.count
        }
    }

    private static func quantization(
        _ field: WireField
    ) throws(WireFault) -> (encoding: Encoding, first: [Float], second: [Float]) {
        var bits = 0
        var result: (encoding: Encoding, first: [Float], second: [Float])?
        var reader = WireReader(try field.input.child(field.bytes("quantization")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: bits = try inner.integer("numberOfBits")
            case 101, 102:
                var lists = [WireNumbers(.fixed32), WireNumbers(.fixed32)]
                var parts = WireReader(try inner.input.child(inner.bytes("quantization")))
                while let part = try parts.next() {
                    if part.number == 1 || part.number == 2 { try lists[part.number - 1].append(part, "quantization") }
                }
                let floats = lists.map { $0.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) } }
                result = (inner.number == 101 ? .linear(bits: 0) : .palette(bits: 0), floats[0], floats[1])
            default: break
            }
        }
        guard (1...8).contains(bits), let result else {
            throw .malformed("quantization", "codes of \(bits) bits, or nothing that says what they mean")
        }
        if case .palette = result.encoding {
            guard result.first.count == 1 << bits else {
                throw .malformed("quantization", "\(result.first.count) entries for indices of \(bits) bits")
            }
            return (.palette(bits: bits), result.first, [])
        }
        return (.linear(bits: bits), result.first, result.second)
    }

    package func encode(into writer: inout WireWriter) {}

    /// The weights as a tensor of `shape`, whose channels that come out are those of `axis`; nil where there are not as
    /// many.
    /// - Parameter groups: along the first dimension, each with channels of its own along a later `axis`.
    package func filling(_ shape: [Int], outputs axis: Int = 0, groups: Int = 1) -> Self? {
        guard let needed = LayerNumbers.product(shape), holds(needed) else { return nil }
        var filled = self
        filled.count = needed
        if axis > 0, axis < shape.count {
            (filled.channels, filled.run) = (shape[axis], shape[(axis + 1)...].reduce(1, *))
            // Groups that do not divide it have no scales of their own.
            filled.groups = groups > 0 && shape[0] % groups == 0 ? groups : 1
        }
        return filled
    }

    /// Fails unless there are `count` weights.
    func check(_ name: String, count needed: Int?) throws(WireFault) {
        guard let needed else { throw WireFault(name) { .sizeOverflow($0) } }
        guard !holds(needed) else { return }
        if let count { throw .malformed(name, "\(count) weights, and the layer needs \(needed)") }
        throw .malformed(name, "\(byteCount) bytes are not \(needed) codes of the quantization's bits")
    }

    /// Whether there may be `needed` weights: where only the bytes are known, as many codes that fill them.
    private func holds(_ needed: Int) -> Bool {
        if let count { return count == needed }
        switch encoding {
        case .linear(let bits), .palette(let bits):
            let (total, overflow) = needed.multipliedReportingOverflow(by: bits)
            return !overflow && total <= Int.max - 7 && (total + 7) / 8 == byteCount
        default: return true
        }
    }
}
