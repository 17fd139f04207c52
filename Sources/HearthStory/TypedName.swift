/// Names as people type them in a hurry: in lower case, or in capitals only.
enum TypedName {
    /// The name as a story writes it: *mia*, *LEO*, *anne-marie* and *maría del mar* become *Mia*, *Leo*, *Anne-Marie* and
    /// *María del Mar*. Names with both cases, initials such as *TJ*, and scripts without case are kept.
    static func written(_ name: String) -> String {
        guard !name.contains(where: \.isUppercase) || !name.contains(where: \.isLowercase) else { return name }
        let words = name.split(separator: " ")
        return words.enumerated().map { index, word in
            index > 0 && particles.contains(word.lowercased()) ? word.lowercased() : capitalized(word)
        }.joined(separator: " ")
    }

    private static func capitalized(_ word: Substring) -> String {
        if word.count <= 2, word.allSatisfy(\.isUppercase) { return String(word) }
        var result = ""
        // The letters since the last hyphen, dot or apostrophe.
        var letters = 0
        var isInside = false
        for character in word {
            if character.isLetter {
                result += isInside || letters > 0 ? character.lowercased() : character.uppercased()
                letters += 1
            } else {
                result.append(character)
                // O'Neil, but Ka'i.
                isInside = "'’".contains(character) && letters > 1
                letters = 0
            }
        }
        return result
    }

    /// Words inside of names that stay in lower case.
    private static let particles: Set = [
        "al", "bin", "da", "de", "del", "den", "der", "dos", "el", "la", "las", "los", "van", "von", "y",
    ]
}
