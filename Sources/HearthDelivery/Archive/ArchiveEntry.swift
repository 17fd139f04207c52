internal import HearthSystem

/// One entry of an archive, as the archive declares it.
struct ArchiveEntry: Sendable, Equatable {
    enum Kind: Sendable { case file, folder }

    /// Without `./` in front and `/` at the end.
    var path: String
    var kind: Kind
    /// Its size, unpacked.
    var bytes: Int

    /// - Parameter name: as written in the archive.
    init(name: String, kind: Kind, bytes: Int) {
        var path = name[...]
        while path.hasPrefix("./") { path = path.dropFirst(2) }
        while path.hasSuffix("/"), kind == .folder { path = path.dropLast() }
        self.path = path == "." ? "" : String(path)
        self.kind = kind
        self.bytes = bytes
    }
}

/// An archive whose list of entries was read and is sound.
protocol ArchiveReader {
    /// In the archive's order.
    var entries: [ArchiveEntry] { get }

    /// Reads entries, one after the other.
    /// - Parameters:
    ///   - wanted: numbers of entries that are files.
    ///   - body: called with an entry's number and the next of its bytes.
    /// - Throws: `DeliveryError.invalidArchive`, `FileFailure`, what `body` throws.
    func read(_ wanted: Set<Int>, _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws
}

/// The bytes of an archive, read at any place.
struct ArchiveSource {
    /// What it is called in messages.
    let name: String
    let size: Int
    private let file: OpenFile
    private let files: any FileOperations

    init(_ file: OpenFile, files: any FileOperations, name: String) throws(FileFailure) {
        (self.file, self.files, self.name) = (file, files, name)
        size = try files.status(of: file).size
    }

    /// - Throws: `DeliveryError.invalidArchive` where the file ends before.
    func bytes(at position: Int, count: Int, entry: String? = nil) throws -> [UInt8] {
        guard position >= 0, count >= 0, position <= size, count <= size - position else {
            throw invalid(entry, "it ends too early")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { try files.readFully(into: $0, from: file, at: position) }
        guard read == count else { throw invalid(entry, "it ends too early") }
        return bytes
    }

    func invalid(_ entry: String?, _ reason: String) -> DeliveryError {
        .invalidArchive(archive: name, entry: entry, reason: reason)
    }
}

/// Numbers of a few bytes, the lowest first, as zip has them.
extension RandomAccessCollection<UInt8> where Index == Int {
    func number(_ offset: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(self[startIndex + offset + $1]) << (8 * UInt64($1)) }
    }

    func integer(_ offset: Int, _ count: Int) -> Int { Int(clamping: number(offset, count)) }
}
