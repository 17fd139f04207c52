package import Foundation
internal import HearthRuntime
internal import HearthSystem

/// The user's recent sessions, which decide whether loading a model ahead of use is worthwhile.
package enum RecentUse {
    /// Records the start of a session. Only a hint: write errors are ignored, and the call does not wait for the disk.
    package static func record() {
        Task.detached { try await OwnThread.run(priority: .high) { _ in try file?.record() } }
    }

    /// Number of sessions within the prewarm policy's window; nil if there is no folder for the history.
    package static func sessions(now: Date = Date()) -> Int? {
        file?.read().sessions(within: PrewarmPolicy().sessionWindow, of: now)
    }

    private static var file: UsageFile? {
        HearthFolders(environment: ProcessInfo.processInfo.environment).map { UsageFile(folders: $0) }
    }
}
