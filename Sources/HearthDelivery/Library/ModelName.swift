/// Names and versions of installed models. Pure.
///
/// Both become file names, also on case-insensitive file systems, so they are ASCII, short, and never begin with a dot.
package enum ModelName {
    /// Longest name, and longest version, in bytes: a version's longest file name stays below the usual 255.
    package static let nameLimit = 100
    /// Most bytes of a version's label.
    package static let versionLimit = 64

    /// Letters, digits, `.`, `-` and `_`; no leading dot or hyphen.
    package static func isValid(_ name: String) -> Bool {
        name.utf8.count <= nameLimit && isPlain(name, more: "._-") && !name.hasPrefix("-")
    }

    /// The same characters as in names, and `+`.
    package static func isValidVersion(_ version: String) -> Bool {
        version.utf8.count <= versionLimit && isPlain(version, more: "._-+") && !version.hasPrefix("-")
    }

    /// SHA-256 in lower-case hexadecimal digits.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// A name for the file at a URL: the file's name without its extension, or the repository's if that says nothing
    /// (`model.gguf`). nil if the address contains no possible name.
    ///
    ///     …/ggml-org/gemma-3-270m-it-GGUF/resolve/main/gemma-3-270m-it-Q8_0.gguf  →  gemma-3-270m-it-Q8_0
    ///     …/someone/tiny-storyteller/resolve/main/model.gguf                      →  tiny-storyteller
    package static func suggested(forPath path: String) -> String? {
        let parts = path.split(separator: "/").map { plain(String($0)) }
        guard let file = parts.last.map(stem), !file.isEmpty else { return nil }
        let generic = ["model", "weights", "ggml-model", "pytorch_model", "download", "main", "latest"]
        let isGeneric = generic.contains { file.lowercased() == $0 || file.lowercased().hasPrefix($0 + "-") }
        // A hub's address is ORG/REPO/resolve/REVISION/FILE.
        if isGeneric, let at = parts.lastIndex(where: { $0 == "resolve" || $0 == "blob" }), at >= 1,
            parts.count > at + 2
        {
            var repository = parts[at - 1]
            if repository.lowercased().hasSuffix("-gguf") { repository.removeLast(5) }
            if isValid(repository) { return repository }
        }
        return isValid(file) ? file : nil
    }

    private static func stem(_ file: String) -> String {
        var stem = file
        for endings in [[".zip", ".tar.gz", ".tgz", ".tar"], [".gguf", ".json", ".mlpackage", ".mlmodel"]] {
            if let ending = endings.first(where: stem.lowercased().hasSuffix) { stem.removeLast(ending.count) }
        }
        return stem
    }

    /// Replaces characters that are not allowed by hyphens.
    private static func plain(_ text: String) -> String {
        var result = ""
        for character in text.removingPercentEscapes.prefix(200) {
            if isPlain(String(character), more: "_-") || character == "." {
                result.append(character)
            } else if result.last != "-" {
                result.append("-")
            }
        }
        while let first = result.first, ".-".contains(first) { result.removeFirst() }
        while let last = result.last, ".-".contains(last) { result.removeLast() }
        return result
    }

    private static func isPlain(_ text: String, more: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: ".") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: more.utf8.contains(byte)
            }
        }
    }
}

extension String {
    /// Percent-encoded characters decoded; the text unchanged if the result is not UTF-8.
    fileprivate var removingPercentEscapes: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? self
    }
}
