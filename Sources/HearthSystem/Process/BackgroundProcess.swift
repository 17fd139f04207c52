internal import Foundation

/// A process that is not waited for.
package enum BackgroundProcess {
    package static func start(_ words: [String]) {
        #if os(Linux)
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        guard posix_spawnattr_init(&attributes) == 0 else { return }
        defer { posix_spawnattr_destroy(&attributes) }
        guard posix_spawn_file_actions_init(&actions) == 0 else { return }
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A group of its own: Ctrl-C in the terminal is not meant for it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        _ = posix_spawn(&process, words[0], &actions, &attributes, arguments, environ)
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
