#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What this process may do with a path; links are followed.
package enum FileAccess {
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
    package static func canRead(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// Whether there is a folder at a path.
    package static func isFolder(_ path: String) -> Bool {
        ((try? SystemFiles().status(RealPath.of(path) ?? path)) ?? nil)?.kind == .folder
    }

    /// Why a folder cannot be listed and entered; nil if it can, and if nothing is there.
    package static func obstacle(toListing folder: String) -> String? {
        guard access(folder, F_OK) == 0 else {
            // Below something that is no folder, or may not be entered.
            return errno == ENOENT ? nil : SystemFiles.words(errno)
        }
        guard isFolder(folder) else { return SystemFiles.words(ENOTDIR) }
        return access(folder, R_OK | X_OK) == 0 ? nil : SystemFiles.words(errno)
    }

    /// What is in the place of a folder, or of one above it, and is no folder; nil if nothing is.
    package static func obstacle(toCreating folder: String) -> String? {
        func isThere(_ path: String) -> Bool { ((try? SystemFiles().status(path)) ?? nil) != nil }
        var place = folder
        while !place.isEmpty, !isThere(place) {
            place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        }
        if place.isEmpty || isFolder(place) { return nil }
        let what = exists(place) ? "a file" : "a link that leads nowhere"
        return place == folder ? "\(what) is in the way" : "'\(place)' is \(what)"
    }

    /// Why nothing can be created in a folder; nil if it can.
    package static func obstacle(toWriting folder: String) -> String? {
        access(folder, W_OK) == 0 ? nil : SystemFiles.words(errno)
    }
}
