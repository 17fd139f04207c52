package import HearthRuntime
internal import Synchronization

/// Shows why heat, memory or power slow a model down, in one line each, without repeating a line.
package final class DeviceNotices: Sendable {
    private let current = Mutex<String?>(nil)
    private let wording: @Sendable (String, InferenceBudget.Level) -> String?
    private let show: @Sendable (String) -> Void

    /// - Parameters:
    ///   - wording: the text for a reason; nil if it is not worth a line.
    ///   - show: shows a line.
    package init(
        wording: @escaping @Sendable (String, InferenceBudget.Level) -> String? = { reason, _ in reason },
        show: @escaping @Sendable (String) -> Void
    ) {
        (self.wording, self.show) = (wording, show)
    }

    /// Shows a reason if it is new; nil means that there are no restrictions any more.
    package func tell(_ reason: String?, _ level: InferenceBudget.Level) {
        let notice = reason.flatMap { wording($0, level) }
        let isNew = current.withLock { current in
            defer { current = notice }
            return notice != nil && notice != current
        }
        if isNew, let notice { show(notice) }
    }
}
