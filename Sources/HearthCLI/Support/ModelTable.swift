import Foundation
import HearthDelivery
import HearthSystem

/// One row of `hearth models`.
struct ModelRow: Encodable {
    struct Artifact: Encodable {
        var digest: String
        var bytes: Int
    }

    var name: String
    var version: String
    var bytes: Int
    var artifacts: [Artifact]
    /// In ISO 8601 format.
    @ExplicitNull var lastUsed: String?
    var sha256: String?
    /// The engine that runs it: `text` or `coreml`.
    var engine: String
    var path: String
    var current: Bool
    var pinned: Bool
    /// `kept`, `purgeable`, or `folder` for a file that was put there manually.
    var storage: String
    var complete: Bool
    /// In seconds since 1970, for the table.
    var lastUse: Double?

    private enum CodingKeys: String, CodingKey {
        case name, version, bytes, artifacts, lastUsed, sha256, engine, path, current, pinned, storage, complete
    }
}

/// The rows as a text table. Pure.
struct ModelTable {
    var rows: [ModelRow]
    /// Seconds since 1970.
    var now: Double

    var text: String {
        var lines = [["NAME", "VERSION", "SIZE", "COMPILED", "LAST USED", ""]]
        for row in rows {
            var notes: [String] = []
            if row.current { notes.append("current") }
            if row.pinned { notes.append("pinned") }
            if row.storage == "purgeable" { notes.append("purgeable") }
            if !row.complete { notes.append("incomplete") }
            lines.append([
                row.name.withVisibleControls, row.version, ByteSize.text(row.bytes),
                row.artifacts.isEmpty ? "no" : "yes",
                Self.ago(row.lastUse, now: now), notes.joined(separator: ", "),
            ])
        }
        return TextTable(lines, rightAligned: [2]).text
    }

    /// `3 days ago`; "just now" also for a time in the future, which a clock that was set back leaves.
    static func ago(_ time: Double?, now: Double) -> String {
        guard let time else { return "never" }
        let seconds = now - time
        for (unit, length) in [
            ("year", 31_557_600.0), ("month", 2_629_800), ("week", 604_800), ("day", 86400), ("hour", 3600),
            ("minute", 60),
        ] where seconds >= length {
            let count = Int(seconds / length)
            return "\(count) \(unit)\(count == 1 ? "" : "s") ago"
        }
        return "just now"
    }
}
