/// Removes control markers of chat formats. They are found in a view of the text in which disguised signs and letters are
/// plain.
enum MarkerRules {
    typealias Scalars = [Unicode.Scalar]

    /// Characters that markers consist of.
    static let signs: Set<Unicode.Scalar> = ["<", ">", "|", "[", "]", "#", "`"]

    private static let mostRounds = 16
    private static let roles = ["system", "user", "assistant", "model", "developer", "tool", "human", "ai"]
    private static let linePrefixes = [
        "system", "assistant", "user", "human", "developer", "sistema", "asistente", "usuario", "系统", "助手", "用户", "系統",
        "用戶",
    ]
    private static let headings = ["instructions", "instruction", "system", "response", "input", "user", "assistant"]
    private static let turnStarts = [
        "<start_of_turn>", "<|im_start|>", "<|start_header_id|>", "<|turn>", "<|start|>", "<|start_of_role|>",
    ]
    private static let unclosed = [
        "<start_of_turn", "<end_of_turn", "<start_of_image", "<end_of_image", "<start_of_audio", "<end_of_audio",
    ]
    private static let brackets = [
        "[inst]", "[/inst]", "[system_prompt]", "[/system_prompt]", "[available_tools]", "[/available_tools]",
        "[tool_calls]", "[tool_results]", "[/tool_results]", "[gmask]", "[sop]", "[system]", "[/system]", "[think]",
        "[/think]", "[args]", "[call_id]", "[img]", "[img_break]", "[img_end]", "[prefix]", "[suffix]", "[middle]",
        "[tool_content]", "[bos]", "[eos]", "[audio]", "[begin_audio]", "[sys]", "[/sys]", "[model_settings]",
        "[/model_settings]",
        "[smask]", "[mask]", "[unused", "[e~[", "]~b]", "]~!b[",
    ]

    static func strip(_ source: Scalars, _ removed: inout Set<String>) -> Scalars {
        var text = source
        for round in 0...mostRounds {
            let next = blanksCollapsed(removeOnce(text))
            if next == text { return text }
            if next.count + 2 < text.count || round > 0 || hasMarker(text, next) { removed.insert("marker") }
            text = next
        }
        // Deeper nesting is deliberate: remove all of these characters.
        text.removeAll { signs.contains(look($0)) }
        return text
    }

    private static func hasMarker(_ before: Scalars, _ after: Scalars) -> Bool { blanksCollapsed(before) != after }

    /// One pass: replaces every marker with a space. Combining marks do not hide markers, and a character that represents two
    /// letters (`ﬆ`) counts as both.
    private static func removeOnce(_ text: Scalars) -> Scalars {
        var view: Scalars = []
        // Unit of the view → index of the source character.
        var places: [Int] = []
        view.reserveCapacity(text.count)
        places.reserveCapacity(text.count)
        for (place, scalar) in text.enumerated() where !isMark(scalar) {
            for unit in looks(scalar) where !isMark(unit) {
                view.append(unit)
                places.append(place)
            }
        }
        var result: Scalars = []
        result.reserveCapacity(text.count)
        // The end of the text already copied or removed.
        var taken = 0
        var at = 0
        var isLineStart = true
        while at < view.count {
            if let length = marker(view, at, isLineStart: isLineStart) {
                result += text[taken..<max(taken, places[at])]
                result.append(" ")
                at += max(length, 1)
                taken = max(taken, at < view.count ? places[at] : text.count)
                // A character that belongs partly to the marker is removed with it.
                while at < view.count, at > 0, places[at] == places[at - 1] { at += 1 }
                taken = max(taken, at < view.count ? places[at] : text.count)
                continue
            }
            if view[at] == "\n" { isLineStart = true } else if view[at] != " " { isLineStart = false }
            at += 1
        }
        return result + text[min(taken, text.count)...]
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        let kind = UnicodeTable.shared.kind(of: scalar.value)
        return kind == .mark || kind == .ignorable
    }

    private static func marker(_ view: Scalars, _ at: Int, isLineStart: Bool) -> Int? {
        switch view[at] {
        case "<": return angle(view, at)
        case "[", "]": return bracket(view, at)
        case "`":
            var end = at
            while end < view.count, view[end] == "`" { end += 1 }
            guard end - at >= 3 else { return nil }
            var word = end
            while word < view.count, isLetter(view[word]), word - end < 20 { word += 1 }
            return (word < view.count && view[word] == "\n" ? word : end) - at
        default: return isLineStart ? linePrefix(view, at) : nil
        }
    }

    private static func bracket(_ view: Scalars, _ at: Int) -> Int? {
        if let listed = brackets.first(where: { matches(view, at, $0) }) { return listed.unicodeScalars.count }
        // [|…|]
        guard matches(view, at, "[|") else { return nil }
        var end = at + 2
        while end < view.count, end - at < 42, view[end] != "\n", view[end] != "[" {
            if view[end] == "]" { return view[end - 1] == "|" && end > at + 3 ? end + 1 - at : nil }
            end += 1
        }
        return nil
    }

    private static func angle(_ view: Scalars, _ at: Int) -> Int? {
        if matches(view, at, "<<sys>>") { return 7 }
        if matches(view, at, "<</sys>>") { return 8 }
        if let start = turnStarts.first(where: { matches(view, at, $0) }) {
            return start.unicodeScalars.count + role(view, at + start.unicodeScalars.count)
        }
        // <|…|>, <|…>
        if at + 1 < view.count, view[at + 1] == "|", let end = close(view, at + 2, within: 42, lines: false) {
            return end + 1 - at
        }
        var next = at + 1
        while next < view.count, next - at < 64, view[next] == " " || view[next] == "/" { next += 1 }
        // <0x0A>: a byte as a token.
        let isByte = matches(view, at, "<0x")
        if next < view.count, isByte || isLetter(view[next]) || view[next] == "_",
            let end = close(view, next, within: 64 - (next - at), lines: false)
        {
            return end + 1 - at
        }
        return unclosed.first { matches(view, at, $0) }.map(\.unicodeScalars.count)
    }

    /// The index of the next `>`, without a `<` before it.
    private static func close(_ view: Scalars, _ from: Int, within limit: Int, lines: Bool) -> Int? {
        var at = from
        while at < view.count, at - from <= limit {
            if view[at] == ">" { return at }
            if view[at] == "<" || view[at] == "\n" { return nil }
            at += 1
        }
        return nil
    }

    /// The length of a role name after the start of a turn, including the end of a header.
    private static func role(_ view: Scalars, _ at: Int) -> Int {
        var next = at
        while next < view.count, next - at < 8, view[next] == " " || view[next] == "\n" { next += 1 }
        for role in roles where matches(view, next, role) {
            let end = next + role.unicodeScalars.count
            if end < view.count, isLetter(view[end]) || view[end].properties.numericType != nil { continue }
            let header = "<|end_header_id|>"
            return (matches(view, end, header) ? end + header.unicodeScalars.count : end) - at
        }
        return 0
    }

    private static func linePrefix(_ view: Scalars, _ at: Int) -> Int? {
        if view[at] == "#" {
            var next = at
            while next < view.count, view[next] == "#" { next += 1 }
            guard next - at >= 2 else { return nil }
            while next < view.count, view[next] == " " { next += 1 }
            for heading in headings where matches(view, next, heading) {
                var end = next + heading.unicodeScalars.count
                if end < view.count, isLetter(view[end]) { continue }
                if end < view.count, view[end] == ":" { end += 1 }
                return end - at
            }
            return nil
        }
        for prefix in linePrefixes where matches(view, at, prefix) {
            var end = at + prefix.unicodeScalars.count
            while end < view.count, view[end] == " " { end += 1 }
            if end < view.count, view[end] == ":" { return end + 1 - at }
        }
        return nil
    }

    private static func matches(_ view: Scalars, _ at: Int, _ word: String) -> Bool {
        var index = at
        for scalar in word.unicodeScalars {
            guard index < view.count, view[index] == scalar else { return false }
            index += 1
        }
        return true
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }

    /// Collapses runs of spaces, and removes them at the beginning of lines.
    private static func blanksCollapsed(_ text: Scalars) -> Scalars {
        var result: Scalars = []
        result.reserveCapacity(text.count)
        for scalar in text {
            if scalar == " ", result.isEmpty || result.last == " " || result.last == "\n" { continue }
            result.append(scalar)
        }
        return result
    }

    /// The letters that a character resembles; may be several.
    private static func looks(_ scalar: Unicode.Scalar) -> Scalars {
        guard scalar.value >= 0x80, let fold = UnicodeTable.shared.fold(of: scalar.value), fold.count > 1 else {
            return [look(scalar)]
        }
        let plain = look(scalar)
        // A crossed-out sign is listed by itself and resembles the sign.
        if signs.contains(plain) { return [plain] }
        return fold.compactMap(Unicode.Scalar.init).map(look)
    }

    /// The plain sign or small letter that a character resembles.
    static func look(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x41...0x5A: return Unicode.Scalar(scalar.value + 32) ?? scalar
        case 0..<0x80: return scalar
        case 0xFF1C, 0x2039, 0x2329, 0x3008, 0x276E, 0x2C2, 0x27E8, 0x1433, 0xFE64, 0x226E, 0x2770, 0x276C, 0x29FC,
            0x1438:
            return "<"
        case 0xFF1E, 0x203A, 0x232A, 0x3009, 0x276F, 0x2C3, 0x27E9, 0x1405, 0xFE65, 0x226F, 0x2771, 0x276D, 0x29FD,
            0x1450:
            return ">"
        case 0xFF5C, 0x2223, 0x1C0, 0x23D0, 0x2758, 0xFFE8, 0x2502, 0x2503, 0xA6: return "|"
        case 0xFF3F, 0x2581, 0x203F, 0xFE4D...0xFE4F: return "_"
        case 0xFF3B, 0x27E6, 0x3010, 0x3014, 0x2772: return "["
        case 0xFF3D, 0x27E7, 0x3011, 0x3015, 0x2773: return "]"
        case 0xFF0F, 0x2044, 0x2215, 0x2571: return "/"
        case 0xFF1A, 0xFE55, 0x2236, 0xA789, 0x589: return ":"
        case 0xFF03, 0xFE5F: return "#"
        case 0xFF40: return "`"
        default:
            if let letter = Lookalikes.shared.latin[scalar.value] { return Unicode.Scalar(letter) ?? scalar }
            guard let fold = UnicodeTable.shared.fold(of: scalar.value), let first = fold.first else { return scalar }
            return Unicode.Scalar(Lookalikes.shared.latin[first] ?? first) ?? scalar
        }
    }
}
