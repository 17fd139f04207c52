internal import Foundation

/// Why a library of the system that is loaded when it is needed cannot be used: not there is one reason of several.
enum LibraryProbe {
    /// - Parameter library: as errors name it: a file, perhaps with the function that it lacks (`libpng16.so.16 with png_read_row`).
    /// - Returns: what was found, and whether installing the library will do.
    static func finding(_ library: String) -> (detail: String, isMissing: Bool) {
        let parts = library.components(separatedBy: " with ")
        if parts.count == 2 { return ("\(parts[0]) has no \(parts[1]): it is too old, or another library", false) }
        // A library stays loaded once it was; another handle changes nothing.
        if let handle = unsafe dlopen(library, RTLD_LAZY | RTLD_LOCAL) {
            unsafe dlclose(handle)
            return ("\(library) is there and could not be used", false)
        }
        let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "unknown"
        return isAbsent(reason)
            ? ("not installed", true) : ("\(library) cannot be loaded: \(reason)", false)
    }

    /// Whether the loader's words say that there is no such file, and not that one of them cannot be loaded.
    static func isAbsent(_ reason: String) -> Bool {
        reason.contains("No such file") || reason.contains("no such file")
    }
}
