/// Quotations of a story: whether every mark has its pair, and who speaks twice in a row.
struct Quotations {
    private(set) var faults: [StoryJudge.Fault] = []

    private static let verbs: Set<String> = [
        "said", "asked", "whispered", "called", "cried", "hummed", "piped", "squeaked", "murmured", "mumbled",
        "answered",
    ]

    init(_ words: [JudgedWords.Word]) {
        var isOpen = false
        // The last speaker, and the index of the word behind "said NAME."
        var speaker: (name: String, end: Int)?
        var opening = 0
        for (index, word) in words.enumerated() {
            if word == .gap {
                if isOpen {
                    let text = words[opening..<index].prefix(6).map(\.text).joined(separator: " ")
                    faults.append(StoryJudge.Fault(kind: .quotation, text: text, weight: 1))
                }
                isOpen = false
                continue
            }
            guard word.form == "\"" else { continue }
            isOpen.toggle()
            if isOpen {
                opening = index
                continue
            }
            guard let named = Self.speaker(words, after: index) else {
                speaker = nil
                continue
            }
            if let speaker, speaker.name == named.name, opening == speaker.end {
                faults.append(StoryJudge.Fault(kind: .speaker, text: named.name, weight: 0.7))
            }
            speaker = named
        }
    }

    /// Who spoke the quotation that ends at `index`, as in `" said Lily.`
    private static func speaker(_ words: [JudgedWords.Word], after index: Int) -> (name: String, end: Int)? {
        guard index + 3 < words.count, verbs.contains(words[index + 1].form), words[index + 2].isName else {
            return nil
        }
        var end = index + 3
        // "said Lily the bunny."
        if words[end].form == "the", end + 2 < words.count { end += 2 }
        return words[end].form == "." ? (words[index + 2].text, end + 1) : nil
    }
}
