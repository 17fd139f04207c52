#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The one name of a file, whatever links lead to it.
package enum RealPath {
    /// Absolute, links resolved; nil if nothing is there.
    package static func of(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The same of the nearest folder above a path that exists; those between are still to be made.
    package static func ofFolder(above path: String) -> String {
        var path = path[...]
        while true {
            while path.hasSuffix("/") { path.removeLast() }
            guard let slash = path.lastIndex(of: "/") else { return of(".") ?? "" }
            path = path[...slash]
            if let real = of(String(path)) { return real }
        }
    }
}
