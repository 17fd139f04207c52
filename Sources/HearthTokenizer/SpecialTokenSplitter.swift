internal import HearthSystem

/// The tokens that are recognised in text before it is merged.
package enum SpecialMatching: Sendable {
    /// User-defined tokens.
    case userDefined
    /// User-defined, control and unknown tokens: for templates.
    case all
    /// User-defined tokens except protocol markers (`<|tool_call>`, `<channel|>`, and turn markers, which some converters store
    /// as user-defined): for user text inside a template.
    case harmless
}

/// Splits text at special tokens.
///
/// Follows llama.cpp's rule: tokens in order of decreasing length (then by id) each claim all their leftmost, non-overlapping
/// occurrences in the text not claimed yet. Done literally, this costs tokens × text, and vocabularies have thousands of
/// special tokens. Here a trie finds the longest candidate at every position. Candidates compete only within a cluster of
/// overlapping ones, in the same order, and one that lost part of its range tries its next shorter text. The result is the
/// same.
struct SpecialTokenSplitter: Sendable {
    private static let markers = [
        "<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>", "<end_of_turn>", "<start_of_image>",
        "<end_of_image>",
    ]
    let userDefined: SpecialTokenTrie
    let all: SpecialTokenTrie
    let harmless: SpecialTokenTrie

    /// Uses tries built earlier.
    init(userDefined: SpecialTokenTrie, all: SpecialTokenTrie, harmless: SpecialTokenTrie) {
        self.userDefined = userDefined
        self.all = all
        self.harmless = harmless
    }

    init(pieces: ByteStringTable, kinds: [TokenKind]) {
        func protocolMarker(_ text: Slice<FlatArray<UInt8>>) -> Bool {
            text.starts(with: "<|".utf8) || (text.count > 2 && text.suffix(2).elementsEqual("|>".utf8))
                || Self.markers.contains { text.elementsEqual($0.utf8) }
        }
        var candidates: [TokenID] = []
        for index in kinds.indices {
            switch kinds[index] {
            case .userDefined, .control, .unknown: candidates.append(TokenID(index))
            case .normal, .unused, .byte: continue
            }
        }
        candidates.sort { a, b in
            let lengths = (pieces.range(Int(a)).count, pieces.range(Int(b)).count)
            return lengths.0 == lengths.1 ? a < b : lengths.0 > lengths.1
        }
        all = SpecialTokenTrie(candidates, pieces: pieces)
        let defined = candidates.filter { kinds[Int($0)] == .userDefined }
        userDefined = SpecialTokenTrie(defined, pieces: pieces)
        harmless = SpecialTokenTrie(
            defined.filter { !protocolMarker(pieces.bytes[pieces.range(Int($0))]) }, pieces: pieces)
    }

    /// Calls `body` for every part of the text in order, with its range and its token, or nil for ordinary text.
    func split(_ text: [UInt8], matching: SpecialMatching, _ body: (Range<Int>, TokenID?) -> Void) {
        let trie =
            switch matching {
            case .userDefined: userDefined
            case .all: all
            case .harmless: harmless
            }
        var cluster = Cluster()
        var plain = 0
        var position = 0
        while position < text.count {
            guard trie.begins(with: text[position]),
                let first = trie.longest(in: text, from: position, to: text.count)
            else {
                position += 1
                continue
            }
            cluster.begin(at: position)
            cluster.add(first, at: position)
            position += 1
            while position < cluster.end {
                if let next = trie.longest(in: text, from: position, to: text.count) {
                    cluster.add(next, at: position)
                }
                position += 1
            }
            cluster.resolve(text, trie)
            for place in cluster.chosen {
                if plain < place.range.lowerBound { body(plain..<place.range.lowerBound, nil) }
                body(place.range, trie.tokens[Int(place.rank)])
                plain = place.range.upperBound
            }
        }
        if plain < text.count { body(plain..<text.count, nil) }
    }
}

extension SpecialTokenSplitter {
    /// A group of candidates that overlap, directly or transitively.
    private struct Cluster {
        struct Place {
            let range: Range<Int>
            let rank: Int32
        }

        private var start = 0
        private(set) var end = 0
        private var queue = MinHeap<Candidate>()
        private var taken: [Bool] = []
        private(set) var chosen: [Place] = []

        /// Ordered by rank, then by position.
        struct Candidate: Comparable {
            let rank: Int32
            let start: Int
            let length: Int

            static func < (a: Candidate, b: Candidate) -> Bool {
                a.rank == b.rank ? a.start < b.start : a.rank < b.rank
            }
        }

        mutating func begin(at position: Int) {
            start = position
            end = position
            queue.removeAll()
            chosen.removeAll(keepingCapacity: true)
        }

        mutating func add(_ match: (rank: Int32, length: Int), at position: Int) {
            queue.append(Candidate(rank: match.rank, start: position, length: match.length))
            end = max(end, position + match.length)
        }

        mutating func resolve(_ text: [UInt8], _ trie: SpecialTokenTrie) {
            if queue.count == 1, let only = queue.popMin() {
                chosen.append(Place(range: only.start..<only.start + only.length, rank: only.rank))
                return
            }
            taken.removeAll(keepingCapacity: true)
            taken.append(contentsOf: repeatElement(false, count: end - start))
            queue.heapify()
            while let next = queue.popMin() {
                var room = 0
                while room < next.length, !taken[next.start + room - start] { room += 1 }
                if room == next.length {
                    for offset in 0..<room { taken[next.start + offset - start] = true }
                    chosen.append(Place(range: next.start..<next.start + room, rank: next.rank))
                } else if room > 0, let shorter = trie.longest(in: text, from: next.start, to: next.start + room) {
                    queue.push(Candidate(rank: shorter.rank, start: next.start, length: shorter.length))
                }
            }
            chosen.sort { $0.range.lowerBound < $1.range.lowerBound }
        }
    }
}
