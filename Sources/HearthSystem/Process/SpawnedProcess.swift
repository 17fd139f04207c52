internal import Foundation

/// A process in a group of its own, which takes signals as one that a shell has started.
enum SpawnedProcess {
    #if os(Linux)
    typealias Actions = posix_spawn_file_actions_t
    #else
    typealias Actions = posix_spawn_file_actions_t?
    #endif

    /// Starts a program.
    /// - Parameters:
    ///   - words: its path, and its arguments.
    ///   - environment: nil for that of this process.
    ///   - files: what becomes of open files.
    /// - Throws: `POSIXError`.
    static func start(
        _ words: [String], _ environment: [String: String]? = nil, files: (inout Actions) -> Void
    ) throws -> pid_t {
        #if os(Linux)
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        #else
        var attributes: posix_spawnattr_t?
        var actions: posix_spawn_file_actions_t?
        #endif
        guard posix_spawnattr_init(&attributes) == 0 else { throw POSIXError(.ENOMEM) }
        defer { posix_spawnattr_destroy(&attributes) }
        guard posix_spawn_file_actions_init(&actions) == 0 else { throw POSIXError(.ENOMEM) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A program that ignores closed pipes would pass that on to its children.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Neither do threads of Dispatch, which block most signals, pass that on: a child could not be told to end.
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // Ctrl-C in the terminal is not meant for it.
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        files(&actions)
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { $0.map { strdup("\($0.key)=\($0.value)") } + [nil] }
        defer { (arguments + (variables ?? [])).forEach { free($0) } }
        var process: pid_t = 0
        let error =
            if let variables {
                posix_spawn(&process, words[0], &actions, &attributes, arguments, variables)
            } else {
                posix_spawn(&process, words[0], &actions, &attributes, arguments, ownEnvironment)
            }
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
        return process
    }

    private static var ownEnvironment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        #if canImport(Darwin)
        _NSGetEnviron().pointee
        #else
        environ
        #endif
    }
}
