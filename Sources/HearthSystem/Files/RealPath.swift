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
}
