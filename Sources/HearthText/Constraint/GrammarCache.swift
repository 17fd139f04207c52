internal import Foundation
package import HearthGrammar
internal import HearthSystem
internal import Synchronization

/// An LRU cache of compiled constraints, keyed by the digest of their source.
package final class GrammarCache: Sendable {
    package static let shared = GrammarCache()

    /// Maximum number of constraints, and maximum total size (`Grammar.size`); some tens of megabytes.
    package static let mostEntries = 32, mostSize = 500_000

    private struct Entry: Sendable {
        var digest: String
        var grammar: Grammar
    }
    /// Least recently used first.
    private let entries = Mutex<[Entry]>([])

    package init() {}

    /// Number of cached constraints.
    package var count: Int { entries.withLock { $0.count } }

    /// Returns the cached grammar for a source, or compiles it.
    /// - Throws: what `compile` throws, as `TextError`.
    package func grammar(
        _ source: some Encodable, _ compile: () throws(GrammarError) -> Grammar
    ) throws(TextError) -> Grammar {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let kind = Array("\(type(of: source)) ".utf8)
        let digest = (try? encoder.encode(source)).map { SHA256.digest(of: kind + Array($0)) }
        if let digest, let known = known(digest) { return known }
        let grammar: Grammar
        do { grammar = try compile() } catch { throw TextError(error) }
        if let digest { keep(Entry(digest: digest, grammar: grammar)) }
        return grammar
    }

    private func known(_ digest: String) -> Grammar? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.digest == digest }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.grammar
        }
    }

    private func keep(_ entry: Entry) {
        guard entry.grammar.size <= Self.mostSize else { return }
        entries.withLock { entries in
            entries.removeAll { $0.digest == entry.digest }
            entries.append(entry)
            while entries.count > Self.mostEntries || entries.reduce(0, { $0 + $1.grammar.size }) > Self.mostSize {
                entries.removeFirst()
            }
        }
    }
}
