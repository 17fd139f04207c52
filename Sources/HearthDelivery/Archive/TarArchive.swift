internal import HearthSystem

/// A tar file (ustar, pax, or GNU's), plain or packed by gzip.
///
/// It is read twice: for its list, and for its bytes once all of the list was found sound.
struct TarArchive: ArchiveReader {
    private let source: ArchiveSource
    private let isPacked: Bool
    let entries: [ArchiveEntry]

    init(_ source: ArchiveSource, isPacked: Bool) throws {
        self.source = source
        self.isPacked = isPacked
        var entries: [ArchiveEntry] = []
        try Self.walk(source, isPacked) { entry in
            entries.append(entry)
            return false
        }
        self.entries = entries
    }

    func read(_ wanted: Set<Int>, _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
        var index = -1
        try Self.walk(source, isPacked) { _ in
            index += 1
            return wanted.contains(index)
        } take: {
            try body(index, $0)
        }
    }

    /// What extended headers say of the entry after them.
    private struct Extension {
        var path: String?
        var size: Int?
    }

    /// - Parameters:
    ///   - visit: called with each entry; whether its bytes are wanted.
    ///   - take: called with those bytes, before the next entry.
    private static func walk(
        _ source: ArchiveSource, _ isPacked: Bool, _ visit: (ArchiveEntry) throws -> Bool,
        take: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws {
        let limit = ArchiveLimits.unpackedBytes(archiveBytes: source.size)
        let stream = try ArchiveStream(source, isPacked: isPacked, limit: limit)
        var pending = Extension()
        var count = 0
        while true {
            let block = try stream.take(512)
            guard block.count == 512 else { throw source.invalid(nil, "it ends too early") }
            if block.allSatisfy({ $0 == 0 }) { return try checkEnd(stream, source) }
            guard let header = TarHeader(block) else { throw source.invalid(nil, "it is damaged, or no tar file") }
            let name = pending.path ?? header.path
            guard let size = pending.size ?? header.size else {
                throw source.invalid(header.path ?? "", "its size is not a number")
            }
            switch header.kind {
            case .extended, .longName:
                guard size <= ArchiveLimits.extendedHeader else {
                    throw source.invalid(header.path ?? "", "its extended header is too long")
                }
                let bytes = try stream.take(padded(size))
                guard bytes.count == padded(size) else { throw source.invalid(nil, "it ends too early") }
                let content = bytes.prefix(size)
                if header.kind == .longName {
                    pending.path = String(validating: content.prefix { $0 != 0 }, as: UTF8.self)
                    if pending.path == nil { throw source.invalid(nil, "a name in it is not UTF-8") }
                } else {
                    try extend(&pending, by: content, source)
                }
                continue
            case .ignored:
                try pass(size, of: stream, "", source)
                continue
            case .other(let what): throw source.invalid(name ?? "", what)
            case .file, .folder: break
            }
            guard let name, !name.isEmpty else { throw source.invalid(nil, "a name in it is not UTF-8") }
            // Old programs mark a folder by its name alone.
            let isFolder = header.kind == .folder || name.hasSuffix("/")
            let entry = ArchiveEntry(name: name, kind: isFolder ? .folder : .file, bytes: isFolder ? 0 : size)
            guard count < ArchiveLimits.entries else {
                throw source.invalid(nil, "it has more than \(ArchiveLimits.entries) entries")
            }
            guard size <= limit else {
                throw source.invalid(entry.path, "it has more bytes than a model of this size can have")
            }
            let isWanted = try visit(entry)
            count += 1
            pending = Extension()
            // A folder's size says nothing of bytes that follow.
            if !isFolder { try pass(size, of: stream, entry.path, source) { if isWanted { try take($0) } } }
        }
    }

    private static func padded(_ size: Int) -> Int { (size + 511) / 512 * 512 }

    /// Passes over an entry's bytes and what fills up its last block.
    private static func pass(
        _ size: Int, of stream: ArchiveStream, _ name: String, _ source: ArchiveSource,
        _ take: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws {
        var left = size
        while left > 0 {
            guard let part = try stream.next(atMost: left, entry: name) else {
                throw source.invalid(name, "it ends too early")
            }
            left -= part.count
            try part.withUnsafeBytes { try take($0) }
        }
        let fill = padded(size) - size
        guard try stream.take(fill).count == fill else { throw source.invalid(name, "it ends too early") }
    }

    /// After the first empty block nothing may come but more of them.
    private static func checkEnd(_ stream: ArchiveStream, _ source: ArchiveSource) throws {
        while let more = try stream.next(atMost: 1 << 20, entry: nil) {
            guard more.allSatisfy({ $0 == 0 }) else { throw source.invalid(nil, "something follows its end") }
        }
    }

    /// Lines `LENGTH KEY=VALUE`, each with its own length in front (POSIX, pax).
    private static func extend(
        _ pending: inout Extension, by content: ArraySlice<UInt8>, _ source: ArchiveSource
    ) throws {
        var rest = content
        while !rest.isEmpty {
            guard let blank = rest.firstIndex(of: 0x20),
                let length = Int(String(decoding: rest[..<blank], as: UTF8.self)),
                length > rest.distance(from: rest.startIndex, to: blank),
                length <= rest.count, rest[rest.startIndex + length - 1] == 0x0A
            else { throw source.invalid(nil, "an extended header in it is damaged") }
            let line = rest[(blank + 1)..<(rest.startIndex + length - 1)]
            rest = rest.dropFirst(length)
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
                throw source.invalid(nil, "an extended header in it is damaged")
            }
            let value = String(validating: line[(equals + 1)...], as: UTF8.self)
            switch String(decoding: line[..<equals], as: UTF8.self) {
            case "path":
                guard let value else { throw source.invalid(nil, "a name in it is not UTF-8") }
                pending.path = value
            case "size":
                guard let size = value.flatMap({ Int($0) }), size >= 0 else {
                    throw source.invalid(pending.path, "its size is not a number")
                }
                pending.size = size
            case let key where key.hasPrefix("GNU.sparse."):
                throw source.invalid(pending.path, "it is a sparse file, of which tar keeps parts only")
            default: break
            }
        }
    }
}

/// One block of 512 bytes in front of an entry.
private struct TarHeader {
    enum Kind: Equatable {
        case file, folder
        /// Says something of the next entry.
        case extended, longName
        /// Says something of all that follow, or of links, which are refused.
        case ignored
        case other(String)
    }

    var kind: Kind
    /// nil if it is not UTF-8.
    var path: String?
    /// nil if it is not a number.
    var size: Int?

    /// nil if the checksum is not that of the block.
    init?(_ block: [UInt8]) {
        func text(_ range: Range<Int>) -> String? {
            String(validating: block[range].prefix { $0 != 0 }, as: UTF8.self)
        }
        guard let checksum = Self.number(block[148..<156]) else { return nil }
        let others = block.indices.filter { !(148..<156).contains($0) }
        let sum = others.reduce(8 * 0x20) { $0 + Int(block[$1]) }
        // Some old programs summed signed bytes.
        let signedSum = others.reduce(8 * 0x20) { $0 + Int(Int8(bitPattern: block[$1])) }
        guard checksum == sum || checksum == signedSum else { return nil }
        kind =
            switch block[156] {
            case 0, UInt8(ascii: "0"), UInt8(ascii: "7"): .file
            case UInt8(ascii: "5"): .folder
            case UInt8(ascii: "x"): .extended
            case UInt8(ascii: "L"): .longName
            case UInt8(ascii: "g"), UInt8(ascii: "K"): .ignored
            case UInt8(ascii: "1"), UInt8(ascii: "2"): .other("it is a link")
            case UInt8(ascii: "S"): .other("it is a sparse file, of which tar keeps parts only")
            default: .other("it is neither a file nor a folder")
            }
        size = Self.number(block[124..<136])
        path = text(0..<100)
        // GNU's own headers have other things in the place of the prefix.
        if block[257..<263].elementsEqual("ustar\0".utf8), let prefix = text(345..<500), !prefix.isEmpty {
            path = path.map { prefix + "/" + $0 }
        }
    }

    /// Octal digits, or binary where the first bit says so.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        if let first = field.first, first & 0x80 != 0 {
            guard first == 0x80 else { return nil }
            var value = 0
            for byte in field.dropFirst() {
                guard value < 1 << 48 else { return nil }
                value = value << 8 | Int(byte)
            }
            return value
        }
        let digits = field.drop { $0 == 0x20 }.prefix { $0 != 0 && $0 != 0x20 }
        if digits.isEmpty { return 0 }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }
}
