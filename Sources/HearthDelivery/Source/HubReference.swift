/// A repository of a hub, as a word names it: `ORG/REPO`, with `@REVISION`, and with `:NAME` of a quantization, a file or a
/// package in it.
///
///     ggml-org/gemma-3-270m-it-GGUF:Q8_0
///     hf://ggml-org/gemma-3-270m-it-GGUF@main:gemma-3-270m-it-Q8_0.gguf
package struct HubReference: Sendable, Equatable {
    /// What says that a word is one, whatever files are here.
    package static let scheme = "hf://"

    /// `ORG/REPO`.
    package var repository: String
    /// A branch, a tag or a commit; nil for `main`.
    package var revision: String?
    /// What of it is wanted; nil for what is usual.
    package var choice: String?

    /// - Returns: nil if a word is no such name.
    package init?(_ word: String) {
        let rest = word.hasPrefix(Self.scheme) ? word.dropFirst(Self.scheme.count) : word[...]
        guard rest.utf8.count <= 1000, !rest.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F })
        else { return nil }
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let path = names[0].split(separator: "/", omittingEmptySubsequences: false)
        guard path.count == 2, path.allSatisfy(Self.isName) else { return nil }
        repository = String(names[0])
        revision = names.count == 2 ? String(names[1]) : nil
        choice = parts.count == 2 ? String(parts[1]) : nil
        guard revision?.isEmpty != true, choice?.isEmpty != true else { return nil }
    }

    /// The word that names it, always in the same way.
    package var description: String {
        Self.scheme + repository + (revision.map { "@" + $0 } ?? "") + (choice.map { ":" + $0 } ?? "")
    }

    /// The hub's own rule: letters, digits, `.`, `_` and `-`, with neither `--` nor `..`, and no `.` or `-` at either end.
    private static func isName(_ name: Substring) -> Bool {
        let isPlain = name.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isPlain, (1...96).contains(name.utf8.count), let first = name.first, let last = name.last else {
            return false
        }
        return !"-.".contains(first) && !"-.".contains(last) && !name.contains("--") && !name.contains("..")
    }
}
