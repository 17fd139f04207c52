/// The words of a story as the judge reads them: lower case, with a sign for every name and for pronouns of either gender. The table of
/// `StoryLore` was made from words in the same form (Training/make_judge.py).
struct JudgedWords {
    struct Word: Equatable {
        /// `@` for a name, `%s`, `%o` and `%r` for pronouns, the empty string between paragraphs.
        var form: String
        /// The text, in lower case.
        var text: String
        /// Whether it is written with a capital letter.
        var isCapital = false

        static let gap = Word(form: "", text: "")
        var isName: Bool { form == "@" }
        var isPronoun: Bool { form.hasPrefix("%") }
        var isLetters: Bool { form.utf8.first.map { (0x61...0x7A).contains($0) } ?? false }
        var endsSentence: Bool { [".", "!", "?"].contains(form) }
    }

    private(set) var words: [Word] = [.gap]

    private static let pronouns = [
        "he": "%s", "she": "%s", "him": "%o", "his": "%o", "her": "%o", "himself": "%r", "herself": "%r",
    ]
    private static let marks = Set(#".,!?;:"-"#.utf8)

    init(_ text: String, names: [String: StoryLore.Gender]) {
        var letters: [UInt8] = []
        var breaks = 0
        func isLetter(_ byte: UInt8) -> Bool {
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x27
        }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        func flush() {
            guard !letters.isEmpty else { return }
            add(String(decoding: letters, as: UTF8.self), names)
            letters = []
        }
        for byte in text.utf8 {
            if let last = letters.last, isLetter(byte) ? isDigit(last) : isDigit(byte) && !isDigit(last) { flush() }
            if isLetter(byte) || isDigit(byte) {
                letters.append(byte)
                breaks = 0
                continue
            }
            flush()
            if byte == 0x0A {
                breaks += 1
                if breaks == 2, words.last != .gap { words.append(.gap) }
            } else if Self.marks.contains(byte) {
                breaks = 0
                let mark = String(decoding: [byte], as: UTF8.self)
                words.append(Word(form: mark, text: mark))
            }
        }
        flush()
        if words.last != .gap { words.append(.gap) }
    }

    private mutating func add(_ token: String, _ names: [String: StoryLore.Gender]) {
        let isOwned = token.hasSuffix("'s")
        let bare = isOwned ? String(token.dropLast(2)) : token
        let lower = bare.lowercased()
        let isCapital = bare.first?.isUppercase ?? false
        let form = isCapital && names[lower] != nil ? "@" : Self.pronouns[lower] ?? lower
        words.append(Word(form: form, text: lower, isCapital: isCapital))
        if isOwned { words.append(Word(form: "'s", text: "'s")) }
    }
}
