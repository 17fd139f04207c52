/// A tale with its names filled in, and a few wordings of each sentence. A model that tells it chooses the wordings one after the
/// other, by what it has told so far; what it cannot do is change a name, drop a step or break a sentence.
package struct TalePlan: Sendable, Equatable {
    package var id: Tale.ID
    package var language: StoryLanguage
    /// Paragraphs; each is a list of sentences, each a list of alternative wordings.
    package var paragraphs: [[[String]]]

    package init(id: Tale.ID, language: StoryLanguage, paragraphs: [[[String]]] = []) {
        (self.id, self.language, self.paragraphs) = (id, language, paragraphs)
    }

    /// All tellings of the plan, as a GBNF grammar. Each sentence is a rule; what separates it from the one before belongs to its
    /// wordings.
    package var grammar: String {
        var rules: [String] = []
        for paragraph in paragraphs {
            for (index, wordings) in paragraph.enumerated() {
                let gap = rules.isEmpty ? "" : index == 0 ? "\n\n" : language.sentenceSeparator
                let texts = wordings.map { Self.quoted(gap + $0) }
                rules.append("s\(rules.count) ::= \(texts.joined(separator: " | "))")
            }
        }
        let root = rules.indices.map { "s\($0)" }.joined(separator: " ")
        return (["root ::= \(root)"] + rules).joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String {
        let escapes: [Character: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n"]
        return "\"" + text.map { escapes[$0] ?? String($0) }.joined() + "\""
    }
}
