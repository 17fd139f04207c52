/// Parses a lexicon file.
package struct LexiconParser {
    private let file: String
    private var expander = TermExpander()
    private var lexicon = Lexicon()
    private var section: (concept: String, theme: String, rule: Lexicon.Rule)?

    /// Parses the text of a file.
    /// - Throws: `LexiconError` with the invalid line.
    package static func parse(_ text: String, file: String) throws(LexiconError) -> Lexicon {
        var parser = LexiconParser(file: file)
        for (index, line) in text[...].split(at: "\n").enumerated() {
            do {
                try parser.take(line.trimmed, number: index + 1)
            } catch {
                let problem = (error as? TermExpander.Problem)?.text ?? "\(error)"
                throw .line(file: file, number: index + 1, problem: problem)
            }
        }
        parser.lexicon.entries.removeAll { parser.lexicon.notEntries.contains($0.form.text) }
        parser.lexicon.expander = parser.expander
        parser.lexicon.file = file
        return parser.lexicon
    }

    /// Signs that are never part of a word.
    private static let signs = Array("=()/{}|".utf8)

    private init(file: String) { self.file = file }

    private mutating func take(_ line: Substring, number: Int) throws {
        guard let sign = line.first, sign != "#" else { return }
        guard !lexicon.isComplete else { throw TermExpander.Problem(text: "unexpected text after '@end'") }
        let rest = line.dropFirst().trimmed
        switch sign {
        case "@": try takeDirective(rest)
        case "%":
            let words = rest.split(separator: " ")
            guard let name = words.first else { throw TermExpander.Problem(text: "a paradigm needs a name") }
            try expander.define(name, Array(words.dropFirst()))
        case "=" where line.dropFirst().first == " ": try takeSection(rest)
        case "~": lexicon.phrases.append(.init(line: number, terms: String(rest)))
        case "-": for word in rest.split(separator: " ") { try lexicon.notEntries.formUnion(expander.forms(word)) }
        default: try takeWords(line)
        }
    }

    private mutating func takeDirective(_ rest: Substring) throws {
        let parts = rest.split(separator: " ", maxSplits: 1)
        let value = parts.count > 1 ? parts[1] : ""
        let words = { try value.split(separator: " ").flatMap { try TermExpander.braces(String($0)) } }
        switch parts.first {
        case "before": lexicon.before += try words()
        case "after": lexicon.after += try words()
        case "letters": lexicon.ownLetters = String(value)
        case "vowels": lexicon.vowels = String(value)
        case "short": lexicon.shortWords = String(value)
        case "ending": lexicon.ending = String(value)
        case "marks": lexicon.marksAreOptional = value == "optional"
        case "end": lexicon.isComplete = true
        case "local": lexicon.localForms.formUnion(try words())
        default: throw TermExpander.Problem(text: "unknown directive '@\(parts.first ?? "")'")
        }
    }

    private mutating func takeSection(_ rest: Substring) throws {
        let words = rest.split(separator: " ").map(String.init)
        guard words.count == 3, let rule: Lexicon.Rule = ["swap": .swap, "stop": .stop][words[2]] else {
            throw TermExpander.Problem(text: "a heading is '= concept theme swap' or '= concept theme stop'")
        }
        section = (words[0], words[1], rule)
    }

    private mutating func takeWords(_ line: Substring) throws {
        guard let section else { throw TermExpander.Problem(text: "words must follow a heading") }
        let sides = line.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
        guard (sides.count == 2) == (section.rule == .swap) else {
            let advice = section.rule == .swap ? "need '> replacement'" : "take no replacement"
            throw TermExpander.Problem(text: "words below '\(section.concept)' \(advice)")
        }
        let replacements = sides.count == 2 ? try expander.forms(sides[1].trimmed) : []
        try add(
            sides[0], as: section.rule, concept: section.concept, theme: section.theme, replacements: replacements)
    }

    private mutating func add(
        _ terms: Substring, as rule: Lexicon.Rule, concept: String, theme: String, replacements: [String] = []
    ) throws {
        for term in TermExpander.terms(terms) {
            let forms = try expander.forms(term)
            // A single form, such as a mass noun among nouns, uses the first replacement.
            guard replacements.count <= 1 || forms.count == 1 || replacements.count == forms.count else {
                throw TermExpander.Problem(
                    text: "'\(term)' has \(forms.count) forms and its replacement \(replacements.count)")
            }
            for (index, form) in forms.enumerated() {
                let source = try Self.form(form)
                let replacement = replacements.count == forms.count ? replacements[index] : replacements.first ?? ""
                lexicon.entries.append(
                    .init(form: source, rule: rule, concept: concept, theme: theme, replacement: replacement))
            }
        }
    }

    static func form(_ text: String) throws -> Form {
        let form = Form(text)
        // A sign in the middle would become part of the word, which would then never match.
        guard !form.text.isEmpty, !form.text.utf8.contains(where: signs.contains) else {
            throw TermExpander.Problem(text: "'\(text)' contains a character that is not allowed here")
        }
        return form
    }
}
