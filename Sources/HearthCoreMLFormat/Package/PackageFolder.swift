internal import HearthSystem

/// Finds files of a package, and nothing outside it.
///
/// A path that a package states may not be absolute, may not climb (`..`), and may not lead out through a link; what is
/// opened is the file at the end of all links, not the name that was checked.
struct PackageFolder: Sendable {
    /// The package's path as it was given.
    let path: String
    /// The same without links.
    private let root: String

    init(_ path: String) throws(FileError) {
        guard let root = RealPath.of(path) else {
            throw .unreadable(.init(file: path, field: "folder"), reason: "there is no such folder")
        }
        self.path = path
        self.root = root
    }

    /// The real path of `relative` inside the package.
    /// - Parameters:
    ///   - file: where the path was stated, for errors.
    ///   - field: the field that states it.
    func resolve(_ relative: String, file: String, field: String) throws(FileError) -> String {
        let location = FileError.Location(file: file, field: field)
        guard Self.isRelative(relative) else { throw .leavesPackage(location, path: relative) }
        guard let real = RealPath.of("\(root)/\(relative)") else {
            throw .missing(location, what: "'\(relative)', which the package names,")
        }
        guard real.utf8.starts(with: (root == "/" ? root : root + "/").utf8) else {
            throw .leavesPackage(location, path: relative)
        }
        return real
    }

    /// Whether a path goes down and nowhere else.
    static func isRelative(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return !path.utf8.contains(0) && path.utf8.count < 4096
            && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    /// Maps the file at `relative`; errors call it by its path inside the package as it was given.
    func open(_ relative: String, file: String, field: String) throws(FileError) -> MappedFile {
        try MappedFile(path: resolve(relative, file: file, field: field), shownAs: "\(path)/\(relative)")
    }
}
