/// Suggests the word that was probably meant.
package enum Nearest {
    /// The candidate with the smallest edit distance, if it is close enough to be a typing error.
    package static func match(for word: String, in candidates: [String]) -> String? {
        // Names have at most about thirty letters; this avoids a large table if a long text was pasted.
        guard !word.isEmpty, word.utf8.count <= 64 else { return nil }
        let ranked = candidates.map { (name: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        let begun = word.count < 3 ? [] : candidates.filter { $0.lowercased().hasPrefix(word.lowercased()) }
        // A beginning, such as 'temp', says more than two letters that are the same, as in 'help'.
        if best.distance > 1, !begun.isEmpty { return begun.contains(best.name) ? best.name : begun[0] }
        return best.distance <= max(1, min(word.count, best.name.count) / 3 + 1) ? best.name : nil
    }

    /// Optimal string alignment distance: insertions, deletions, replacements, and swaps of adjacent characters.
    package static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a), b = Array(b)
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var before = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1...b.count {
                let cost = a[i - 1] == b[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], before[j - 2] + 1) }
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
