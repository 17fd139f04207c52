/// The templates that a story's sentences come from, in order: what they tell about its plot and its characters.
struct Telltale {
    private let lore: StoryLore
    /// The templates recognised, by the number of triples of words that only they contain, in the order in which they begin.
    private(set) var found: [(template: Int, votes: Int)] = []
    /// The names and the genders of pronouns of each character, with the number of times.
    private var called: [Int: [String: Int]] = [:]
    private var genders: [Int: [StoryLore.Gender: Int]] = [:]

    /// A template counts from this many triples on: a single one may be a coincidence.
    private static let enough = 2

    init(_ words: [JudgedWords.Word], _ lore: StoryLore) {
        self.lore = lore
        let forms = words.map(\.form)
        var places: [Int: Int] = [:]
        var seen: Set<Int> = []
        for index in forms.indices.dropLast(2) {
            guard let origin = lore.origin(forms[index...index + 2]) else { continue }
            if let place = places[origin.template] {
                found[place].votes += 1
            } else {
                places[origin.template] = found.count
                found.append((origin.template, 1))
            }
            // A word is in up to three triples, and counts once.
            for (offset, role) in origin.roles.enumerated() where (1...6).contains(role) {
                let word = words[index + offset]
                guard seen.insert(index + offset).inserted else { continue }
                if word.isName { called[role, default: [:]][word.text, default: 0] += 1 }
                if word.isPronoun {
                    let isFemale = ["she", "her", "herself"].contains(word.text)
                    genders[role, default: [:]][isFemale ? .female : .male, default: 0] += 1
                }
            }
        }
    }

    private var sure: [(template: StoryLore.Template, votes: Int)] {
        found.filter { $0.votes >= Self.enough }.map { (lore.templates[$0.template], $0.votes) }
    }

    /// The plot that most of the story comes from.
    private var plot: UInt8? {
        var votes: [UInt8: Int] = [:]
        for part in sure where part.template.kind == .plot { votes[part.template.owner, default: 0] += part.votes }
        return votes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Mixed plots, versions, wishes and characters.
    func faults(wish: Int?) -> [StoryJudge.Fault] {
        var faults: [StoryJudge.Fault] = []
        var chosen: [UInt16: UInt8] = [:]
        var others: Set<UInt8> = []
        for (template, _) in sure {
            if template.kind == .plot, let plot, template.owner != plot, others.insert(template.owner).inserted {
                faults.append(
                    StoryJudge.Fault(kind: .plot, text: "plots \(plot) and \(template.owner)", weight: 1))
            }
            if template.kind == .lore, let wish, template.owner != StoryLore.anyWish, Int(template.owner) != wish {
                faults.append(
                    StoryJudge.Fault(kind: .wish, text: "of \(lore.wishes[Int(template.owner)])", weight: 0.5))
            }
            guard template.group > 0 else { continue }
            if let other = chosen[template.group], other != template.alternative {
                faults.append(
                    StoryJudge.Fault(kind: .plot, text: "two versions of step \(template.place)", weight: 1))
            }
            chosen[template.group] = template.alternative
        }
        var owners: [String: Int] = [:]
        for (role, names) in called.sorted(by: { $0.key < $1.key }) {
            if names.count > 1 {
                faults.append(
                    StoryJudge.Fault(
                        kind: .names, text: "one is called " + names.keys.sorted().joined(separator: ", "), weight: 1))
            }
            let expected = Set(names.keys.compactMap { lore.names[$0] }).subtracting([.either])
            for (gender, _) in genders[role] ?? [:] where expected.count == 1 && !expected.contains(gender) {
                faults.append(
                    StoryJudge.Fault(kind: .pronoun, text: names.keys.sorted().joined(separator: ", "), weight: 1))
            }
            if (genders[role]?.count ?? 0) > 1, expected.count != 1 {
                faults.append(StoryJudge.Fault(kind: .pronoun, text: "character \(role)", weight: 1))
            }
            for name in names.keys {
                if let other = owners[name], other != role {
                    faults.append(StoryJudge.Fault(kind: .names, text: "\(name) is two characters", weight: 1))
                }
                owners[name] = role
            }
        }
        return faults
    }

    /// Steps of the plot that are missing or told too late.
    func steps(isComplete: Bool) -> [StoryJudge.Fault] {
        guard let plot else { return [] }
        var faults: [StoryJudge.Fault] = []
        let told = sure.filter { $0.template.kind == .plot && $0.template.owner == plot }.map(\.template.place)
        for (earlier, later) in zip(told, told.dropFirst()) where later < earlier {
            faults.append(StoryJudge.Fault(kind: .order, text: "step \(later) after \(earlier)", weight: 1))
        }
        // A step may be recognised by a single triple.
        let heard = Set(
            found.map { lore.templates[$0.template] }.filter { $0.kind == .plot && $0.owner == plot }.map(\.place))
        let last = isComplete ? UInt8.max : told.max() ?? 0
        for step in lore.neededSteps[plot] ?? [] where step < last && !heard.contains(step) {
            faults.append(StoryJudge.Fault(kind: .order, text: "no step \(step)", weight: 0.7))
        }
        return faults
    }
}
