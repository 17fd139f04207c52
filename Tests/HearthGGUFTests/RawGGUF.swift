import HearthGGUF
import HearthSystem

/// GGUF bytes written field by field, with no check at all: for files that no builder would make.
struct RawGGUF {
    private(set) var bytes: [UInt8] = []

    init(magic: String = "GGUF", version: UInt32 = 3, tensors: UInt64 = 0, entries: UInt64 = 0) {
        bytes = Array(magic.utf8)
        u32(version)
        u64(tensors)
        u64(entries)
    }

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func u32(_ value: UInt32) { bytes += value.littleEndianBytes }
    mutating func u64(_ value: UInt64) { bytes += value.littleEndianBytes }
    mutating func zeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }

    /// A string, with a length that may be a lie.
    mutating func string(_ text: String, length: UInt64? = nil) {
        u64(length ?? UInt64(text.utf8.count))
        bytes += Array(text.utf8)
    }

    /// Key and type of a metadata entry; the value follows.
    mutating func key(_ key: String, _ type: UInt32) {
        string(key)
        u32(type)
    }

    mutating func entry(_ key: String, _ value: GGUFValue) {
        self.key(key, value.type.rawValue)
        bytes += value.encoded
    }

    /// Key, array type, element type and count; the elements follow.
    mutating func array(_ key: String, of element: UInt32, count: UInt64) {
        self.key(key, GGUFValueType.array.rawValue)
        u32(element)
        u64(count)
    }

    /// A row of the tensor table.
    mutating func tensor(
        _ name: String = "t", type: UInt32 = 0, shape: [UInt64] = [8], dimensions: UInt32? = nil, offset: UInt64 = 0
    ) {
        string(name)
        u32(dimensions ?? UInt32(shape.count))
        shape.forEach { u64($0) }
        u32(type)
        u64(offset)
    }

    /// Zeros up to the alignment, and `count` bytes of data.
    mutating func data(_ count: Int, alignment: Int = 32) {
        while bytes.count % alignment != 0 { bytes.append(0) }
        bytes += (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// A file made by `fill`.
    static func bytes(
        tensors: UInt64 = 0, entries: UInt64 = 0, version: UInt32 = 3, _ fill: (inout RawGGUF) -> Void
    ) -> [UInt8] {
        var raw = RawGGUF(version: version, tensors: tensors, entries: entries)
        fill(&raw)
        return raw.bytes
    }
}
