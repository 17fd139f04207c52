internal import Foundation

/// Where programs lie.
package enum ProgramPath {
    /// Folders in which programs are looked for, `:` between them.
    package static var folders: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }

    /// The first program of that name in these folders.
    package static func find(_ name: String, in folders: String) -> String? {
        for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
            let path = "\(folder)/\(name)"
            var status = stat()
            if access(path, X_OK) == 0, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return path }
        }
        return nil
    }
}
