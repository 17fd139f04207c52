internal import Foundation

/// A process that is not waited for.
package enum BackgroundProcess {
    /// Starts a program; nothing happens where that fails.
    /// - Parameter words: its path, and its arguments.
    package static func start(_ words: [String]) {
        #if os(Linux)
        _ = try? SpawnedProcess.start(words) { actions in
            for descriptor in 0...2 as ClosedRange<Int32> {
                posix_spawn_file_actions_addopen(
                    &actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        #endif
    }

    /// Gives way to everything else on this machine.
    package static func yieldToOthers() {
        #if os(Linux)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        #else
        _ = setpriority(PRIO_PROCESS, 0, 19)
        #endif
    }
}
