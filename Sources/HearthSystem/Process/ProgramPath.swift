internal import Foundation

/// Where programs are installed.
package enum ProgramPath {
    /// The folders to search for programs, separated by colons.
    package static var folders: String { folders(environment: ProcessInfo.processInfo.environment) }

    /// The folders that an environment names; those of the system if it names none.
    package static func folders(environment: [String: String]) -> String {
        environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    }

    /// The first program of that name in these folders. Relative folders are skipped: what they contain depends on where a
    /// program was started.
    package static func find(_ name: String, in folders: String) -> String? {
        for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
            let path = "\(folder)/\(name)"
            var status = stat()
            if access(path, X_OK) == 0, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return path }
        }
        return nil
    }

    /// The first of these programs that is found; the order of the names takes precedence over that of the folders.
    package static func find(_ names: [String], in folders: String) -> String? {
        names.lazy.compactMap { find($0, in: folders) }.first
    }
}
