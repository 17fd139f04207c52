internal import HearthSystem

/// A zip file: stored or deflated entries, with 64-bit sizes and data descriptors where it has them.
///
/// The central directory is the truth; the head in front of an entry has to agree with it, entries may not overlap, and
/// sizes and checksums must be what they are declared to be. So every program that reads the file sees the same content.
struct ZipArchive: ArchiveReader {
    /// An entry of the central directory.
    struct Record {
        var name: [UInt8]
        var entry: ArchiveEntry
        var flags: Int
        var method: Int
        var checksum: UInt32
        var packed: Int
        var bytes: Int
        var head: Int
        /// Where its bytes begin, once its head was looked at.
        var data = 0

        var isEncrypted: Bool { flags & 0x41 != 0 || method == 99 }
        var hasDescriptor: Bool { flags & 8 != 0 }
    }

    private static let block = 256 << 10
    private static let directoryLimit = 16 << 20

    let source: ArchiveSource
    private let records: [Record]
    let entries: [ArchiveEntry]

    init(_ source: ArchiveSource) throws {
        self.source = source
        let directory = try Self.directory(source)
        var records = try Self.records(source, directory)
        var previous = (end: 0, name: "")
        for index in records.indices.sorted(by: { records[$0].head < records[$1].head }) {
            let name = records[index].entry.path
            guard records[index].head >= previous.end else {
                throw source.invalid(name, "it overlaps '\(previous.name)'")
            }
            previous = (try Self.locate(&records[index], source, end: directory.offset), name)
        }
        self.records = records
        entries = records.map(\.entry)
    }

    // MARK: - The directory

    private struct Directory {
        var offset: Int
        var size: Int
        var count: Int
    }

    /// The record at the file's end, which says where the directory is.
    private static func directory(_ source: ArchiveSource) throws -> Directory {
        let tailSize = min(source.size, 22 + 0xFFFF)
        let begin = source.size - tailSize
        let tail = try source.bytes(at: begin, count: tailSize)
        let found = stride(from: tailSize - 22, through: 0, by: -1).first { at in
            tail[at] == 0x50 && tail.number(at, 4) == 0x0605_4b50 && at + 22 + tail.integer(at + 20, 2) == tailSize
        }
        guard let at = found else {
            throw source.invalid(nil, "it has no directory at its end: it was cut off, or is not a zip file")
        }
        var directory = Directory(
            offset: tail.integer(at + 16, 4), size: tail.integer(at + 12, 4), count: tail.integer(at + 10, 2))
        var disks = [tail.integer(at + 4, 2), tail.integer(at + 6, 2)]
        var countHere = tail.integer(at + 8, 2)
        var end = begin + at
        if directory.offset == 0xFFFF_FFFF || directory.size == 0xFFFF_FFFF || directory.count == 0xFFFF {
            let locator = try source.bytes(at: end - 20, count: 20)
            guard locator.number(0, 4) == 0x0706_4b50 else {
                throw source.invalid(nil, "its 64-bit directory is missing")
            }
            end = locator.integer(8, 8)
            let record = try source.bytes(at: end, count: 56)
            guard record.number(0, 4) == 0x0606_4b50 else {
                throw source.invalid(nil, "its 64-bit directory is missing")
            }
            disks = [record.integer(16, 4), record.integer(20, 4), locator.integer(4, 4)]
            countHere = record.integer(24, 8)
            directory = Directory(
                offset: record.integer(48, 8), size: record.integer(40, 8), count: record.integer(32, 8))
        }
        guard disks.allSatisfy({ $0 == 0 }), countHere == directory.count else {
            throw source.invalid(nil, "it is a part of several files")
        }
        guard directory.count <= ArchiveLimits.entries, directory.size <= directoryLimit else {
            throw source.invalid(nil, "it has more than \(ArchiveLimits.entries) entries")
        }
        guard directory.offset <= end, directory.size <= end - directory.offset else {
            throw source.invalid(nil, "its directory does not lie where it says")
        }
        return directory
    }

    private static func records(_ source: ArchiveSource, _ directory: Directory) throws -> [Record] {
        let bytes = try source.bytes(at: directory.offset, count: directory.size)
        var records: [Record] = []
        var at = 0
        for _ in 0..<directory.count {
            guard bytes.count - at >= 46, bytes.number(at, 4) == 0x0201_4b50 else {
                throw source.invalid(nil, "its directory is damaged")
            }
            let lengths = (
                name: bytes.integer(at + 28, 2), extra: bytes.integer(at + 30, 2), comment: bytes.integer(at + 32, 2)
            )
            let end = at + 46 + lengths.name + lengths.extra + lengths.comment
            guard end <= bytes.count else { throw source.invalid(nil, "its directory is damaged") }
            let name = Array(bytes[at + 46..<at + 46 + lengths.name])
            let extra = bytes[at + 46 + lengths.name..<at + 46 + lengths.name + lengths.extra]
            records.append(try record(source, bytes[at..<at + 46], name, extra))
            at = end
        }
        return records
    }

    private static func record(
        _ source: ArchiveSource, _ bytes: ArraySlice<UInt8>, _ name: [UInt8], _ extra: ArraySlice<UInt8>
    ) throws -> Record {
        // Without the flag for UTF-8 too: many programs write it and do not say so.
        guard let text = String(validating: name, as: UTF8.self), !text.isEmpty else {
            throw source.invalid(String(decoding: name, as: UTF8.self), "its name is not UTF-8")
        }
        var sizes = [bytes.integer(24, 4), bytes.integer(20, 4), bytes.integer(42, 4)]
        guard widen(&sizes, by: extra) else { throw source.invalid(text, "its 64-bit sizes are missing") }
        let mode = bytes.integer(40, 2) & 0xF000
        let isFolder = text.hasSuffix("/") || mode == 0x4000
        guard [0, 0x4000, 0x8000].contains(mode) else {
            throw source.invalid(text, mode == 0xA000 ? "it is a link" : "it is neither a file nor a folder")
        }
        guard !isFolder || sizes[0] == 0 else { throw source.invalid(text, "it is a folder with bytes") }
        return Record(
            name: name, entry: ArchiveEntry(name: text, kind: isFolder ? .folder : .file, bytes: sizes[0]),
            flags: bytes.integer(8, 2), method: bytes.integer(10, 2),
            checksum: UInt32(truncatingIfNeeded: bytes.number(16, 4)), packed: sizes[1], bytes: sizes[0], head: sizes[2]
        )
    }

    /// Replaces numbers that did not fit into 32 bits by those of the 64-bit field.
    private static func widen(_ values: inout [Int], by extra: ArraySlice<UInt8>) -> Bool {
        guard values.contains(0xFFFF_FFFF) else { return true }
        var rest = extra
        while rest.count >= 4 {
            let (kind, size) = (rest.integer(0, 2), rest.integer(2, 2))
            guard rest.count >= 4 + size else { return false }
            if kind == 1 {
                var field = rest.dropFirst(4).prefix(size)
                for index in values.indices where values[index] == 0xFFFF_FFFF {
                    guard field.count >= 8 else { return false }
                    values[index] = field.integer(0, 8)
                    field = field.dropFirst(8)
                }
                return true
            }
            rest = rest.dropFirst(4 + size)
        }
        return false
    }

    // MARK: - Entries

    /// Compares an entry's own head with the directory, and notes where its bytes are.
    /// - Returns: where the entry ends.
    private static func locate(_ record: inout Record, _ source: ArchiveSource, end: Int) throws -> Int {
        let name = record.entry.path
        func differs(_ what: String) -> DeliveryError {
            source.invalid(name, "its \(what) is not what the archive's directory says")
        }
        guard record.head <= end - 30 else { throw source.invalid(name, "it ends too early") }
        let head = try source.bytes(at: record.head, count: 30, entry: name)
        guard head.number(0, 4) == 0x0403_4b50 else { throw differs("head") }
        let lengths = (name: head.integer(26, 2), extra: head.integer(28, 2))
        let more = try source.bytes(at: record.head + 30, count: lengths.name + lengths.extra, entry: name)
        guard Array(more.prefix(lengths.name)) == record.name else { throw differs("name") }
        guard head.integer(6, 2) & 9 == record.flags & 9, head.integer(8, 2) == record.method else {
            throw differs("way of packing")
        }
        var sizes = [head.integer(22, 4), head.integer(18, 4)]
        guard widen(&sizes, by: more[lengths.name...]) else { throw differs("size") }
        let checksum = UInt32(truncatingIfNeeded: head.number(14, 4))
        // With a descriptor behind the bytes, the head may leave any of these open.
        func fits(_ found: Int, _ declared: Int) -> Bool { found == declared || record.hasDescriptor && found == 0 }
        guard fits(sizes[0], record.bytes), fits(sizes[1], record.packed),
            fits(Int(checksum), Int(record.checksum))
        else { throw differs("size") }
        record.data = record.head + 30 + lengths.name + lengths.extra
        guard record.packed <= end - record.data else { throw source.invalid(name, "it ends too early") }
        let dataEnd = record.data + record.packed
        guard record.hasDescriptor, record.packed > 0 else { return dataEnd }
        let descriptor = try source.bytes(at: dataEnd, count: min(24, end - dataEnd), entry: name)
        guard let size = descriptorSize(descriptor, record) else { throw differs("data descriptor") }
        return dataEnd + size
    }

    /// The length of the descriptor behind an entry: with or without its mark, with sizes of 32 or 64 bits.
    private static func descriptorSize(_ bytes: [UInt8], _ record: Record) -> Int? {
        for (mark, width) in [(4, 4), (4, 8), (0, 4), (0, 8)] where bytes.count >= mark + 4 + 2 * width {
            if mark == 4, bytes.number(0, 4) != 0x0807_4b50 { continue }
            if bytes.number(mark, 4) == UInt64(record.checksum), bytes.integer(mark + 4, width) == record.packed,
                bytes.integer(mark + 4 + width, width) == record.bytes
            {
                return mark + 4 + 2 * width
            }
        }
        return nil
    }

    func read(_ wanted: Set<Int>, _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
        for index in wanted.sorted(by: { records[$0].head < records[$1].head }) {
            let record = records[index]
            if record.isEncrypted { throw source.invalid(record.entry.path, "it is encrypted") }
            guard record.method == 0 || record.method == 8 else {
                throw source.invalid(
                    record.entry.path, "it is packed by method \(record.method); stored and deflated entries are read")
            }
            try read(record) { try body(index, $0) }
        }
    }

    private func read(_ record: Record, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let name = record.entry.path
        var checksum = try CRC32()
        var made = 0
        func take(_ bytes: ArraySlice<UInt8>) throws {
            made += bytes.count
            guard made <= record.bytes else { throw source.invalid(name, "it has more bytes than it declares") }
            try bytes.withUnsafeBytes {
                checksum.update($0)
                try body($0)
            }
        }
        let inflater = record.method == 8 ? try Inflater(.none) : nil
        var isAtEnd = inflater == nil
        for position in stride(from: record.data, to: record.data + record.packed, by: Self.block) {
            let count = min(Self.block, record.data + record.packed - position)
            var input = try source.bytes(at: position, count: count, entry: name)[...]
            guard let inflater else {
                try take(input)
                continue
            }
            while !isAtEnd {
                guard let step = inflater.step(input) else {
                    throw source.invalid(name, "its packed bytes are damaged")
                }
                try take(step.output)
                input = input.dropFirst(step.used)
                isAtEnd = step.isAtEnd
                if step.output.isEmpty, input.isEmpty { break }
            }
            guard input.isEmpty else { throw source.invalid(name, "its packed bytes are damaged") }
        }
        guard isAtEnd, made == record.bytes else { throw source.invalid(name, "it has fewer bytes than it declares") }
        guard checksum.value == record.checksum else { throw source.invalid(name, "its checksum is wrong") }
    }
}
