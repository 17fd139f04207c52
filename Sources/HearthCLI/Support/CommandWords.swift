import Foundation

/// The words of the command line. Swift's own replaces bytes that are not UTF-8, and would so name other files.
package enum CommandWords {
    /// The words after the program's name, as the system passes them.
    static var given: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }

    /// The words as text.
    /// - Throws: `UsageError` for a word that is not UTF-8.
    package static func text(_ words: [[UInt8]]) throws -> [String] {
        try words.enumerated().map { index, word in
            if let text = String(validating: word, as: UTF8.self) { return text }
            throw UsageError(
                "argument \(index + 1) is not valid UTF-8: '\(visible(word))'",
                suggestion: "Rename the file, or pass the text in UTF-8.")
        }
    }

    /// Checks that the folder of `HEARTH_HOME` is not another one than the one that was meant.
    static func checkHome() throws {
        guard let home = getenv("HEARTH_HOME") else { return }
        let bytes = Array(UnsafeRawBufferPointer(start: home, count: strlen(home)))
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        throw UsageError(
            "HEARTH_HOME is not valid UTF-8: '\(visible(bytes))'", suggestion: "Set it to a folder with another name.")
    }

    /// ASCII as it is, other bytes as `\xE9`.
    private static func visible(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(200).map { byte in
            (0x20..<0x7F).contains(byte)
                ? String(UnicodeScalar(byte)) : String(format: "\\x%02X", byte)
        }
        return shown.joined() + (bytes.count > 200 ? "…" : "")
    }
}
