/// Reads numbers from bytes, with bounds checks.
struct BoundedBytes {
    let bytes: ArraySlice<UInt8>
    var isLittleEndian = false

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// The byte at an offset; nil if out of bounds.
    func byte(_ offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return Int(bytes[bytes.startIndex + offset])
    }

    /// The unsigned 16-bit number at an offset; nil if out of bounds.
    func half(_ offset: Int) -> Int? {
        guard let first = byte(offset), let second = byte(offset + 1) else { return nil }
        return isLittleEndian ? second << 8 | first : first << 8 | second
    }

    /// The unsigned 32-bit number at an offset; nil if out of bounds.
    func word(_ offset: Int) -> Int? {
        guard let first = half(offset), let second = half(offset + 2) else { return nil }
        return isLittleEndian ? second << 16 | first : first << 16 | second
    }

    /// The bytes of a range; nil if it is out of bounds.
    func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else { return nil }
        return bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count]
    }

    func starts(with text: String, at offset: Int = 0) -> Bool {
        slice(offset, text.utf8.count)?.elementsEqual(text.utf8) ?? false
    }
}
