/// Numbers in a run of bytes, each read checked against its end.
struct BoundedBytes {
    let bytes: ArraySlice<UInt8>
    var isLittleEndian = false

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// nil beyond the end.
    func byte(_ offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return Int(bytes[bytes.startIndex + offset])
    }

    /// Two bytes as a number without sign.
    func half(_ offset: Int) -> Int? {
        guard let first = byte(offset), let second = byte(offset + 1) else { return nil }
        return isLittleEndian ? second << 8 | first : first << 8 | second
    }

    /// Four bytes as a number without sign.
    func word(_ offset: Int) -> Int? {
        guard let first = half(offset), let second = half(offset + 2) else { return nil }
        return isLittleEndian ? second << 16 | first : first << 16 | second
    }

    /// nil where a part of it is beyond the end.
    func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else { return nil }
        return bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count]
    }

    func starts(with text: String, at offset: Int = 0) -> Bool {
        slice(offset, text.utf8.count)?.elementsEqual(text.utf8) ?? false
    }
}
