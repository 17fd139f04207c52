#if os(iOS)
internal import Foundation
public import HearthRuntime
public import HearthSystem
internal import MetricKit
internal import Synchronization

/// Records MetricKit's daily reports in the startup log, alongside the program's own samples.
public enum StartupMetrics {
    private static let subscriber = Mutex<Subscriber?>(nil)

    /// Records past and future reports of MetricKit; calling it again replaces the profile.
    /// - Parameter profile: the profile of the model that the app starts (`try await store.runner.engine.profile()`).
    public static func record(in folders: HearthFolders, profile: RuntimeProfile) {
        guard let log = StartupLog(folders: folders) else { return }
        let new = Subscriber(log, profile)
        let old = subscriber.withLock { subscriber in
            defer { subscriber = new }
            return subscriber
        }
        if let old { MXMetricManager.shared.remove(old) }
        MXMetricManager.shared.add(new)
    }

    private final class Subscriber: NSObject, MXMetricManagerSubscriber, Sendable {
        private let log: StartupLog
        private let profile: RuntimeProfile

        init(_ log: StartupLog, _ profile: RuntimeProfile) {
            self.log = log
            self.profile = profile
        }

        func didReceive(_ payloads: [MXMetricPayload]) {
            let samples = payloads.compactMap { MetricReport(json: $0.jsonRepresentation())?.sample(profile) }
            guard !samples.isEmpty else { return }
            Task { [log] in for sample in samples { _ = await log.record(sample) } }
        }
    }
}
#endif
