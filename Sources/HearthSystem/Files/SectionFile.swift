/// A file of flat arrays: a header, a table of sections, and the sections, each where its values can be read in place.
///
/// Opening looks at header and table only, whatever the size: magic, version, length of the file, a checksum over both,
/// and that each section lies inside the file. All numbers are little-endian.
///
///     0   magic, 8 bytes        24  checksum of bytes 0..<24 and of the table, FNV-1a
///     8   version, 4 bytes      32  table: identity 4, size of a value 4, offset 8, number of values 8
///     12  sections, 4 bytes         sections, on borders of 64 bytes
///     16  length of the file, 8 bytes
package struct SectionFile: Sendable {
    struct Entry: Sendable {
        var id: UInt32
        var valueSize: UInt32
        var offset: UInt64
        var count: UInt64
    }

    /// The map.
    package let file: MappedFile
    private let entries: [Entry]

    package static let headerBytes = 32
    package static let entryBytes = 24
    package static let alignment = 64
    private static let maximumSections: UInt32 = 256

    /// - Parameters:
    ///   - magic: which kind of file this has to be.
    ///   - version: which version of that kind.
    /// - Throws: `FileError.damagedTable`, saying which field is wrong.
    package init(_ file: MappedFile, magic: [UInt8], version: UInt32) throws(FileError) {
        func damaged(_ field: String, _ problem: String) -> FileError {
            .damagedTable(.init(file: file.path, field: field), problem: problem)
        }
        guard file.count >= Self.headerBytes else {
            throw damaged("header", "the file has \(file.count) bytes, and its header \(Self.headerBytes)")
        }
        let whole = ByteRange(file)
        guard ByteRange(file: file, offset: 0, count: 8).array == magic else { throw damaged("magic", "unknown") }
        let found = whole.integer(UInt32.self, at: 8)
        guard found == version else { throw damaged("version", "\(found), expected \(version)") }
        let sections = whole.integer(UInt32.self, at: 12)
        guard sections <= Self.maximumSections else { throw damaged("sections", "\(sections)") }
        let length = whole.integer(UInt64.self, at: 16)
        guard length == UInt64(file.count) else {
            throw damaged("length", "the file has \(file.count) bytes instead of \(length)")
        }
        let tableEnd = Self.headerBytes + Int(sections) * Self.entryBytes
        guard tableEnd <= file.count else { throw damaged("table", "it does not fit into the file") }
        let checksum = file.withUnsafeBytes { bytes in
            Self.checksum(bytes[0..<24], bytes[Self.headerBytes..<tableEnd])
        }
        guard checksum == whole.integer(UInt64.self, at: 24) else { throw damaged("checksum", "wrong") }

        var entries: [Entry] = []
        for index in 0..<Int(sections) {
            let at = Self.headerBytes + index * Self.entryBytes
            entries.append(
                Entry(
                    id: whole.integer(UInt32.self, at: at), valueSize: whole.integer(UInt32.self, at: at + 4),
                    offset: whole.integer(UInt64.self, at: at + 8), count: whole.integer(UInt64.self, at: at + 16)))
        }
        self.file = file
        self.entries = entries
    }

    /// The values of a section.
    /// - Throws: `FileError.damagedTable` if there is no such section, its values have another size, or it lies outside the file.
    package func array<Value>(_ id: UInt32, of type: Value.Type) throws(FileError) -> FlatArray<Value> {
        guard let entry = entries.first(where: { $0.id == id }),
            Int(entry.valueSize) == MemoryLayout<Value>.stride,
            let offset = Int(exactly: entry.offset), let count = Int(exactly: entry.count),
            let values = FlatArray<Value>(file, offset: offset, count: count)
        else {
            throw .damagedTable(
                .init(file: file.path, field: "section \(id)"), problem: "missing, or not inside the file")
        }
        return values
    }

    package static func checksum(_ header: Slice<UnsafeRawBufferPointer>, _ table: Slice<UnsafeRawBufferPointer>)
        -> UInt64
    {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in header { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in table { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}

/// Collects sections and lays them out as a `SectionFile`.
package struct SectionFileBuilder {
    private let magic: [UInt8]
    private let version: UInt32
    private var sections: [(entry: SectionFile.Entry, copy: (UnsafeMutableRawBufferPointer) -> Void)] = []
    private var tail = 0  // bytes of all sections, padding included

    /// - Parameter magic: 8 bytes.
    package init(magic: [UInt8], version: UInt32) {
        self.magic = magic
        self.version = version
    }

    /// Adds a section, which is found again by `id`.
    package mutating func append<Value>(_ id: UInt32, _ values: FlatArray<Value>) {
        let size = MemoryLayout<Value>.stride
        sections.append(
            (
                .init(id: id, valueSize: UInt32(size), offset: UInt64(tail), count: UInt64(values.count)),
                { target in values.withBytes { target.copyMemory(from: $0) } }
            ))
        tail += (values.count * size + SectionFile.alignment - 1) / SectionFile.alignment * SectionFile.alignment
    }

    /// The file in memory.
    package func file() -> MappedFile {
        let table = SectionFile.headerBytes + sections.count * SectionFile.entryBytes
        let first = (table + SectionFile.alignment - 1) / SectionFile.alignment * SectionFile.alignment
        return MappedFile(count: first + tail) { memory in
            var header = magic.prefix(8) + [UInt8](repeating: 0, count: max(0, 8 - magic.count))
            header += version.littleEndianBytes
            header += UInt32(sections.count).littleEndianBytes
            header += UInt64(memory.count).littleEndianBytes
            var entries: [UInt8] = []
            for (entry, copy) in sections {
                let offset = first + Int(entry.offset)
                entries += entry.id.littleEndianBytes + entry.valueSize.littleEndianBytes
                entries += UInt64(offset).littleEndianBytes + entry.count.littleEndianBytes
                let size = Int(entry.valueSize) * Int(entry.count)
                copy(UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + size]))
            }
            memory.copyBytes(from: header + [UInt8](repeating: 0, count: 8) + entries)
            let readable = UnsafeRawBufferPointer(memory)
            let checksum = SectionFile.checksum(readable[0..<24], readable[SectionFile.headerBytes..<table])
            memory.storeBytes(of: checksum.littleEndian, toByteOffset: 24, as: UInt64.self)
        }
    }
}
