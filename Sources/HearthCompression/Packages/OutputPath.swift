internal import HearthSystem

/// Rules for the place that a copy goes to.
enum OutputPath {
    static func check(_ output: String, input: String, replacing: Bool) throws {
        guard !output.isEmpty else {
            throw CompressionError.invalidSetting(name: "output", problem: "the output has no name")
        }
        // A package must not get its own copy as a part.
        if let source = RealPath.of(input), (RealPath.ofFolder(above: output) + "/").hasPrefix(source + "/") {
            throw CompressionError.ontoItself(path: output)
        }
        if let real = RealPath.of(output) {
            if real == RealPath.of(input) { throw CompressionError.ontoItself(path: output) }
            // A folder with the model in it would be moved away from under it.
            if let source = RealPath.of(input), source.hasPrefix(real == "/" ? real : real + "/") {
                throw CompressionError.ontoItself(path: output)
            }
            guard replacing else { throw CompressionError.exists(path: output) }
            guard isReplaceable(real) else {
                throw CompressionError.invalidSetting(
                    name: output, problem: "the output is no model, and --force replaces nothing else")
            }
        } else if try status(output) != nil, !replacing {
            // A link that leads nowhere.
            throw CompressionError.exists(path: output)
        }
    }

    /// What a copy is.
    enum Kind: String {
        case package = "a Core ML package (.mlpackage)"
        case file = "a Core ML model in a file (.mlmodel)"
        case gguf = "a GGUF file (.gguf)"

        /// What the name of such a copy does not end in.
        var otherSuffixes: [String] {
            switch self {
            case .package: [".mlmodel", ".gguf"]
            case .file: [".gguf"]
            case .gguf: [".mlpackage", ".mlmodel"]
            }
        }
    }

    /// Refuses a name that says what the copy is not, a folder in the place of a file, which nothing would replace in the end,
    /// and a file in the place of a package: it is no package, and whatever it is would be lost.
    static func check(_ output: String, is kind: Kind) throws {
        if let suffix = kind.otherSuffixes.first(where: { hasSuffix(output, $0) }) {
            throw CompressionError.invalidSetting(
                name: output, problem: "the copy is \(kind.rawValue), and its name must not end in \(suffix)")
        }
        guard let real = RealPath.of(output), let found = try status(real)?.kind else { return }
        if (found == .folder) != (kind == .package) {
            let what = found == .folder ? "folder" : "file"
            throw CompressionError.invalidSetting(
                name: output, problem: "there is a \(what) of this name, and the copy is \(kind.rawValue)")
        }
    }

    /// Whether a path has an ending, in letters of either case, with or without slashes behind it.
    static func hasSuffix(_ path: String, _ suffix: String) -> Bool {
        var path = path[...]
        while path.hasSuffix("/") { path.removeLast() }
        return path.lowercased().hasSuffix(suffix)
    }

    /// Whether nothing is lost but a model: a folder of other things, a pipe or a device is not replaced.
    private static func isReplaceable(_ path: String) -> Bool {
        let files = SystemFiles()
        switch (try? files.status(path))??.kind {
        case .folder: return (try? files.list(path)).map { $0.isEmpty || $0.contains("Manifest.json") } ?? false
        case .other: return false
        default: return true
        }
    }

    /// What has the name already; nil for nothing.
    /// - Throws: `FileError.unwritable` if nothing can have it: a part of the path is no folder, or too long.
    private static func status(_ path: String) throws(FileError) -> FileStatus? {
        do throws(FileFailure) {
            return try SystemFiles().status(path)
        } catch {
            throw .unwritable(.init(file: path, field: ""), reason: error.reason)
        }
    }

    /// The size in bytes of a file, or of all files in a folder.
    /// - Throws: if the path cannot be read.
    static func bytes(of path: String) throws -> Int {
        let files = SystemFiles()
        func size(_ path: String, _ depth: Int) throws -> Int {
            guard let status = try files.status(path) else { return 0 }
            guard status.kind == .folder, depth < 16 else { return status.kind == .file ? status.size : 0 }
            return try files.list(path).reduce(0) { try $0 + size("\(path)/\($1)", depth + 1) }
        }
        return try size(RealPath.of(path) ?? path, 0)
    }
}
