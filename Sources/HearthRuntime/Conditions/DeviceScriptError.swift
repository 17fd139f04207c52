internal import Foundation

/// Why a script of conditions cannot be understood. Each names the entry as it was written.
package enum DeviceScriptError: LocalizedError, Sendable, Equatable {
    /// There is no entry at all, or nothing between two commas.
    case empty(script: String)
    /// The script is too long.
    case tooLong(entries: Int)
    /// Not `key=value@time`.
    case malformed(entry: String)
    case unknownKey(entry: String, key: String)
    case unknownValue(entry: String, key: String, value: String, expected: String)
    case unknownTime(entry: String, time: String)

    /// What happened and what to do.
    package var errorDescription: String? {
        [failureReason, recoverySuggestion].compactMap(\.self).joined(separator: ". ")
    }

    /// What happened, without a full stop.
    package var failureReason: String? {
        switch self {
        case .empty(let script): "the script '\(script)' has an empty entry"
        case .tooLong(let entries): "the script has \(entries) entries"
        case .malformed(let entry): "'\(entry)' is not an entry of a script"
        case .unknownKey(let entry, let key): "unknown key '\(key)' in '\(entry)'"
        case .unknownValue(let entry, let key, let value, _): "'\(value)' is not a value of '\(key)' in '\(entry)'"
        case .unknownTime(let entry, let time): "'\(time)' is not a time in '\(entry)'"
        }
    }

    /// What to do.
    package var recoverySuggestion: String? {
        switch self {
        case .empty, .malformed:
            "Write entries as key=value@time, such as thermal=serious@5s, with commas between them."
        case .tooLong: "Pass at most \(DeviceScript.mostEntries)."
        case .unknownKey: "Use one of: \(candidates.joined(separator: ", "))."
        case .unknownValue(_, _, _, let expected): "Use \(expected)."
        case .unknownTime: "Write a number with ms, s or m, such as 5s."
        }
    }

    /// The unknown word, for a suggestion of the nearest of `candidates`.
    package var word: String? {
        switch self {
        case .unknownKey(_, let key): key
        case .unknownValue(_, _, let value, _): value
        default: nil
        }
    }

    /// The words that are accepted instead; empty if they cannot be listed.
    package var candidates: [String] {
        switch self {
        case .unknownKey: DeviceScript.Key.allCases.map(\.rawValue)
        case .unknownValue(_, let key, _, _): DeviceScript.Key(rawValue: key)?.words ?? []
        default: []
        }
    }
}
