internal import Foundation
internal import HearthSystem

/// What every part of one download needs to know.
struct DownloadContext: Sendable {
    var request: DownloadRequest
    var limits: DeliveryLimits
    var files: any FileOperations
    var environment: [String: String]
    var cancellation: Cancellation
    var report: @Sendable (DownloadProgress) -> Void

    /// Seconds of a steady clock.
    var now: Double { ProcessInfo.processInfo.systemUptime }
    /// Seconds since 1970.
    var date: Double { Date().timeIntervalSince1970 }

    /// Waits in steps, so that cancelling ends it.
    func pause(_ seconds: Double) throws {
        let end = now + seconds
        while true {
            try cancellation.check()
            let left = end - now
            if left <= 0 { return }
            Thread.sleep(forTimeInterval: min(left, 0.02))
        }
    }
}
