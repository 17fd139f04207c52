/// The characters of a story by name: what kind of being each is said to be, and whether pronouns have somebody to refer to.
struct Characters {
    private(set) var faults: [StoryJudge.Fault] = []

    init(_ words: [JudgedWords.Word], _ lore: StoryLore) {
        var kinds: [String: String] = [:]
        var met: Set<String> = []
        var missing: Set<String> = []
        for (index, word) in words.enumerated() {
            if word.isName {
                if met.insert(word.text).inserted, met.count > 1, !Self.isIntroduced(words, index) {
                    faults.append(StoryJudge.Fault(kind: .names, text: "who is \(word.text)?", weight: 0.5))
                }
                // "Lily the bunny"
                guard index + 2 < words.count, words[index + 1].form == "the", words[index + 2].isLetters else {
                    continue
                }
                let kind = words[index + 2].text
                if let before = kinds[word.text], before != kind {
                    faults.append(
                        StoryJudge.Fault(kind: .names, text: "\(word.text) the \(before) and the \(kind)", weight: 1))
                }
                // Introduced again, as somebody else would be.
                if kinds[word.text] == kind {
                    faults.append(StoryJudge.Fault(kind: .names, text: "\(word.text) the \(kind) again", weight: 0.25))
                }
                kinds[word.text] = kind
            } else if word.isLetters, word.isCapital, index > 0, words[index - 1].isLetters,
                !lore.knows([word.form]), missing.insert(word.text).inserted
            {
                faults.append(StoryJudge.Fault(kind: .names, text: word.text, weight: 1))
            }
        }
    }

    /// Whether the first mention of a name says who it is: "Lily the bunny", "Lily, ...", "a bunny named Lily", "My name is Lily".
    private static func isIntroduced(_ words: [JudgedWords.Word], _ index: Int) -> Bool {
        let before = index > 0 ? words[index - 1].form : ""
        let after = index + 1 < words.count ? words[index + 1].form : ""
        return ["the", ",", "was", "lived"].contains(after)
            || ["named", "called", "is", "was", "am", "lived", "came", "sat", "stood"].contains(before)
            || before == "," && index > 1 && words[index - 2].isLetters && after == "."
    }
}
