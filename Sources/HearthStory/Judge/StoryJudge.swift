/// Finds slips in a story of the bundled model, or in the part that has been told so far. A pure value.
///
/// The training texts were generated from templates, so the judge knows which words may follow each other, which sentence belongs to
/// which plot, and whom a name or pronoun stands for. It does not understand the story: other texts than those of the bundled model
/// consist of slips to it.
package struct StoryJudge: Sendable {
    /// A slip.
    package struct Fault: Sendable, Equatable {
        package enum Kind: String, Sendable, CaseIterable {
            /// A word that does not exist.
            case word
            /// Words that never follow each other.
            case grammar
            /// A name that nobody has, a character with two names, or two characters with one.
            case names
            /// A pronoun of the wrong gender.
            case pronoun
            /// Sentences of two plots, or two versions of one step.
            case plot
            /// A step of the plot is missing, or told too late.
            case order
            /// Something that belongs to another wish.
            case wish
            /// Two quotations in a row by one speaker.
            case speaker
            /// A sentence told twice, or a quotation mark without its pair.
            case repetition, quotation
            /// The wish is not mentioned, or the story does not end.
            case mention, ending
        }

        package var kind: Kind
        /// What was found, for the reader of a report.
        package var text: String
        /// How certain it is: 1 for a slip that a listener notices.
        package var weight: Double
    }

    /// All slips of a text.
    package struct Verdict: Sendable, Equatable {
        package var faults: [Fault] = []
        /// The sum of the weights; 0 for a text without a slip.
        package var cost: Double { faults.reduce(0) { $0 + $1.weight } }
    }

    private let lore: StoryLore

    /// The judge of the bundled model's stories; nil if its table is damaged.
    package static let bundled = StoryLore.bundled.map(StoryJudge.init(lore:))

    package init(lore: StoryLore) { self.lore = lore }

    /// Judges a story.
    /// - Parameters:
    ///   - text: paragraphs, separated by empty lines.
    ///   - wish: nil for any subject.
    ///   - isComplete: whether this is the whole story, which must have an ending.
    package func verdict(on text: String, wish: Wish?, isComplete: Bool) -> Verdict {
        let words = JudgedWords(text, names: lore.names).words
        var verdict = Verdict()
        verdict.faults += wording(words)
        let parts = Telltale(words, lore)
        verdict.faults += parts.faults(wish: wish.flatMap { lore.wishes.firstIndex(of: $0.id) })
        verdict.faults += parts.steps(isComplete: isComplete)
        verdict.faults += Characters(words, lore).faults
        verdict.faults += Quotations(words).faults
        verdict.faults += sentences(words)
        verdict.faults += echoes(words)
        if isComplete { verdict.faults += ending(words, text, wish) }
        return verdict
    }

    // MARK: - Words and sentences

    private func wording(_ words: [JudgedWords.Word]) -> [Fault] {
        var faults: [Fault] = []
        let forms = words.map(\.form)
        func quote(_ range: Range<Int>) -> String { words[range].map(\.text).joined(separator: " ") }
        var lastPair = -9
        for index in words.indices {
            if words[index].isLetters, !lore.knows(forms[index...index]) {
                faults.append(Fault(kind: .word, text: words[index].text, weight: 1))
                lastPair = index
                continue
            }
            guard index > 0 else { continue }
            if !lore.knows(forms[index - 1...index]) {
                // One wrong word makes two wrong pairs.
                if lastPair < index - 1 {
                    faults.append(Fault(kind: .grammar, text: quote(index - 1..<index + 1), weight: 1))
                }
                lastPair = index
            } else if index > 1, lastPair < index - 2, !words[index - 1].endsSentence, words[index - 1] != .gap,
                !lore.knows(forms[index - 2...index])
            {
                faults.append(Fault(kind: .grammar, text: quote(index - 2..<index + 1), weight: 0.25))
                lastPair = index
            }
        }
        return faults
    }

    private func sentences(_ words: [JudgedWords.Word]) -> [Fault] {
        var faults: [Fault] = []
        var (told, sentence): (Set<String>, [String]) = ([], [])
        for word in words {
            guard word.endsSentence || word == .gap else {
                if word.isLetters || word.isName || word.isPronoun { sentence.append(word.text) }
                continue
            }
            let text = sentence.joined(separator: " ")
            if sentence.count > 3, !told.insert(text).inserted {
                faults.append(Fault(kind: .repetition, text: text, weight: 1))
            }
            sentence = []
        }
        return faults
    }

    /// The same two words soon after each other, as in "a layer of dry leaves, and on top a bit of dry leaves".
    private func echoes(_ words: [JudgedWords.Word]) -> [Fault] {
        var faults: [Fault] = []
        var places: [String: Int] = [:]
        for index in words.indices.dropLast() {
            let (one, two) = (words[index], words[index + 1])
            guard one.isLetters, two.isLetters, one.text.utf8.count > 2, two.text.utf8.count > 3,
                !Self.small.contains(one.text), !Self.small.contains(two.text)
            else { continue }
            let pair = one.text + " " + two.text
            if let last = places[pair], index - last < 24 {
                faults.append(Fault(kind: .repetition, text: pair, weight: 0.4))
            }
            places[pair] = index
        }
        return faults
    }

    /// Words that may be repeated together.
    private static let small: Set<String> = [
        "the", "and", "was", "were", "that", "had", "not", "but", "for", "with", "all", "one", "two", "its", "this",
        "there",
        "they", "them", "then", "said", "asked", "have", "you", "are", "what", "who", "only", "very", "too", "like",
        "once",
        "good", "night", "every", "goes", "round",
    ]

    private static let calm: Set<String> = [
        "sleep", "slept", "asleep", "sleeping", "dream", "dreams", "dreamed", "night", "bed", "pillow", "snored",
        "quiet",
        "closed", "still", "eyes", "breath", "good", "morning", "dreaming", "breathing",
    ]

    private func ending(_ words: [JudgedWords.Word], _ text: String, _ wish: Wish?) -> [Fault] {
        var faults: [Fault] = []
        if let wish, !wish.keywords.contains(where: { key in text.lowercased().contains(key.lowercased()) }) {
            faults.append(Fault(kind: .mention, text: wish.id, weight: 1))
        }
        let last = words.suffix(40)
        let isClosed = words.dropLast().last.map { $0.endsSentence || $0.form == "\"" } ?? false
        if !isClosed || !last.contains(where: { Self.calm.contains($0.text) }) {
            faults.append(Fault(kind: .ending, text: last.suffix(8).map(\.text).joined(separator: " "), weight: 1))
        }
        if words.count(where: { $0 == .gap }) < 5 || words.count(where: { $0.isLetters || $0.isName }) < 120 {
            faults.append(Fault(kind: .ending, text: "too short", weight: 1))
        }
        return faults
    }
}
