/// A cursor over a mapped file that cannot leave it.
///
/// All reading of untrusted numbers happens here: each is compared with the bytes that are left before it moves the
/// cursor. Field names are closures, so that walking a vocabulary builds no strings.
struct ByteReader {
    let file: MappedFile
    private(set) var position: Int
    private let end: Int

    package init(_ range: ByteRange) {
        file = range.file
        position = range.offset
        end = range.offset + range.count
    }

    /// Bytes left.
    var remaining: Int { end - position }

    func location(_ field: () -> String) -> GGUFError.Location {
        .init(file: file.path, field: field())
    }

    /// Moves over `count` bytes and returns where they begin.
    mutating func skip(_ count: Int, _ field: () -> String) throws(GGUFError) -> Int {
        guard count >= 0, count <= remaining else {
            throw .truncated(location(field), needed: count, available: remaining)
        }
        defer { position += count }
        return position
    }

    /// A little-endian integer.
    mutating func integer<T: FixedWidthInteger>(_ type: T.Type, _ field: () -> String) throws(GGUFError) -> T {
        let start = try skip(MemoryLayout<T>.size, field)
        return file.littleEndian(type, at: start)
    }

    /// Moves over `count` truth values; anything but 0 and 1 is refused.
    mutating func skipBools(_ count: Int, _ field: () -> String) throws(GGUFError) {
        let start = try skip(count, field)
        let wrong = ByteRange(file: file, offset: start, count: count).withBytes { bytes in
            var wrong: UInt8?
            for byte in bytes where byte > 1 {
                wrong = byte
                break
            }
            return wrong
        }
        if let wrong { throw .invalidBool(location(field), value: wrong) }
    }

    /// A 64-bit number of items that take at least `size` bytes each.
    ///
    /// It is refused when the rest of the file cannot hold that many, or above `limit`.
    mutating func count(of size: Int, limit: Int, _ field: () -> String) throws(GGUFError) -> Int {
        let claimed = try integer(UInt64.self, field)
        guard claimed <= UInt64(remaining / max(size, 1)) else {
            throw .beyondFile(location(field), claimed: claimed, available: remaining)
        }
        guard claimed <= UInt64(limit) else {
            throw .limitExceeded(location(field), claimed: claimed, limit: limit)
        }
        return Int(claimed)
    }

    /// A string: a 64-bit length and its bytes, of any content.
    mutating func bytes(limit: Int, _ field: () -> String) throws(GGUFError) -> ByteRange {
        let length = try count(of: 1, limit: limit, field)
        return ByteRange(file: file, offset: try skip(length, field), count: length)
    }

    /// A string that must be UTF-8, copied.
    mutating func text(limit: Int, _ field: () -> String) throws(GGUFError) -> String {
        let range = try bytes(limit: limit, field)
        guard let text = range.validText else { throw .invalidUTF8(location(field)) }
        return text
    }
}

/// Bytes of a mapped file whose bounds were checked against it.
package struct ByteRange: Sendable {
    let file: MappedFile
    let offset: Int
    package let count: Int

    package init(file: MappedFile, offset: Int, count: Int) {
        self.file = file
        self.offset = offset
        self.count = count
    }

    /// The whole of a file.
    package init(_ file: MappedFile) {
        self.init(file: file, offset: 0, count: file.count)
    }

    /// A copy of `bytes`, for content that comes from the program.
    package init(copying bytes: [UInt8]) {
        self.init(MappedFile(copying: bytes))
    }

    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try file.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
    }

    /// A copy of the bytes.
    package var array: [UInt8] { withBytes { Array($0) } }

    /// The text, if the bytes are UTF-8.
    var validText: String? {
        withBytes { String(validating: $0.bindMemory(to: UInt8.self), as: UTF8.self) }
    }

    /// The text, with U+FFFD for what is not UTF-8.
    package var repairedText: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The little-endian integer at `offset` bytes from the start of the range.
    func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
        file.littleEndian(type, at: self.offset + offset)
    }
}

/// A key or tensor name in a table, compared by its bytes: a `String` would be normalised first, which costs time
/// that grows with the square of its combining marks, and would make two different names one.
struct Name: Hashable, Sendable {
    let text: String

    static func == (left: Name, right: Name) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension MappedFile {
    /// The little-endian integer at `offset`, which the caller has checked; unaligned addresses are fine.
    fileprivate func littleEndian<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
        withUnsafeBytes { bytes in
            var value: T = 0
            Swift.withUnsafeMutableBytes(of: &value) {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + MemoryLayout<T>.size]))
            }
            return T(littleEndian: value)
        }
    }
}
