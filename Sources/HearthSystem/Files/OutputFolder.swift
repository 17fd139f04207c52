/// A folder that results are written to; each file appears when it is complete.
package struct OutputFolder: Sendable {
    private let path: String
    private let unfinished: UnfinishedFiles?

    /// - Parameters:
    ///   - path: of the folder, which is created if it does not exist.
    ///   - unfinished: keeps track of temporary files while they exist.
    /// - Throws: `FileError.noFolder`.
    package init(_ path: String, unfinished: UnfinishedFiles? = nil) throws(FileError) {
        self.path = path
        self.unfinished = unfinished
        var reason: String?
        do throws(FileFailure) {
            try SystemFiles().makeFolders(path, permissions: 0o777)
        } catch {
            reason = error.reason
        }
        // Something that was there already need not be a folder.
        guard reason != nil || !FileAccess.isFolder(path) else { return }
        throw .noFolder(
            .init(file: path, field: ""), reason: FileAccess.obstacle(toCreating: path) ?? reason ?? "it is gone again")
    }

    /// Writes a file.
    /// - Throws: `FileError.badFileName`, `FileError.unwritable`.
    package func write(contents bytes: [UInt8], name: String) throws {
        try Self.check(name)
        var file = try AtomicFile(path: "\(path)/\(name)") { unfinished?.begin($0) }
        defer { unfinished?.end(file.temporaryPath) }
        try file.write(bytes)
        try file.publish()
    }

    /// The name of a model's output, for example, becomes the name of a file as it is, and must not lead anywhere else.
    private static func check(_ name: String) throws(FileError) {
        guard !name.contains("/"), name != ".", name != "..", !name.isEmpty, name.utf8.count <= 200 else {
            throw .badFileName(.init(file: name, field: ""))
        }
    }

    /// Writes `<name>.f32`.
    /// - Throws: `FileError.badFileName`, `FileError.unwritable`.
    package func write(_ values: [Float], name: String) throws {
        try Self.check(name)
        let writer = try FloatFileWriter(path: "\(path)/\(name).f32", unfinished: unfinished)
        try writer.append(values)
        try writer.finish()
    }
}
