/// Which of a model's installed versions is the current one. A value; see `current(of:among:)` for the decision.
package struct VersionSelection: Codable, Sendable, Equatable {
    static let currentFormat = 1

    var format = Self.currentFormat
    /// Versions that were verified and compiled; the last one is used. Versions that were never compiled are not listed.
    package var activated: [String] = []
    /// The version that stays current, whatever is installed.
    package var pinned: String?
    /// The highest revision that was ever activated. An older one is a rollback, which has to be requested explicitly.
    package var newestRevision: ModelVersion?

    /// Nothing chosen.
    package init() {}

    /// The result of reading a selection.
    package enum Stored: Equatable {
        case missing
        case unreadable
        case value(VersionSelection)

        /// The value to start from when it is changed.
        var orEmpty: VersionSelection { if case .value(let value) = self { value } else { VersionSelection() } }
    }

    /// A version as far as the decision needs it.
    package struct Candidate: Equatable {
        var version: String
        /// Order of installation.
        var sequence: Int
        /// All its files are there.
        var isWhole: Bool

        package init(version: String, sequence: Int, isWhole: Bool) {
            self.version = version
            self.sequence = sequence
            self.isWhole = isWhole
        }
    }

    /// The version to use: the pinned one, else the one that was activated last; incomplete versions are skipped. If the selection
    /// cannot be read, the complete version that was installed last: it is verified, and will be compiled when it is used.
    package static func current(of stored: Stored, among candidates: [Candidate]) -> String? {
        let whole = candidates.filter(\.isWhole)
        switch stored {
        case .missing: return nil
        case .unreadable:
            return whole.max { ($0.sequence, $0.version) < ($1.sequence, $1.version) }?.version
        case .value(let selection):
            let names = Set(whole.map(\.version))
            if let pinned = selection.pinned, names.contains(pinned) { return pinned }
            return selection.activated.last(where: names.contains)
        }
    }

    /// Makes a version current, unless another one is pinned.
    /// - Parameter revision: remembered if it is the highest.
    mutating func activate(_ version: String, revision: ModelVersion?, installed: Set<String>) {
        activated.removeAll { $0 == version || !installed.contains($0) }
        activated.append(version)
        if let revision { newestRevision = max(newestRevision ?? revision, revision) }
    }

    /// The version that was current before this one and is still complete.
    static func previous(of stored: Stored, among candidates: [Candidate]) -> String? {
        guard case .value(let selection) = stored, let now = current(of: stored, among: candidates) else { return nil }
        let whole = Set(candidates.filter(\.isWhole).map(\.version))
        return selection.activated.last { $0 != now && whole.contains($0) }
    }

    /// Forgets a version.
    mutating func forget(_ version: String) {
        activated.removeAll { $0 == version }
        if pinned == version { pinned = nil }
    }
}
