internal import Foundation

/// Why a library that is loaded on demand cannot be used; not being installed is one of several reasons.
enum LibraryProbe {
    /// - Parameter library: as in errors: a file, possibly with the function that it lacks (`libpng16.so.16 with
    ///   png_read_row`).
    /// - Returns: what was found, and whether installing the library would help.
    static func finding(_ library: String) -> (detail: String, isMissing: Bool) {
        let parts = library.components(separatedBy: " with ")
        if parts.count == 2 { return ("\(parts[0]) has no \(parts[1]): it is too old, or another library", false) }
        // A loaded library stays loaded; another handle changes nothing.
        if let handle = unsafe dlopen(library, RTLD_LAZY | RTLD_LOCAL) {
            unsafe dlclose(handle)
            return ("\(library) is installed but could not be used", false)
        }
        let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "unknown"
        return isAbsent(reason)
            ? ("not installed", true) : ("\(library) cannot be loaded: \(reason)", false)
    }

    /// Whether the loader's message says that the file does not exist, rather than that it cannot be loaded.
    static func isAbsent(_ reason: String) -> Bool {
        reason.contains("No such file") || reason.contains("no such file")
    }
}
