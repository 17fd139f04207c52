internal import Foundation

/// Which names from outside may become names on this disk: those that mean one file, inside the folder, on every
/// platform.
package enum FilePathRule {
    /// - Returns: what is wrong with a relative path of a manifest; nil if nothing is.
    package static func objection(to path: String) -> String? {
        if path.isEmpty { return "the path is empty" }
        if path.utf8.count > 512 { return "the path has more than 512 bytes" }
        if path.hasPrefix("/") || path.hasPrefix("~") { return "the path is not relative" }
        if path.contains("\\") || path.contains(":") { return "the path has a backslash or a colon" }
        if path.unicodeScalars.contains(where: isInvisible) { return "the path has a control character" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count > 8 { return "the path is more than 8 folders deep" }
        for part in parts {
            if part.isEmpty { return "the path has an empty part" }
            if part == "." || part == ".." { return "the path leaves its folder" }
            if part.utf8.count > 200 { return "a name has more than 200 bytes" }
            if part.hasPrefix(" ") || part.hasSuffix(" ") || part.hasSuffix(".") {
                return "a name begins or ends with a blank, or ends with a dot"
            }
            if reserved.contains(part.prefix { $0 != "." }.uppercased()) { return "\(part) names a device on Windows" }
        }
        return nil
    }

    /// - Returns: what is wrong with the name of a model; nil if nothing is.
    package static func objection(toName name: String) -> String? {
        let allowed = name.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard allowed, !name.isEmpty, name.utf8.count <= 100 else {
            return "a name has 1 to 100 letters, digits, dots, hyphens and underscores"
        }
        guard !name.hasPrefix("."), !name.hasPrefix("-") else { return "a name begins with a letter or a digit" }
        return objection(to: name)
    }

    /// The same for names that some file system takes for one: case folded and normalised.
    package static func foldedName(_ path: String) -> String {
        path.precomposedStringWithCompatibilityMapping.folding(options: .caseInsensitive, locale: nil)
            .precomposedStringWithCompatibilityMapping
    }

    /// - Parameter paths: folded names of files.
    /// - Returns: one that is also the folder of another; nil if there is none.
    static func fileAmongFolders(_ paths: Set<String>) -> String? {
        for path in paths {
            var folder = path
            while let slash = folder.lastIndex(of: "/") {
                folder = String(folder[..<slash])
                if paths.contains(folder) { return folder }
            }
        }
        return nil
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    private static let reserved: Set<String> = {
        let numbered = (1...9).flatMap { ["COM\($0)", "LPT\($0)"] }
        return Set(["CON", "PRN", "AUX", "NUL"] + numbered)
    }()
}
