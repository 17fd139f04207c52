internal import Foundation

/// Archives byte by byte, sound or wrong in exactly one place.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package enum ArchiveBuilder {
    package struct Entry {
        package var name: String
        package var bytes: [UInt8] = []
        package var isDeflated = true
        package var hasDescriptor = false
        package var is64 = false
        /// Unix mode, in the upper half of the attributes.
        package var mode: UInt32 = 0o100644
        package var flags: UInt16 = 0
        package var method: UInt16?
        /// What is declared instead of the truth.
        package var declaredBytes: Int?
        package var checksum: UInt32?
        /// What the entry's own head calls it.
        package var localName: String?
        package var kind: UInt8 = UInt8(ascii: "0")
        /// Records of an extended header in front.
        package var extended: [(String, String)] = []

        package init(_ name: String, _ bytes: [UInt8] = [], _ change: (inout Entry) -> Void = { _ in }) {
            (self.name, self.bytes) = (name, bytes)
            if name.hasSuffix("/") { (isDeflated, mode, kind) = (false, 0o040755, UInt8(ascii: "5")) }
            change(&self)
        }
    }

    /// The files of a folder, below a folder of the archive.
    package static func entries(of folder: String, under root: String) throws -> [Entry] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().compactMap { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
            if isFolder.boolValue { return Entry("\(root)\(path)/") }
            return Entry(root + path, Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)"))))
        }
    }

    // MARK: - zip

    package static func zip(_ entries: [Entry], comment: String = "", is64: Bool = false) -> [UInt8] {
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let head = file.count
            let packed = entry.isDeflated ? deflated(entry.bytes) : entry.bytes
            let method = entry.method ?? (entry.isDeflated ? 8 : 0)
            let checksum = entry.checksum ?? crc32(entry.bytes)
            let bytes = entry.declaredBytes ?? entry.bytes.count
            let flags = entry.flags | (entry.hasDescriptor ? 8 : 0) | 0x800
            let open = entry.hasDescriptor
            let wide = word(1, 2) + word(16, 2) + word(UInt64(bytes), 8) + word(UInt64(packed.count), 8)
            let localName = Array((entry.localName ?? entry.name).utf8)
            file += word(0x0403_4b50, 4) + word(20, 2) + word(UInt64(flags), 2) + word(UInt64(method), 2) + word(0, 4)
            file += word(open ? 0 : UInt64(checksum), 4)
            let short = entry.is64 ? UInt64(0xFFFF_FFFF) : nil
            file += word(short ?? (open ? 0 : UInt64(packed.count)), 4) + word(short ?? (open ? 0 : UInt64(bytes)), 4)
            file += word(UInt64(localName.count), 2) + word(entry.is64 ? 20 : 0, 2) + localName
            if entry.is64 { file += wide }
            file += packed
            if entry.hasDescriptor {
                let width = entry.is64 ? 8 : 4
                file += word(0x0807_4b50, 4) + word(UInt64(checksum), 4) + word(UInt64(packed.count), width)
                file += word(UInt64(bytes), width)
            }
            let name = Array(entry.name.utf8)
            directory += word(0x0201_4b50, 4) + word(0x0314, 2) + word(20, 2) + word(UInt64(flags), 2)
            directory += word(UInt64(method), 2) + word(0, 4) + word(UInt64(checksum), 4)
            directory += word(short ?? UInt64(packed.count), 4) + word(short ?? UInt64(bytes), 4)
            directory +=
                word(UInt64(name.count), 2) + word(entry.is64 ? 20 : 0, 2) + word(0, 2) + word(0, 2) + word(0, 2)
            directory += word(UInt64(entry.mode) << 16, 4) + word(UInt64(head), 4) + name
            if entry.is64 { directory += wide }
        }
        let offset = file.count
        file += directory
        let count = UInt64(entries.count)
        if is64 {
            let at = file.count
            file += word(0x0606_4b50, 4) + word(44, 8) + word(45, 2) + word(45, 2) + word(0, 4) + word(0, 4)
            file += word(count, 8) + word(count, 8) + word(UInt64(directory.count), 8) + word(UInt64(offset), 8)
            file += word(0x0706_4b50, 4) + word(0, 4) + word(UInt64(at), 8) + word(1, 4)
        }
        file += word(0x0605_4b50, 4) + word(0, 2) + word(0, 2) + word(is64 ? 0xFFFF : count, 2)
        file += word(is64 ? 0xFFFF : count, 2) + word(is64 ? 0xFFFF_FFFF : UInt64(directory.count), 4)
        file += word(is64 ? 0xFFFF_FFFF : UInt64(offset), 4) + word(UInt64(comment.utf8.count), 2)
        return file + Array(comment.utf8)
    }

    /// DEFLATE in blocks that pack nothing: any unpacker reads them.
    package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(0xFFFF)
            rest = rest.dropFirst(part.count)
            packed += [rest.isEmpty ? 1 : 0] + word(UInt64(part.count), 2) + word(UInt64(0xFFFF - part.count), 2) + part
        } while !rest.isEmpty
        return packed
    }

    package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + deflated(bytes) + word(UInt64(crc32(bytes)), 4)
            + word(UInt64(bytes.count), 4)
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    package static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(($0 ^ UInt32($1)) & 0xFF)] }
    }

    package static func word(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    // MARK: - tar

    package static func tar(_ entries: [Entry], end: Int = 2) -> [UInt8] {
        var file: [UInt8] = []
        for entry in entries {
            if !entry.extended.isEmpty {
                let records = entry.extended.map { record($0.0, $0.1) }.joined()
                file += header("PaxHeader/x", records.utf8.count, UInt8(ascii: "x")) + padded(Array(records.utf8))
            }
            file += header(entry.name, entry.declaredBytes ?? entry.bytes.count, entry.kind) + padded(entry.bytes)
        }
        return file + [UInt8](repeating: 0, count: 512 * end)
    }

    /// GNU's way of writing a name that is too long.
    package static func gnuLongName(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        header("././@LongLink", name.utf8.count + 1, UInt8(ascii: "L")) + padded(Array(name.utf8) + [0])
            + header(String(name.prefix(99)), bytes.count, UInt8(ascii: "0")) + padded(bytes)
    }

    private static func record(_ key: String, _ value: String) -> String {
        var length = key.utf8.count + value.utf8.count + 3
        while true {
            let line = "\(length) \(key)=\(value)\n"
            if line.utf8.count == length { return line }
            length = line.utf8.count
        }
    }

    package static func header(_ name: String, _ size: Int, _ kind: UInt8) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, _ at: Int) { block.replaceSubrange(at..<at + text.utf8.count, with: Array(text.utf8)) }
        func octal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(String(name.prefix(100)), 0)
        put("0000644\0", 100)
        put(octal(size, 11), 124)
        put("00000000000\0", 136)
        put("        ", 148)
        block[156] = kind
        put("ustar\0" + "00", 257)
        put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\0 ", 148)
        return block
    }

    package static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
    }
}
