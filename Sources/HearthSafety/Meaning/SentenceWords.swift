/// Splits a text into the words of the classifier's vocabulary.
///
/// `Training/safety/words.py` is equivalent, scalar by scalar: input must be processed as in training.
struct SentenceWords {
    /// A run of letters and digits. Chinese and Japanese runs have no spaces and are split by the vocabulary.
    struct Run: Equatable {
        var isUnspaced: Bool
        var scalars: [UInt32]
    }

    private static let longestWord = 40
    private static let longestPiece = 24
    private static let longestUnspacedPiece = 6
    private static let apostrophe: UInt32 = 0x27

    /// Folded scalars: without invisible characters, case and diacritics; kana and Korean syllables are unchanged.
    static func folded(_ text: String) -> [UInt32] {
        let table = UnicodeTable.shared
        var result: [UInt32] = []
        result.reserveCapacity(text.utf8.count)
        for unicode in text.unicodeScalars {
            var scalar = unicode.value
            if table.kind(of: scalar) == .ignorable { continue }
            switch scalar {
            case 0x3040...0x30FF, 0xAC00...0xD7A3:
                result.append(scalar)
                continue
            case 0x41...0x5A: scalar += 32
            case 0x2019: scalar = apostrophe
            case 0x61F: scalar = 0x3F
            default: break
            }
            guard let parts = table.fold(of: scalar) else {
                if table.kind(of: scalar) != .mark { result.append(scalar) }
                continue
            }
            for part in parts {
                let kind = table.kind(of: part)
                if kind != .mark, kind != .ignorable { result.append(part) }
            }
        }
        return result
    }

    /// Runs of letters; question and exclamation marks are separate runs.
    static func runs(_ text: String) -> [Run] {
        let scalars = folded(text)
        let table = UnicodeTable.shared
        func isWord(_ index: Int) -> Bool {
            let kind = table.kind(of: scalars[index])
            return kind.isAlphabetic || kind == .digit || kind == .hangul
        }
        var found: [Run] = []
        var singles = 0
        var at = 0
        while at < scalars.count {
            if isWord(at) {
                var end = at + 1
                while end < scalars.count {
                    if isWord(end) {
                        end += 1
                        continue
                    }
                    guard scalars[end] == apostrophe else { break }
                    // "don't" is one word, "l'eau" is two.
                    var tail = end + 1
                    while tail < scalars.count, tail - end <= 3, isWord(tail) { tail += 1 }
                    guard (2...3).contains(tail - end) else { break }
                    end = tail
                }
                let word = plain(scalars[at..<end].filter { $0 != apostrophe })
                let kind = table.kind(of: word[0])
                if word.count == 1, kind != .digit, kind != .hangul {
                    singles += 1
                } else {
                    joinSingles(&found, &singles)
                }
                found.append(Run(isUnspaced: false, scalars: Array(word.prefix(longestWord))))
                at = end
            } else if table.kind(of: scalars[at]).isCJK {
                joinSingles(&found, &singles)
                var end = at + 1
                while end < scalars.count, table.kind(of: scalars[end]).isCJK { end += 1 }
                found.append(Run(isUnspaced: true, scalars: Array(scalars[at..<end])))
                at = end
            } else {
                if scalars[at] == 0x21 || scalars[at] == 0x3F {
                    joinSingles(&found, &singles)
                    found.append(Run(isUnspaced: false, scalars: [scalars[at]]))
                }
                at += 1
            }
        }
        joinSingles(&found, &singles)
        return found
    }

    /// Replaces digits that represent letters.
    private static func plain(_ word: [UInt32]) -> [UInt32] {
        let table = UnicodeTable.shared
        let latin = word.count { table.kind(of: $0) == .latin }
        guard latin >= 2, word.contains(where: { table.kind(of: $0) == .digit }) else { return word }
        return word.map { scalar in
            switch scalar {
            case 0x30: 0x6F
            case 0x31: 0x69
            case 0x33: 0x65
            case 0x34: 0x61
            case 0x35: 0x73
            case 0x37: 0x74
            default: scalar
            }
        }
    }

    /// Joins spelled-out letters to one word.
    private static func joinSingles(_ found: inout [Run], _ count: inout Int) {
        if count >= 3 {
            let word = found.suffix(count).flatMap(\.scalars)
            found.removeLast(count)
            found.append(Run(isUnspaced: false, scalars: word))
        }
        count = 0
    }

    /// The vocabulary indices of the words; 0 for an unknown one.
    static func numbers(_ runs: [Run], in vocabulary: MeaningVocabulary) -> [Int32] {
        var result: [Int32] = []
        for run in runs { append(run, in: vocabulary, to: &result) }
        return result
    }

    /// Appends the whole word, or its longest known prefix and then the rest in the same way.
    private static func append(_ run: Run, in vocabulary: MeaningVocabulary, to result: inout [Int32]) {
        let word = run.scalars
        let isSyllabic = run.isUnspaced || UnicodeTable.shared.kind(of: word[0]) == .hangul
        let shortest = isSyllabic ? 1 : 3
        let longest = run.isUnspaced ? longestUnspacedPiece : longestPiece
        var at = 0
        while at < word.count, at == 0 || word.count - at >= shortest {
            let least = at == 0 && word.count < shortest ? 1 : shortest
            var key = MeaningVocabulary.emptyKey
            var best: (length: Int, number: Int32)?
            for length in 1...min(longest, word.count - at) {
                key = MeaningVocabulary.key(key, adding: word[at + length - 1])
                if length >= least, let number = vocabulary.number(of: key) { best = (length, number) }
            }
            if let best {
                result.append(best.number)
                at += best.length
            } else {
                result.append(0)
                guard run.isUnspaced else { return }
                at += 1
            }
        }
    }
}

/// The vocabulary, by word keys.
struct MeaningVocabulary: Sendable {
    /// Ascending; the word with index n has the key at n − 1.
    let keys: [UInt32]

    /// 32-bit FNV-1a, over scalars instead of bytes.
    static let emptyKey: UInt32 = 0x811C_9DC5
    static func key(_ key: UInt32, adding scalar: UInt32) -> UInt32 { (key ^ scalar) &* 0x0100_0193 }

    func number(of key: UInt32) -> Int32? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? Int32(low + 1) : nil
    }
}
