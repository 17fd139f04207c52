package import HearthSystem

/// Makes a package: weights one after the other, then the model, then the name.
///
///     let writer = try CoreMLPackageWriter(path: "Small.mlpackage")
///     let place = try writer.append(.float16, count: 9408) { sink in … }
///     try writer.finish(model)
///
/// Everything is written into a folder beside the target. `finish` reads it back as any reader would, and only then gives it
/// its name; without it, the folder is removed. Not for use from several threads at once.
package final class CoreMLPackageWriter {
    /// Hands over bytes of a weight, in order.
    package typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    private let path: String
    /// The temporary folder in which the package is built, beside its final path.
    package let temporaryPath: String
    private let isReplacing: Bool
    private let files: any FileOperations
    /// The file that the next weights go to, under the name that programs have for it: one in the folder of weights.
    package var weightFile = WeightFiles.usualName
    private var weights: [String: WeightFileWriter] = [:]
    /// Whether the package has weights beside its model.
    private(set) var hasWeights = false
    private var isFinished = false

    private static let folder = "Data/com.apple.CoreML"

    /// Begins a package at `path`.
    ///
    /// Throws `FileError.unwritable` where something has the name already and `replacing` is false.
    package convenience init(path: String, replacing: Bool = false) throws(FileError) {
        try self.init(path: path, replacing: replacing, files: SystemFiles())
    }

    init(path: String, replacing: Bool, files: any FileOperations) throws(FileError) {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.path = path
        self.files = files
        isReplacing = replacing
        temporaryPath = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
        do throws(FileFailure) {
            if !replacing, try files.status(path) != nil {
                throw FileFailure(operation: "rename", path: path, code: Self.exists)
            }
            try files.makeFolders("\(temporaryPath)/\(Self.folder)")
        } catch {
            // An unfinished package must not stay.
            Self.remove(temporaryPath, files)
            throw Self.failure(error, path)
        }
    }

    deinit {
        for file in weights.values { file.close() }
        if !isFinished { Self.remove(temporaryPath, files) }
    }

    /// Bytes that a weight takes in the weight file: its header, and padding to the next multiple of 64.
    package static func recordBytes(_ byteCount: Int) -> Int {
        WeightFile.unit + (byteCount + WeightFile.unit - 1) / WeightFile.unit * WeightFile.unit
    }

    /// Appends a weight of `count` elements of `type`, packed and little-endian, which `generate` hands over in pieces.
    /// - Returns: where it is, for a value of the program.
    package func append(
        _ type: WeightDataType, count: Int, _ generate: (Sink) throws -> Void
    ) throws -> MILBlobReference {
        guard let byteCount = type.dataType.byteCount(count) else {
            throw FileError.sizeOverflow(.init(file: path, field: "weights"))
        }
        let unused = type.dataType.bits < 8 ? byteCount * 8 - count * type.dataType.bits : 0
        return try append(type, byteCount: byteCount, unusedBits: unused, generate)
    }

    /// The same for bytes that are in memory.
    package func append(_ type: WeightDataType, count: Int, _ bytes: [UInt8]) throws -> MILBlobReference {
        try append(type, count: count) { sink in try bytes.withUnsafeBytes { try sink($0) } }
    }

    /// Appends a copy of a weight of another package, whatever its type.
    /// - Throws: `FileError` where the reference points at nothing.
    package func append(copying reference: MILBlobReference, of package: CoreMLPackage) throws -> MILBlobReference {
        let found: WeightRecord
        do throws(WireFault) {
            found = try package.weights.record(reference)
        } catch {
            throw error.error(in: package.modelPath)
        }
        return try append(found)
    }

    /// Appends a copy of a record.
    func append(_ record: WeightRecord) throws -> MILBlobReference {
        try append(record.type, byteCount: record.data.count, unusedBits: Int(clamping: record.unusedBits)) { sink in
            try record.data.withBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: Self.piece) {
                    try Task.checkCancellation()
                    try sink(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + Self.piece, bytes.count)]))
                }
            }
        }
    }

    /// Bytes between two looks at whether the work is still wanted.
    private static let piece = 4 << 20

    private func append(
        _ type: WeightDataType, byteCount: Int, unusedBits: Int, _ generate: (Sink) throws -> Void
    ) throws -> MILBlobReference {
        do {
            let name = weightFile
            if !hasWeights {
                try files.makeFolder("\(temporaryPath)/\(Self.folder)/weights", permissions: 0o755)
                hasWeights = true
            }
            if weights[name] == nil {
                weights[name] = try WeightFileWriter(
                    path: "\(temporaryPath)/\(Self.folder)/\(name.dropFirst(WeightFiles.prefix.count))", files: files)
            }
            let start = try weights[name]?.begin(type, byteCount: byteCount, unusedBits: unusedBits) ?? 0
            var written = 0
            try generate { bytes in
                written += bytes.count
                guard written <= byteCount else { return }
                try weights[name]?.write(bytes)
            }
            guard written == byteCount else {
                throw FileError.invalidContent(
                    .init(file: path, field: "weights"), reason: "\(written) bytes for a weight of \(byteCount)")
            }
            return MILBlobReference(fileName: name, offset: UInt64(start))
        } catch let error as FileFailure {
            throw Self.failure(error, path)
        }
    }

    /// Writes model and manifest, checks the whole by reading it, and gives it its name.
    /// - Parameters:
    ///   - manifest: identifiers to keep; new ones where it is nil.
    ///   - copies: further files of the package, by their path in `Data`.
    package func finish(
        _ model: CoreMLSpecification, manifest: PackageManifest? = nil, copies: [String: MappedFile] = [:]
    ) throws {
        do {
            for (name, file) in weights.sorted(by: { $0.key < $1.key }) {
                try file.finish()
                weights[name] = nil
            }
            try write("\(temporaryPath)/\(Self.folder)/model.mlmodel") { sink in
                try WireWriter.file(model).emit(sink)
            }
            for (name, file) in copies {
                let target = "\(temporaryPath)/Data/\(name)"
                try files.makeFolders(String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)]))
                try write(target) { sink in try file.withUnsafeBytes(sink) }
            }
            let bytes = try (manifest ?? .usual(hasWeights: hasWeights)).encoded()
            try write("\(temporaryPath)/\(PackageManifest.fileName)") { sink in try bytes.withUnsafeBytes(sink) }
            if hasWeights { try files.synchronizeFolder("\(temporaryPath)/\(Self.folder)/weights") }
            for folder in ["/\(Self.folder)", "/Data", ""] { try files.synchronizeFolder(temporaryPath + folder) }
            _ = try CoreMLPackage(path: temporaryPath)
            try publish()
        } catch let error as FileFailure {
            throw Self.failure(error, path)
        }
    }

    /// Writes a file and waits until it is on the disk.
    private func write(_ target: String, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let file = try files.open(target, .createNew, permissions: 0o644)
        defer { files.close(file) }
        var position = 0
        try body { bytes in
            try files.writeAll(bytes, to: file, at: position)
            position += bytes.count
        }
        try files.synchronize(file)
    }

    /// A folder cannot be renamed onto one that holds something, so an old package is moved aside first; a crash between
    /// the two steps leaves both, under names that say what they are.
    private func publish() throws(FileFailure) {
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let isOccupied = try files.status(path) != nil
        guard isReplacing || !isOccupied else {
            throw FileFailure(operation: "rename", path: path, code: Self.exists)
        }
        let aside = "\(temporaryPath).old"
        if isOccupied { try files.rename(path, to: aside) }
        do throws(FileFailure) {
            try files.rename(temporaryPath, to: path)
        } catch {
            if isOccupied { try? files.rename(aside, to: path) }
            throw error
        }
        isFinished = true
        try files.synchronizeFolder(parent)
        if isOccupied { Self.remove(aside, files) }
    }

    /// Removes a file or a folder with all that is in it, as far as that goes. Links are removed, not followed.
    private static func remove(_ path: String, _ files: any FileOperations) {
        guard let status = try? files.status(path) else { return }
        guard status.kind == .folder else {
            try? files.unlink(path)
            return
        }
        for name in (try? files.list(path)) ?? [] { remove("\(path)/\(name)", files) }
        try? files.removeFolder(path)
    }

    private static let exists: Int32 = 17  // EEXIST, on every system

    private static func failure(_ error: FileFailure, _ path: String) -> FileError {
        .unwritable(.init(file: path, field: "package"), reason: error.reason)
    }
}

extension CoreMLPackage {
    /// Writes a copy of the model: unchanged parts byte for byte.
    ///
    /// A package becomes a package, a bare model a file. The target appears complete or not at all.
    package func write(to path: String, replacing: Bool = false) throws {
        guard let program = model.program, manifest != nil else {
            var file = try AtomicFile(path: path)
            try WireWriter.file(model).emit { try file.write($0) }
            try checkIntact()
            try file.publish()
            return
        }
        let writer = try CoreMLPackageWriter(path: path, replacing: replacing)
        var references: Set<Place> = []
        do throws(WireFault) {
            try program.forEachBlob { reference, _ throws(WireFault) in references.insert(Place(reference)) }
        } catch {
            throw error.error(in: modelPath)
        }
        var moved: [Place: MILBlobReference] = [:]
        for place in references.sorted(by: { ($0.file, $0.offset) < ($1.file, $1.offset) }) {
            let record = try weights.files[place.file]?.record(at: place.offset)
            if let record { moved[place] = try writer.append(record) }
        }
        var copy = model
        let changed = program.replacingBlobs { reference in
            let new = moved[Place(reference)]
            return new == reference ? nil : new
        }
        if let changed { copy.kind = .program(changed) }
        try finish(writer, copy)
    }

    /// Writes a bare model file that began as a copy of this one. It is read back before it gets its name.
    /// - Parameter began: receives the path of the temporary file before that exists.
    package func write(_ model: CoreMLSpecification, to path: String, began: (String) -> Void) throws {
        var file = try AtomicFile(path: path, willCreate: began)
        try WireWriter.file(model).emit { try file.write($0) }
        try checkIntact()
        try file.synchronize()
        _ = try CoreMLPackage(path: file.temporaryPath)
        try file.publish()
    }

    /// Completes a package that began as a copy of this one: its manifest's identifiers are kept, and files that are
    /// neither model nor weights are copied.
    package func finish(_ writer: CoreMLPackageWriter, _ model: CoreMLSpecification) throws {
        let (kept, copies) = try otherItems(hasWeights: writer.hasWeights)
        try checkIntact()
        try writer.finish(model, manifest: kept, copies: copies)
    }

    private struct Place: Hashable {
        let file: String
        let offset: UInt64

        init(_ reference: MILBlobReference) {
            file = reference.fileName
            offset = reference.offset
        }
    }

    /// The manifest for a copy, which has the usual layout, and files that are neither model nor weights.
    private func otherItems(hasWeights: Bool) throws -> (PackageManifest?, [String: MappedFile]) {
        let usual = PackageManifest.usual(hasWeights: hasWeights)
        guard var manifest else { return (nil, [:]) }
        // Values that stood in the program may have gone to a file.
        let known = Set(manifest.items.values.map(\.path))
        for (identifier, item) in usual.items where identifier != usual.rootIdentifier && !known.contains(item.path) {
            manifest.items[identifier] = item
        }
        let usualPaths = Set(usual.items.values.map(\.path))
        guard usualPaths.isSubset(of: manifest.items.values.map(\.path)),
            manifest.items[manifest.rootIdentifier]?.path == usual.items[usual.rootIdentifier]?.path
        else { return (usual, [:]) }
        let folder = try PackageFolder(path)
        var copies: [String: MappedFile] = [:]
        for (identifier, item) in manifest.items where !usualPaths.contains(item.path) {
            if let file = try? folder.open("Data/\(item.path)", file: path, field: item.name) {
                copies[item.path] = file
            } else {
                manifest.items[identifier] = nil
            }
        }
        return (manifest, copies)
    }
}
