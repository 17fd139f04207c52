import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport

/// A library on some file system, and files to put into it.
struct LibraryFixture {
    static let home = "/home/hearth"

    var disk: any FileOperations
    var library: ModelLibrary
    let home: String

    /// - Parameter time: what the library's clock says.
    init(
        _ disk: any FileOperations, home: String = Self.home,
        time: @escaping @Sendable () -> Double = { 1_700_000_000 }
    ) {
        self.disk = disk
        self.home = home
        library = ModelLibrary(folders: HearthFolders(data: home, cache: home), files: disk, now: time)
    }

    /// A real folder, removed by the caller.
    static func temporaryHome() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-library-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        return path.path
    }

    /// Bytes that differ for each word, about `count` of them.
    static func content(_ word: String, count: Int = 3000) -> [UInt8] {
        made.content("\(word) \(count)") {
            var state = word.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
            return (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        }
    }

    /// What was made before: the crash tests ask for the same few contents many thousand times.
    private final class Made: @unchecked Sendable {
        private let guarding = NSLock()
        private var contents: [String: [UInt8]] = [:]
        private var digests: [[UInt8]: String] = [:]

        func content(_ key: String, _ make: () -> [UInt8]) -> [UInt8] {
            if let there = guarding.withLock({ contents[key] }) { return there }
            let bytes = make()
            guarding.withLock { contents[key] = bytes }
            return bytes
        }

        func digest(_ bytes: [UInt8]) -> String {
            if let there = guarding.withLock({ digests[bytes] }) { return there }
            let digest = SHA256.digest(of: bytes)
            guarding.withLock { digests[bytes] = digest }
            return digest
        }
    }

    private static let made = Made()

    static func digest(_ bytes: [UInt8]) -> String { made.digest(bytes) }

    static func file(_ word: String, path: String = "model.gguf") -> ModelRecord.File {
        let bytes = content(word)
        return .init(path: path, bytes: bytes.count, sha256: digest(bytes))
    }

    /// Writes a file without forcing anything to the disk.
    func put(_ bytes: [UInt8], at path: String, on disk: (any FileOperations)? = nil) throws {
        let disk = disk ?? self.disk
        try disk.makeFolders(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        let file = try disk.open(path, .create, permissions: 0o644)
        defer { disk.close(file) }
        try disk.truncate(file, to: 0)
        try disk.writeAll(bytes, to: file)
    }

    /// A candidate of one file, its bytes in the folder for downloads.
    func candidate(
        _ name: String, _ word: String, version: String? = nil, revision: ModelVersion? = nil,
        storage: StorageClass = .kept,
        on disk: (any FileOperations)? = nil
    ) throws -> ModelLibrary.Candidate {
        let file = Self.file(word)
        let path = "\(library.partialFolder(storage))/\(word)-\(UInt64.random(in: 0 ... .max))"
        try put(Self.content(word), at: path, on: disk)
        return .init(
            name: name, version: version ?? word, files: [file], source: "https://example.org/\(word).gguf",
            revision: revision, storage: storage, staged: [file.sha256: path])
    }

    /// Installs and activates; the staged file is written past any faults.
    @discardableResult
    func install(
        _ name: String, _ word: String, version: String? = nil, revision: ModelVersion? = nil,
        storage: StorageClass = .kept
    ) throws -> ModelRecord {
        let record = try library.install(
            try candidate(name, word, version: version, revision: revision, storage: storage))
        try library.activate(name: name, version: record.version)
        return record
    }

    /// The bytes that a name stands for; nil where it stands for none.
    func bytes(_ name: String) throws -> [UInt8]? {
        guard let model = library.current(name) else { return nil }
        return try disk.readFile(model.path, limit: 1 << 20)
    }

    /// Every file below the home, by path.
    func allFiles(_ folder: String? = nil) -> [String] {
        let folder = folder ?? home
        return ((try? disk.list(folder)) ?? []).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            return disk.isFolder(path) ? allFiles(path) : [path]
        }
    }

    /// Versions that are listed, `name version`.
    var versions: [String] { library.listing().models.map { "\($0.name) \($0.version)" }.sorted() }
}

extension SeededNumbers {
    init(_ seed: Int) { self.init(seed: UInt64(bitPattern: Int64(seed))) }
}
