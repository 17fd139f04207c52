internal import CHearthSystem

/// The version of Hearth. The only place that has it: releases read it here too (Packaging/lib.sh).
package enum HearthVersion {
    /// By semantic versioning.
    package static let number = "0.1.0"

    /// The commit that the program was built from, with `-modified` if a file differed from it; nil if the build did not
    /// say, as with a plain `swift build`.
    package static var commit: String? {
        let text = String(cString: hearth_commit())
        return text.isEmpty ? nil : text
    }

    /// Version and commit, as `hearth --version` prints them.
    package static var description: String { describe(number, commit: commit) }

    /// `0.1.0`, `0.1.0 (commit 8c1f…)` or `0.1.0 (commit 8c1f…, modified)`. Pure.
    package static func describe(_ number: String, commit: String?) -> String {
        guard let commit else { return number }
        let words = commit.split(separator: "-", maxSplits: 1)
        return "\(number) (commit \(words.joined(separator: ", ")))"
    }
}
