/// Letters that look like other letters, from `lookalikes.txt`.
package struct Lookalikes: Sendable {
    /// The table of this build; empty if `FoldingTables.embedded` is a failure, in which case no text may be judged.
    package static let shared = (try? FoldingTables.loaded.get())?.lookalikes ?? Lookalikes()

    /// Letter of another script → the small Latin letter that it resembles.
    package private(set) var latin: [UInt32: UInt32] = [:]
    /// Small Latin letter → the Cyrillic letter that it resembles.
    private(set) var cyrillic: [UInt32: UInt32] = [:]
    /// Letter of a related language written in Arabic script → the Arabic letter.
    private(set) var arabic: [UInt32: UInt32] = [:]

    private init() {}

    /// Parses the file's text.
    /// - Throws: `LexiconError` if a part of the file is missing.
    init(_ text: String) throws(LexiconError) {
        var section: Substring = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix(":") {
                section = line.dropFirst()
                continue
            }
            let parts = line.unicodeScalars.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let target = parts[0].first?.value else { continue }
            for scalar in parts[1] where scalar != " " {
                switch section {
                case "cyrillic": cyrillic[scalar.value] = target
                case "arabic": arabic[scalar.value] = target
                default: latin[scalar.value] = target
                }
            }
        }
        guard section == "end", !latin.isEmpty, !cyrillic.isEmpty, !arabic.isEmpty else {
            throw .damaged(file: "lookalikes.txt", problem: "a section or its last line, ':end', is missing")
        }
        // Squared, negative circled and negative squared capital letters.
        for first: UInt32 in [0x1F130, 0x1F150, 0x1F170] {
            for letter in 0..<26 as Range<UInt32> { latin[first + letter] = 0x61 + letter }
        }
    }
}
