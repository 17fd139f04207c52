internal import Foundation

/// A process whose end nobody waits for.
package enum BackgroundProcess {
    /// Starts a program; nothing happens where that fails.
    /// - Parameter words: its path, and its arguments.
    package static func start(_ words: [String]) {
        #if os(Linux)
        let process = try? SpawnedProcess.start(words) { actions in
            for descriptor in 0...2 as ClosedRange<Int32> {
                posix_spawn_file_actions_addopen(
                    &actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        guard let process else { return }
        // A child that has ended stays in the system's table until it is asked for.
        let reaper = Thread { while waitpid(process, nil, 0) < 0, errno == EINTR {} }
        reaper.stackSize = 1 << 16
        reaper.start()
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
