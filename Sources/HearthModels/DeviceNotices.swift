package import HearthRuntime
internal import Synchronization

/// Why heat, memory or power make a model do less, in one line each; the same line is not repeated.
package final class DeviceNotices: Sendable {
    private let current = Mutex<String?>(nil)
    private let wording: @Sendable (String, InferenceBudget.Level) -> String?
    private let show: @Sendable (String) -> Void

    /// - Parameters:
    ///   - wording: puts a reason into words; nil for one that is not worth a line.
    ///   - show: shows a line.
    package init(
        wording: @escaping @Sendable (String, InferenceBudget.Level) -> String? = { reason, _ in reason },
        show: @escaping @Sendable (String) -> Void
    ) {
        (self.wording, self.show) = (wording, show)
    }

    /// Shows a reason that is new; nil means that the model may do everything again.
    package func tell(_ reason: String?, _ level: InferenceBudget.Level) {
        let notice = reason.flatMap { wording($0, level) }
        let isNew = current.withLock { current in
            defer { current = notice }
            return notice != nil && notice != current
        }
        if isNew, let notice { show(notice) }
    }
}
