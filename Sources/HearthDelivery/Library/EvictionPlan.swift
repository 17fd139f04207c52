/// Which installed versions to remove to get below a budget of bytes. Pure.
///
/// First versions that another version of the same model has replaced, then purgeable models, then kept ones; within each group
/// the least recently used first. Leased and pinned versions stay.
package struct EvictionPlan: Equatable {
    /// An installed version as far as the decision needs it.
    package struct Candidate: Equatable {
        package var name: String
        var version: String
        var storage: StorageClass
        /// Digests and sizes of its files; several versions may share some.
        var blobs: [String: Int]
        /// Bytes of its compiled artifacts.
        var artifactBytes = 0
        /// Order of last use.
        var sequence: Int
        var isCurrent = true
        var isPinned = false
        var isLeased = false

        package init(
            name: String, version: String, storage: StorageClass, blobs: [String: Int], artifactBytes: Int = 0,
            sequence: Int, isCurrent: Bool = true, isPinned: Bool = false, isLeased: Bool = false
        ) {
            self.name = name
            self.version = version
            self.storage = storage
            self.blobs = blobs
            self.artifactBytes = artifactBytes
            self.sequence = sequence
            self.isCurrent = isCurrent
            self.isPinned = isPinned
            self.isLeased = isLeased
        }
    }

    /// Indices of those to remove, in order.
    package var evicted: [Int] = []
    /// Bytes that will be left.
    package var remaining: Int

    package init(_ candidates: [Candidate], budget: Int) {
        var left = Set(candidates.indices)
        remaining = Self.bytes(candidates)
        let order = candidates.indices.filter { !candidates[$0].isLeased && !candidates[$0].isPinned }.sorted {
            Self.rank(candidates[$0]) < Self.rank(candidates[$1])
        }
        for index in order where remaining > budget {
            left.remove(index)
            evicted.append(index)
            remaining = Self.bytes(left.map { candidates[$0] })
        }
    }

    /// Bytes on the disk: shared files count once within their storage class.
    static func bytes(_ candidates: some Sequence<Candidate>) -> Int {
        var blobs: [StorageClass: [String: Int]] = [:]
        var artifacts: [String: Int] = [:]
        for candidate in candidates {
            blobs[candidate.storage, default: [:]].merge(candidate.blobs) { max($0, $1) }
            let content = candidate.blobs.keys.sorted().joined()
            artifacts[content] = max(artifacts[content] ?? 0, candidate.artifactBytes)
        }
        return blobs.values.reduce(0) { $0 + $1.values.reduce(0, +) } + artifacts.values.reduce(0, +)
    }

    private static func rank(_ candidate: Candidate) -> (Int, Int, String, String) {
        let group = !candidate.isCurrent ? 0 : candidate.storage == .purgeable ? 1 : 2
        return (group, candidate.sequence, candidate.name, candidate.version)
    }
}
