import HearthSystem

/// A file of sections whose length and checksum are made right, so that what they guard is reached.
enum RepairedSections {
    /// - Parameter table: a large section that no input holds; it is put behind the others where the file lists it.
    static func file(_ bytes: [UInt8], path: String, adding table: (id: Int, values: [UInt8])? = nil) -> MappedFile {
        guard bytes.count >= SectionFile.headerBytes else { return MappedFile(copying: bytes, path: path) }
        var bytes = bytes
        if let table, let entry = entries(bytes).first(where: { number(4, at: $0, in: bytes) == table.id }) {
            bytes += [UInt8](repeating: 0, count: -bytes.count & (SectionFile.alignment - 1))
            put(UInt64(bytes.count), at: entry + 8, in: &bytes)
            put(UInt64(table.values.count), at: entry + 16, in: &bytes)
            bytes += table.values
        }
        put(UInt64(bytes.count), at: 16, in: &bytes)
        let end = entries(bytes).last.map { $0 + SectionFile.entryBytes } ?? SectionFile.headerBytes
        let checksum = bytes.withUnsafeBytes { SectionFile.checksum($0[0..<24], $0[SectionFile.headerBytes..<end]) }
        put(checksum, at: 24, in: &bytes)
        return MappedFile(copying: bytes, path: path)
    }

    /// The file without that section, for `file(_:path:adding:)`.
    static func without(_ id: Int, _ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard let entry = entries(bytes).first(where: { number(4, at: $0, in: bytes) == id }) else { return bytes }
        let start = number(8, at: entry + 8, in: bytes), count = number(8, at: entry + 16, in: bytes)
        let removed = (count + SectionFile.alignment - 1) & ~(SectionFile.alignment - 1)
        for other in entries(bytes) {
            let offset = number(8, at: other + 8, in: bytes)
            if offset > start { put(UInt64(offset - removed), at: other + 8, in: &bytes) }
        }
        bytes.removeSubrange(start..<start + removed)
        return bytes
    }

    /// Where the rows of the table begin that lie inside the file.
    private static func entries(_ bytes: [UInt8]) -> [Int] {
        (0..<min(number(2, at: 12, in: bytes), 256)).map { SectionFile.headerBytes + $0 * SectionFile.entryBytes }
            .filter { $0 + SectionFile.entryBytes <= bytes.count }
    }

    private static func number(_ count: Int, at place: Int, in bytes: [UInt8]) -> Int {
        bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func put(_ value: UInt64, at place: Int, in bytes: inout [UInt8]) {
        for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte)) }
    }
}
