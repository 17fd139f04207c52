internal import CHearthStories

/// What stories of the bundled model may say and what belongs together: words, pairs and triples of words that occur in its
/// training texts, and the template that a triple comes from. Written by Training/make_judge.py.
package struct StoryLore: Sendable {
    enum Gender: String, Sendable { case male = "m", female = "f", either = "x" }

    /// A sentence template of the training texts.
    struct Template: Sendable, Equatable {
        enum Kind: UInt8, Sendable { case none, plot, lore }
        var kind: Kind
        /// A plot's number; for lore, the wish's number or `anyWish`.
        var owner: UInt8
        /// Of one group only one alternative is told in a story; 0 for none.
        var group: UInt16
        var alternative: UInt8
        /// The step of the plot.
        var place: UInt8
        /// Whether the step is never left out.
        var isNeeded: Bool
    }

    /// The template of a triple of words, and the characters that names and pronouns in it stand for: 1 the hero, 2 to 6 others, 0 and
    /// 7 unknown.
    struct Origin: Equatable {
        var template: Int
        var roles: [Int]
    }

    static let anyWish: UInt8 = 255

    let names: [String: Gender]
    let wishes: [String]
    let templates: [Template]
    /// The steps that a plot never leaves out, by plot.
    let neededSteps: [UInt8: [UInt8]]
    private let bytes: [UInt8]
    private let known: [Filter]
    private let starts: Int
    private let rows: Int

    /// A Bloom filter in the file.
    private struct Filter: Sendable {
        var start: Int
        var bits: UInt64
        var hashes: UInt64
    }

    /// The lore of the bundled model; nil if the file is damaged, and then nothing is chosen.
    static let bundled: StoryLore? = {
        let file = hearth_judge()
        guard let start = file.start else { return nil }
        return StoryLore(Array(UnsafeBufferPointer(start: start, count: file.count)))
    }()

    /// - Returns: nil if the file is damaged.
    package init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard bytes.starts(with: Array("HJ01".utf8)) else { return nil }
        reader.at = 4
        guard let nameLines = reader.lines(), let wishes = reader.lines(), let count = reader.number(4),
            count <= 0xFFFF
        else { return nil }
        var names: [String: Gender] = [:]
        for line in nameLines {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let gender = Gender(rawValue: String(parts[1])) else { return nil }
            names[String(parts[0])] = gender
        }
        var templates: [Template] = []
        for _ in 0..<count {
            guard let kind = reader.number(1), let owner = reader.number(1), let group = reader.number(2),
                let alternative = reader.number(1), let place = reader.number(1),
                let known = Template.Kind(rawValue: UInt8(kind))
            else { return nil }
            templates.append(
                Template(
                    kind: known, owner: UInt8(owner), group: UInt16(group), alternative: UInt8(alternative),
                    place: UInt8(place & 127), isNeeded: place & 128 != 0))
        }
        var filters: [Filter] = []
        for _ in 0..<3 {
            guard let bits = reader.number(4), let hashes = reader.number(4), bits > 0, hashes <= 32,
                reader.skip(bits / 8)
            else { return nil }
            filters.append(Filter(start: reader.at - bits / 8, bits: UInt64(bits), hashes: UInt64(hashes)))
        }
        guard let rowCount = reader.number(4) else { return nil }
        starts = reader.at
        guard reader.skip(4 * 4097) else { return nil }
        rows = reader.at
        guard reader.skip(6 * rowCount), reader.at == bytes.count else { return nil }
        var last = 0
        for bucket in 0...4096 {
            let next = Self.number(bytes, starts + 4 * bucket, 4)
            guard next >= last, next <= rowCount else { return nil }
            last = next
        }
        var steps: [UInt8: Set<UInt8>] = [:]
        for template in templates where template.kind == .plot && template.isNeeded {
            steps[template.owner, default: []].insert(template.place)
        }
        neededSteps = steps.mapValues { $0.sorted() }
        (self.names, self.wishes, self.templates, self.bytes, known) = (names, wishes, templates, bytes, filters)
    }

    /// Whether one, two or three consecutive words occur.
    package func knows(_ words: ArraySlice<String>) -> Bool {
        guard (1...3).contains(words.count) else { return true }
        let (filter, hash) = (known[words.count - 1], Self.hash(words))
        for index in 0..<filter.hashes {
            let bit = ((hash & 0xFFFF_FFFF) + index * (hash >> 32 | 1)) % filter.bits
            if bytes[filter.start + Int(bit >> 3)] & 1 << UInt8(bit & 7) == 0 { return false }
        }
        return true
    }

    /// The template that three consecutive words come from; nil if they occur in several, or in none.
    func origin(_ words: ArraySlice<String>) -> Origin? {
        let hash = Self.hash(words)
        let bucket = Int(hash >> 52)
        let print = Int(hash >> 36 & 0xFFFF)
        let range = Self.number(bytes, starts + 4 * bucket, 4)..<Self.number(bytes, starts + 4 * bucket + 4, 4)
        for row in range where Self.number(bytes, rows + 6 * row, 2) == print {
            let template = Self.number(bytes, rows + 6 * row + 2, 2)
            let roles = Self.number(bytes, rows + 6 * row + 4, 2)
            guard template < templates.count else { return nil }
            return Origin(template: template, roles: [roles & 7, roles >> 3 & 7, roles >> 6 & 7])
        }
        return nil
    }

    /// FNV-1a over the words, separated by the control character 31.
    package static func hash(_ words: ArraySlice<String>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for (index, word) in words.enumerated() {
            if index > 0 { hash = (hash ^ 0x1F) &* 0x100_0000_01B3 }
            for byte in word.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return hash ^ hash >> 29
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }

    /// Reads the file from its beginning.
    private struct Reader {
        let bytes: [UInt8]
        var at = 0

        mutating func number(_ count: Int) -> Int? {
            guard skip(count) else { return nil }
            return StoryLore.number(bytes, at - count, count)
        }

        mutating func skip(_ count: Int) -> Bool {
            guard count >= 0, count <= bytes.count - at else { return false }
            at += count
            return true
        }

        mutating func lines() -> [String]? {
            guard let count = number(4), skip(count) else { return nil }
            return String(decoding: bytes[at - count..<at], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}
