package import Foundation
import HearthRuntime

/// Formatting of figures in reports: three digits, a unit, dates in UTC.
package enum Figures {
    /// `0.50 ms`, `12.5 ms`, `412 ms`, `1.24 s`.
    package static func milliseconds(_ value: Double) -> String {
        value >= 999.5 ? "\(digits(value / 1000)) s" : "\(digits(value)) ms"
    }

    /// A value in the unit of its metric.
    static func value(_ value: Double, of metric: StartupRegression.Metric) -> String {
        metric == .dirtyBytes ? bytes(value) : milliseconds(value)
    }

    package static func bytes(_ value: Double) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var value = max(0, value)
        var unit = 0
        while value >= 999.5, unit + 1 < units.count {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(Int(value)) B" : "\(digits(value)) \(units[unit])"
    }

    /// `+59 %`.
    package static func change(from before: Double, to after: Double) -> String {
        guard before > 0 else { return "from nothing" }
        let percent = (after / before - 1) * 100
        return percent >= 1000 ? "×\(digits(after / before))" : String(format: "%+.0f %%", percent)
    }

    /// Three significant digits from 1 on, two decimals below.
    package static func digits(_ value: Double) -> String {
        String(format: value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value)
    }

    /// `p = 0.004`.
    package static func probability(_ value: Double) -> String {
        value < 0.0005 ? "p < 0.001" : String(format: "p = %.3f", value)
    }

    /// `2026-11-21 05:00`.
    package static func date(_ date: Date) -> String {
        text(date, "yyyy-MM-dd HH:mm")
    }

    /// `2026-11-21T05:00:00Z`.
    static func timestamp(_ date: Date) -> String {
        text(date, "yyyy-MM-dd'T'HH:mm:ss'Z'")
    }

    static func day(_ date: Date) -> String {
        text(date, "d MMM")
    }

    /// Text for a terminal, with control characters made visible.
    package static func plain(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func text(_ date: Date, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = format
        return formatter.string(from: date)
    }
}

extension StartupSample.Kind {
    /// The kind in words.
    var title: String {
        switch self {
        case .coldCompile: "cold, nothing compiled"
        case .coldDisk: "cold, compiled"
        case .warm: "warm"
        }
    }
}

extension StartupRegression.Metric {
    /// The metric in words.
    var title: String {
        switch self {
        case .startMS: "time to ready"
        case .steadyMS: "steady state"
        case .dirtyBytes: "dirty memory"
        }
    }
}

extension RuntimeProfile {
    /// A prefix of the digest, long enough to distinguish profiles.
    var shortDigest: String { String(digest.prefix(8)) }

    /// The fields that distinguish profiles for a reader, in one line.
    var summary: String {
        [
            quantization, contextLength > 0 ? "context \(contextLength)" : "", computeUnits, kernelSet,
            "runtime \(runtimeVersion)", osBuild,
        ].filter { !$0.isEmpty }.joined(separator: " · ")
    }
}
