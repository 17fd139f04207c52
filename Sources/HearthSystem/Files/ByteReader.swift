/// A cursor over a mapped file that cannot leave it.
///
/// All reading of untrusted numbers happens here: each is compared with the bytes that are left before it moves the
/// cursor. Field names are closures, so that walking a vocabulary builds no strings.
package struct ByteReader {
    package let file: MappedFile
    package private(set) var position: Int
    private let end: Int

    package init(_ range: ByteRange) {
        file = range.file
        position = range.offset
        end = range.offset + range.count
    }

    /// Bytes left.
    package var remaining: Int { end - position }

    package func location(_ field: () -> String) -> FileError.Location {
        .init(file: file.path, field: field())
    }

    /// Moves over `count` bytes and returns where they begin.
    package mutating func skip(_ count: Int, _ field: () -> String) throws(FileError) -> Int {
        guard count >= 0, count <= remaining else {
            throw .truncated(location(field), needed: count, available: remaining)
        }
        defer { position += count }
        return position
    }

    /// A little-endian integer.
    package mutating func integer<T: FixedWidthInteger>(_ type: T.Type, _ field: () -> String) throws(FileError) -> T {
        let start = try skip(MemoryLayout<T>.size, field)
        return file.littleEndian(type, at: start)
    }

    /// Moves over `count` truth values; anything but 0 and 1 is refused.
    package mutating func skipBools(_ count: Int, _ field: () -> String) throws(FileError) {
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
    package mutating func count(of size: Int, limit: Int, _ field: () -> String) throws(FileError) -> Int {
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
    package mutating func bytes(limit: Int, _ field: () -> String) throws(FileError) -> ByteRange {
        let length = try count(of: 1, limit: limit, field)
        return ByteRange(file: file, offset: try skip(length, field), count: length)
    }

    /// A string that must be UTF-8, copied.
    package mutating func text(limit: Int, _ field: () -> String) throws(FileError) -> String {
        let range = try bytes(limit: limit, field)
        guard let text = range.validText else { throw .invalidUTF8(location(field)) }
        return text
    }
}

/// Bytes of a mapped file whose bounds were checked against it.
package struct ByteRange: Sendable {
    package let file: MappedFile
    package let offset: Int
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

    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try file.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
    }

    /// A copy of the bytes.
    package var array: [UInt8] { withBytes { Array($0) } }

    /// The text, if the bytes are UTF-8.
    package var validText: String? {
        withBytes { String(validating: $0.bindMemory(to: UInt8.self), as: UTF8.self) }
    }

    /// The text, with U+FFFD for what is not UTF-8.
    package var repairedText: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The little-endian integer at `offset` bytes from the start of the range.
    package func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
        file.littleEndian(type, at: self.offset + offset)
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
