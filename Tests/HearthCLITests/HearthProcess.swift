import Foundation

/// Runs the built program as a user would: words in, bytes and a status out.
struct HearthProcess {
    struct Outcome {
        var status: Int32
        /// Set where the process was ended by a signal, which must never happen.
        var signal: Int32?
        var output: String
        var error: String
        var seconds: Double
        /// Whether a signal ended it at once. On a quiet machine that takes less than 200 ms; only a program that waits for its work
        /// takes longer than this bound.
        var isPrompt: Bool { seconds < 60 }

        /// The one JSON object of standard output.
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] ?? [:]
        }
        /// One JSON object a line.
        var jsonLines: [[String: Any]] {
            output.split(separator: "\n").map {
                (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any] ?? [:]
            }
        }
    }

    /// The program is beside the test bundle.
    static let executable: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        #if os(Linux)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = length > 0 ? String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        #else
        let folder =
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            .deletingLastPathComponent() ?? URL(fileURLWithPath: ".")
        #endif
        return folder.appendingPathComponent("hearth").path
    }()

    /// Whether the system tells which files a process has open.
    static let showsOpenFiles = FileManager.default.fileExists(atPath: "/proc/self/fd")

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func fixture(_ name: String) -> String { "\(root)/Tests/Fixtures/gemma/\(name)" }

    /// A new folder under the system's temporary one, removed by the caller's `defer`.
    static func temporaryFolder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-cli-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// A program that runs.
    final class Running {
        let id: pid_t
        private let folder: String
        private let begin = ContinuousClock.now

        fileprivate init(id: pid_t, folder: String) {
            self.id = id
            self.folder = folder
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Waits for its end, which may be asked for once.
        /// - Parameter start: from when on seconds are counted; nil for the program's start.
        func wait(since start: ContinuousClock.Instant? = nil) -> Outcome {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let duration = (ContinuousClock.now - (start ?? begin)).components
            let text = { [folder] (name: String) in
                String(
                    decoding: (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))) ?? Data(),
                    as: UTF8.self)
            }
            return Outcome(
                status: status >> 8 & 0xFF, signal: status & 0x7F == 0 ? nil : status & 0x7F, output: text("out"),
                error: text("err"), seconds: Double(duration.seconds) + Double(duration.attoseconds) / 1e18)
        }

        /// Sends a signal, and waits for the end; seconds are those in between.
        func end(by signal: Int32) -> Outcome {
            let begin = ContinuousClock.now
            kill(id, signal)
            return wait(since: begin)
        }

        /// What it has said on standard error so far.
        var error: String {
            String(
                decoding: (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/err"))) ?? Data(), as: UTF8.self)
        }

        /// What it has written to standard output so far.
        var output: String {
            String(
                decoding: (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/out"))) ?? Data(), as: UTF8.self)
        }

        /// Whether it has ended; `wait` tells how.
        var hasEnded: Bool {
            var info = siginfo_t()
            return waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo != 0
        }

        /// Whether SIGSTOP has taken effect: at once where the system does not tell.
        var isStopped: Bool {
            guard let state = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return true }
            return state.contains(") T")
        }

        /// Whether it has a handler for a signal; after some time where the system does not tell.
        func handles(_ signal: Int32) -> Bool {
            guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else {
                usleep(400_000)
                return true
            }
            let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
            let caught = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
            return caught & 1 << (UInt64(signal) - 1) != 0
        }

        /// The paths of its open files.
        var openFiles: [String] {
            let folder = "/proc/\(id)/fd"
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
        }
    }

    /// - Parameters:
    ///   - signal: sent `after` seconds, counted from when the program handles it.
    ///   - output: a path instead of a temporary file, such as /dev/full.
    static func run(
        _ words: [String], input: String = "", environment: [String: String] = [:], signal: Int32? = nil,
        after seconds: Double = 0, output: String? = nil
    ) throws -> Outcome {
        let running = try start(words, input: input, environment: environment, output: output)
        guard let signal else { return running.wait() }
        if signal != SIGKILL { _ = wait { running.handles(signal) || running.hasEnded } }
        usleep(UInt32(seconds * 1e6))
        return running.end(by: signal)
    }

    /// Runs a program, and ends it by a signal once it is where the test wants it.
    static func run(
        _ words: [String], environment: [String: String] = [:], signal: Int32, when isThere: (Running) -> Bool
    ) throws -> Outcome {
        let running = try start(words, environment: environment)
        guard wait(until: { running.hasEnded || running.handles(signal) && isThere(running) }) else {
            _ = running.end(by: SIGKILL)
            throw POSIXError(.ETIMEDOUT)
        }
        return running.end(by: signal)
    }

    /// Whether a download has arrived in part, and is noted as such.
    static func hasPart(of home: String) -> Bool {
        let partial = home + "/Models/partial"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: partial)) ?? []
        return names.filter { $0.hasSuffix(".journal") }.contains {
            (try? String(contentsOfFile: "\(partial)/\($0)", encoding: .utf8))?.contains("\nw ") == true
        }
    }

    static func start(
        _ words: [String], input: String = "", environment: [String: String] = [:], output: String? = nil
    ) throws -> Running {
        let folder = try temporaryFolder()
        try Data(input.utf8).write(to: URL(fileURLWithPath: "\(folder)/in"))

        // Files, not pipes: nobody has to read while the process writes.
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "\(folder)/in", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output ?? "\(folder)/out", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "\(folder)/err", O_WRONLY | O_CREAT | O_TRUNC, 0o600)

        var variables = ProcessInfo.processInfo.environment
        variables["HEARTH_HOME"] = folder
        variables.merge(environment) { $1 }
        let arguments = ([executable] + words).map { strdup($0) } + [nil]
        let strings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + strings).forEach { free($0) } }

        // As from a shell: this process may have been started by 'nohup', and its threads may block signals.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGHUP, SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var process = pid_t()
        let error = posix_spawn(&process, executable, &actions, &attributes, arguments, strings)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
        return Running(id: process, folder: folder)
    }

    /// Waits until something is so, for as long as a busy machine may take.
    static func wait(seconds: Double = 600, until condition: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if try condition() { return true }
            usleep(5000)
        }
        return try condition()
    }
}
