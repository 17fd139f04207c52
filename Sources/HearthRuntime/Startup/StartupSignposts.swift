#if os(iOS)
internal import HearthSystem
internal import MetricKit
internal import os

/// Intervals that MetricKit counts: the steps of preparing a model, and nothing else, as it keeps few.
enum StartupSignposts {
    private static let signposter = OSSignposter(
        logHandle: MXMetricManager.makeLogHandle(category: MetricReport.category))

    static func begin(_ name: StaticString) -> OSSignpostIntervalState {
        signposter.beginInterval(name, id: signposter.makeSignpostID())
    }

    static func end(_ name: StaticString, _ interval: OSSignpostIntervalState) {
        signposter.endInterval(name, interval)
    }
}
#endif
