package import Foundation

/// A day of a program's starts as MetricKit reports it (`MXMetricPayload.jsonRepresentation()`), read without the framework.
///
/// Starts come as histograms of the signposts `compile`, `load` and `first inference` (``StartupSignposts``), so a report
/// gives one sample: the typical start of its day.
package struct MetricReport: Sendable, Equatable {
    /// How long an interval took, in milliseconds, and how often.
    package struct Histogram: Sendable, Equatable {
        package struct Bucket: Sendable, Equatable {
            var start: Double
            var end: Double
            var count: Int
        }
        package var buckets: [Bucket]

        /// The middle of the bucket that holds the median; nil without any interval.
        package var median: Double? {
            let total = buckets.reduce(0) { $0 + $1.count }
            var seen = 0
            for bucket in buckets.sorted(by: { $0.start < $1.start }) {
                seen += bucket.count
                if 2 * seen >= total, total > 0 { return (bucket.start + bucket.end) / 2 }
            }
            return nil
        }

        /// The number of intervals.
        package var count: Int { buckets.reduce(0) { $0 + $1.count } }
    }

    /// By the signposts' names.
    package var intervals: [String: Histogram] = [:]
    /// From the program's start to its first frame.
    package var firstDraw: Histogram?
    /// Bytes.
    package var peakMemory: Int?
    /// Such as `iPhone17,1`.
    package var device: String
    /// Such as `iPhone OS 18.1 (22B83)`.
    package var osVersion: String
    /// The app's.
    package var appVersion: String
    /// When the day ended.
    package var end: Date

    /// The category of signposts that are read.
    package static let category = "hearth"

    /// - Returns: nil if it is not a report. Missing and invalid parts are left out.
    package init?(json: Data) {
        guard json.count <= 8 << 20, let report = try? JSONDecoder().decode(Report.self, from: json) else { return nil }
        device = report.metaData?.deviceType ?? "unknown"
        osVersion = report.metaData?.osVersion ?? "unknown"
        appVersion = report.appVersion ?? "unknown"
        guard let end = report.timeStampEnd.flatMap(Self.date) else { return nil }
        self.end = end
        peakMemory = report.memoryMetrics?.peakMemoryUsage.flatMap { Self.quantity($0, Self.bytes) }
            .flatMap { Int(exactly: $0.rounded(.down)) }
        firstDraw = report.applicationLaunchMetrics?.histogrammedTimeToFirstDrawKey.map(Self.histogram)
        for metric in report.signpostMetrics ?? [] where metric.signpostCategory == Self.category {
            guard let name = metric.signpostName, let data = metric.signpostIntervalData?.histogrammedSignpostDurations
            else { continue }
            intervals[name] = Self.histogram(data)
        }
    }

    /// The typical start of the day; nil if no start was reported whole.
    /// - Parameter profile: what was started.
    package func sample(_ profile: RuntimeProfile) -> StartupSample? {
        guard let load = intervals["load"]?.median, let first = intervals["first inference"]?.median else { return nil }
        let times = PreparationTimes(
            reused: true, compileMS: intervals["compile"]?.median ?? 0, loadMS: load, firstInferenceMS: first)
        return StartupSample(
            kind: .warm, times: times, peakResidentBytes: peakMemory ?? 0, dirtyBytes: peakMemory ?? 0, device: device,
            osVersion: osVersion, profile: profile, time: end, processVersion: appVersion)
    }

    // MARK: - Reading

    private static let milliseconds: [String: Double] = ["ms": 1, "s": 1000, "sec": 1000, "min": 60_000]
    private static let bytes: [String: Double] = [
        "bytes": 1, "B": 1, "kB": 1000, "KB": 1000, "MB": 1e6, "GB": 1e9,
    ]

    /// Parses `1,000 ms`, with any region's thousands separator.
    private static func quantity(_ text: String, _ units: [String: Double]) -> Double? {
        let words = text.split { $0 == " " || $0 == "\u{A0}" || $0 == "\u{202F}" }.map(String.init)
        guard words.count >= 2, let unit = words.last.flatMap({ units[$0] }) else { return nil }
        let digits = words.dropLast().joined().filter { $0 != "," && $0 != "'" && $0 != "’" }
        guard let number = Double(digits), number.isFinite, number >= 0, number < 1e15 else { return nil }
        return number * unit
    }

    private static func histogram(_ report: Report.Histogram) -> Histogram {
        let buckets = (report.histogramValue ?? [:]).values.compactMap { bucket -> Histogram.Bucket? in
            guard let start = bucket.bucketStart.flatMap({ quantity($0, milliseconds) }),
                let end = bucket.bucketEnd.flatMap({ quantity($0, milliseconds) }), end >= start,
                let count = bucket.bucketCount, count > 0, count < 1 << 32
            else { return nil }
            return Histogram.Bucket(start: start, end: end, count: count)
        }
        return Histogram(buckets: buckets.sorted { $0.start < $1.start })
    }

    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
        return format.date(from: text)
    }

    /// The part of the report that is read.
    private struct Report: Decodable {
        struct MetaData: Decodable {
            var deviceType: String?
            var osVersion: String?
        }
        struct Memory: Decodable {
            var peakMemoryUsage: String?
        }
        struct Launch: Decodable {
            var histogrammedTimeToFirstDrawKey: Histogram?
        }
        struct Signpost: Decodable {
            struct Interval: Decodable {
                var histogrammedSignpostDurations: Histogram?
            }
            var signpostCategory: String?
            var signpostName: String?
            var signpostIntervalData: Interval?
        }
        struct Histogram: Decodable {
            struct Bucket: Decodable {
                var bucketCount: Int?
                var bucketStart: String?
                var bucketEnd: String?
            }
            var histogramValue: [String: Bucket]?
        }
        var metaData: MetaData?
        var appVersion: String?
        var timeStampEnd: String?
        var memoryMetrics: Memory?
        var applicationLaunchMetrics: Launch?
        var signpostMetrics: [Signpost]?
    }
}
