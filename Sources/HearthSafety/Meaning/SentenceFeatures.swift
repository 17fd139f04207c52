/// Hashed features of a text: words, pairs of words, and character n-grams, each counted once.
///
/// `Training/safety/ngrams.py` is equivalent.
enum SentenceFeatures {
    static let buckets = 1 << 19

    private enum Kind {
        static let word: UInt32 = 1
        static let pair: UInt32 = 2
        static let letters: UInt32 = 3
        /// Added for text before the sentence.
        static let context: UInt32 = 16
    }

    private static let edge: UInt32 = 0x20

    private static func bucket(_ key: UInt32) -> Int {
        var value = key
        value ^= value >> 15
        value = value &* 0x2C1B_3C6D
        value ^= value >> 12
        return Int(value) & (buckets - 1)
    }

    static func numbers(_ runs: [SentenceWords.Run], isContext: Bool) -> Set<Int> {
        let shift = isContext ? Kind.context : 0
        var found: Set<Int> = []
        var before: [UInt32]?
        for run in runs {
            if run.isUnspaced {
                before = nil
            } else {
                found.insert(bucket(key(Kind.word + shift, run.scalars)))
                if let before { found.insert(bucket(key(Kind.pair + shift, before + [edge] + run.scalars))) }
                before = run.scalars
            }
            let letters = run.isUnspaced ? run.scalars : [edge] + run.scalars + [edge]
            let lengths = run.isUnspaced ? 1...4 : 2...5
            let start = MeaningVocabulary.key(MeaningVocabulary.emptyKey, adding: Kind.letters + shift)
            for first in letters.indices {
                var key = start
                for (offset, scalar) in letters[first...].prefix(lengths.upperBound).enumerated() {
                    key = MeaningVocabulary.key(key, adding: scalar)
                    if offset + 1 >= lengths.lowerBound { found.insert(bucket(key)) }
                }
            }
        }
        return found
    }

    private static func key(_ kind: UInt32, _ scalars: [UInt32]) -> UInt32 {
        scalars.reduce(MeaningVocabulary.key(MeaningVocabulary.emptyKey, adding: kind)) {
            MeaningVocabulary.key($0, adding: $1)
        }
    }
}
