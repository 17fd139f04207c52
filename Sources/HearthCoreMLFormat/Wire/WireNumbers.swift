package import HearthSystem

/// The numbers of a repeated field, where they lie: in one piece (packed) or one by one.
package struct WireNumbers: Sendable {
    package enum Encoding {
        case varint, fixed32, fixed64

        var size: Int {
            switch self {
            case .varint: 1
            case .fixed32: 4
            case .fixed64: 8
            }
        }
    }

    let encoding: Encoding
    private(set) var pieces: [ByteRange] = []
    private(set) var count = 0

    package init(_ encoding: Encoding) { self.encoding = encoding }

    /// Numbers that come from the program: `bits` of each, of which a fixed encoding takes the low ones.
    package init(_ encoding: Encoding, _ bits: some Collection<UInt64>) {
        self.init(encoding)
        var bytes: [UInt8] = []
        for number in bits {
            switch encoding {
            case .varint: bytes.append(varint: number)
            case .fixed32: bytes += UInt32(truncatingIfNeeded: number).littleEndianBytes
            case .fixed64: bytes += number.littleEndianBytes
            }
        }
        if !bytes.isEmpty { pieces = [ByteRange(copying: bytes)] }
        count = bits.count
    }

    /// Takes a field in: packed, or a single number.
    @inline(never)
    package mutating func append(_ field: WireField, _ name: StaticString) throws(WireFault) {
        let added: Int
        switch (field.value, encoding) {
        case (.bytes(let range), .varint):
            added = try Self.countVarints(range, name)
        case (.bytes(let range), _):
            guard range.count % encoding.size == 0 else {
                throw .malformed("\(name)", "\(range.count) bytes are not a whole number of values of \(encoding.size)")
            }
            added = range.count / encoding.size
        case (.varint, .varint), (.fixed32, .fixed32), (.fixed64, .fixed64):
            added = 1
        default:
            throw .wrongType("\(name)", expected: "numbers", found: field.value.name)
        }
        guard added > 0 else { return }
        guard pieces.count < CoreMLLimits.unpackedNumbers else {
            throw .limit("\(name)", pieces.count + 1, CoreMLLimits.unpackedNumbers)
        }
        if case .bytes(let range) = field.value { pieces.append(range) } else { pieces.append(field.payload) }
        count += added
    }

    private static func countVarints(_ range: ByteRange, _ name: StaticString) throws(WireFault) -> Int {
        var position = range.offset
        let end = range.offset + range.count
        var count = 0
        while position < end {
            guard let value = WireVarint.read(range.file, &position, end), value.isValid else {
                throw .malformed("\(name)", "a packed integer is cut off or exceeds 64 bits")
            }
            count += 1
        }
        return count
    }

    /// The bits of each number, in order.
    @inline(never)
    func forEach(_ body: (UInt64) -> Void) {
        for piece in pieces {
            var position = piece.offset
            let end = piece.offset + piece.count
            while position < end {
                switch encoding {
                case .varint:
                    guard let value = WireVarint.read(piece.file, &position, end) else { return }
                    body(value.number)
                case .fixed32:
                    let bits = (piece.file.base + position).loadUnaligned(as: UInt32.self)
                    position += 4
                    body(UInt64(UInt32(littleEndian: bits)))
                case .fixed64:
                    let bits = (piece.file.base + position).loadUnaligned(as: UInt64.self)
                    position += 8
                    body(UInt64(littleEndian: bits))
                }
            }
        }
    }

    /// Every number as `transform` makes it.
    package func map<T>(_ transform: (UInt64) -> T) -> [T] {
        var result: [T] = []
        result.reserveCapacity(count)
        forEach { result.append(transform($0)) }
        return result
    }

    /// Signed integers.
    package var integers: [Int] { map { Int(Int64(bitPattern: $0)) } }

    /// The only piece, where there is no more than one.
    var contiguous: ByteRange? { pieces.count == 1 ? pieces[0] : nil }
}

extension WireNumbers: Equatable {
    package static func == (left: WireNumbers, right: WireNumbers) -> Bool {
        left.encoding == right.encoding && left.count == right.count && left.map { $0 } == right.map { $0 }
    }
}

extension ByteRange: Equatable {
    /// Whether the bytes are the same, wherever they are.
    package static func == (left: ByteRange, right: ByteRange) -> Bool {
        guard left.count == right.count else { return false }
        return left.withBytes { first in right.withBytes { second in first.elementsEqual(second) } }
    }
}
