/// A parser for files of tales, in the format documented in Training/tales/README.md.
package enum TaleFile {
    /// Parses all tales of a file.
    /// - Returns: nil if a line does not match the format.
    package static func tales(_ text: String, in language: StoryLanguage) -> [Tale]? {
        var tales: [Tale] = []
        var isBody = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# ") {
                tales.append(Tale(id: String(line.dropFirst(2)), language: language))
                isBody = false
                continue
            }
            guard !tales.isEmpty else { return nil }
            let last = tales.count - 1
            if isBody {
                guard take(line, into: &tales[last]) else { return nil }
            } else if line == "---" {
                isBody = true
                tales[last].paragraphs.append([])
            } else if !line.isEmpty {
                guard field(line, of: &tales[last]) else { return nil }
            }
        }
        for index in tales.indices { tales[index].paragraphs.removeAll(where: \.isEmpty) }
        return tales
    }

    private static func take(_ line: Substring, into tale: inout Tale) -> Bool {
        let paragraph = tale.paragraphs.count - 1
        let position = tale.paragraphs[paragraph].count - 1
        if line.hasPrefix("> ") {
            tale.paragraphs[paragraph].append([String(line.dropFirst(2))])
        } else if line.hasPrefix("| "), position >= 0 {
            tale.paragraphs[paragraph][position].append(String(line.dropFirst(2)))
        } else if line.isEmpty {
            if position >= 0 { tale.paragraphs.append([]) }
        } else {
            return false
        }
        return true
    }

    private static func field(_ line: Substring, of tale: inout Tale) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return false }
        let key = trimmed(line[..<colon])
        let value = trimmed(line[line.index(after: colon)...])
        let values = value.split { $0 == "," || $0 == "，" }.map { String(trimmed($0)) }.filter { !$0.isEmpty }
        switch key {
        case "wishes": tale.wishes = values
        case "tags": tale.tags = values
        case "title": tale.title = String(value)
        case "length":
            guard let length = StoryLength(rawValue: String(value)) else { return false }
            tale.length = length
        case _ where key.hasPrefix("role "):
            var name = String(trimmed(key.dropFirst(5)))
            if name.hasSuffix("*") {
                name.removeLast()
                tale.hero = name
            }
            var people: [Tale.Person] = []
            for text in values {
                guard let slash = text.lastIndex(of: "/") else { return false }
                people.append(
                    Tale.Person(name: String(text[..<slash]), pronoun: String(text[text.index(after: slash)...])))
            }
            tale.roles.append(Tale.Role(name: name, people: people))
        case _ where key.hasPrefix("word "):
            tale.words.append(
                Tale.Word(
                    name: String(trimmed(key.dropFirst(5))),
                    values: value.split(separator: "|").map { String(trimmed($0)) }))
        default: return false
        }
        return true
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
