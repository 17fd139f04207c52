package import Foundation
internal import HearthRuntime
internal import HearthSystem

/// When this user had sessions; what makes loading a model ahead of use worth its while.
package enum RecentUse {
    /// Notes that a session begins. Only a hint: where it cannot be written, nothing is said, and nobody waits for the disk.
    package static func record() {
        Task.detached { try await OwnThread.run(priority: .high) { _ in try file?.record() } }
    }

    /// Sessions within the window of the prewarm policy; nil where there is no place for a history.
    package static func sessions(now: Date = Date()) -> Int? {
        file?.read().sessions(within: PrewarmPolicy().sessionWindow, of: now)
    }

    private static var file: UsageFile? {
        HearthFolders(environment: ProcessInfo.processInfo.environment).map { UsageFile(folders: $0) }
    }
}
