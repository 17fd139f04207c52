@testable import HearthFormats

/// A file of sections whose length and checksum are made right, so that what they guard is reached.
enum RepairedSections {
    static func file(_ bytes: [UInt8], path: String) -> MappedFile {
        guard bytes.count >= SectionFile.headerBytes else { return MappedFile(copying: bytes, path: path) }
        var bytes = bytes
        put(UInt64(bytes.count), at: 16, in: &bytes)
        let sections = Int(bytes[12]) | Int(bytes[13]) << 8
        let end = min(bytes.count, SectionFile.headerBytes + sections * SectionFile.entryBytes)
        let checksum = bytes.withUnsafeBytes { SectionFile.checksum($0[0..<24], $0[SectionFile.headerBytes..<end]) }
        put(checksum, at: 24, in: &bytes)
        return MappedFile(copying: bytes, path: path)
    }

    private static func put(_ value: UInt64, at place: Int, in bytes: inout [UInt8]) {
        for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte)) }
    }
}
