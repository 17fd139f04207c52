import HearthSystem

/// A lazy view of an array of strings in the mapped file; a vocabulary of 262,144 entries is not copied.
///
/// Iterating with `forEach` reads each length once. Access by index uses a sparse index (one offset for every `stride`
/// strings), built when the view is created: about 1 ms and 128 KiB for 262,144 entries. Strings are bytes and need not be
/// UTF-8.
package struct GGUFStringArray: Sendable {
    /// Number of strings.
    package let count: Int
    private let content: ByteRange
    private let landmarks: [Int]

    private static let stride = 16

    init(count: Int, content: ByteRange) {
        self.count = count
        self.content = content
        var landmarks: [Int] = []
        landmarks.reserveCapacity(count / Self.stride + 1)
        content.withBytes { bytes in
            var offset = 0
            for index in 0..<count {
                if index % Self.stride == 0 { landmarks.append(offset) }
                offset += 8 + Self.length(bytes, at: offset)
            }
        }
        self.landmarks = landmarks
    }

    /// Calls `body` with the bytes of the string at `index`, or returns nil if there is no such string. The buffer is valid
    /// only during the call.
    package func withBytes<R>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R? {
        guard index >= 0, index < count else { return nil }
        return try content.withBytes { bytes in
            var offset = landmarks[index / Self.stride]
            for _ in 0..<index % Self.stride { offset += 8 + Self.length(bytes, at: offset) }
            let start = offset + 8
            return try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.length(bytes, at: offset)]))
        }
    }

    /// A copy of the bytes of the string at `index`; nil if there is no such string.
    package subscript(_ index: Int) -> [UInt8]? { withBytes(at: index) { Array($0) } }

    /// The string at `index`, with invalid UTF-8 replaced by U+FFFD; nil if there is no such string.
    package func string(at index: Int) -> String? {
        withBytes(at: index) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with index and bytes of every string, in order. The buffer is valid only during the call.
    package func forEach(_ body: (Int, UnsafeRawBufferPointer) throws -> Void) rethrows {
        try content.withBytes { bytes in
            var offset = 0
            for index in 0..<count {
                let start = offset + 8
                let end = start + Self.length(bytes, at: offset)
                try body(index, UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                offset = end
            }
        }
    }

    /// The length stored at `offset`; the parser has checked it against the file.
    private static func length(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        Int(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
}
