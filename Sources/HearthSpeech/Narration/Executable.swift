internal import Foundation
internal import Synchronization

/// Runs other programs.
enum Executable {
    /// Folders in which programs are looked for.
    static var searchPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }

    /// The first of `names` that is in one of the folders of `searchPath`, folders first.
    static func find(_ names: [String], in searchPath: String) -> String? {
        for name in names {
            for folder in searchPath.split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 {
                return "\(folder)/\(name)"
            }
        }
        return nil
    }

    /// A file without a name that holds `bytes`: unlike a pipe it takes any length, and no reader that goes away raises a signal.
    private static func unlinkedFile(_ bytes: [UInt8]) throws -> FileHandle {
        var template = Array("\(NSTemporaryDirectory())/hearth-speech-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw SpeechError.unwritable(path: NSTemporaryDirectory(), reason: String(cString: strerror(errno)))
        }
        template.withUnsafeBufferPointer { _ = $0.baseAddress.map { unlink($0) } }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(bytes))
        try file.seek(toOffset: 0)
        return file
    }

    /// Runs a program on `input` and returns what it wrote; kills it when the task is cancelled.
    /// - Throws: `SpeechError`, `CancellationError`.
    static func run(_ path: String, _ arguments: [String], input: [UInt8]) async throws -> [UInt8] {
        try Task.checkCancellation()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let (stdout, stderr) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (stdout, stderr)
        process.standardInput = try unlinkedFile(input)
        let running = RunningProcess(process)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async {
                    continuation.resume(with: Result { try running.output(path, stdout, stderr) })
                }
            }
        } onCancel: {
            running.kill()
        }
    }
}

/// A process that may be killed from another thread than the one that waits for it.
private final class RunningProcess: Sendable {
    private enum State { case waiting, running(pid_t), ended, killed }
    private let state = Mutex(State.waiting)
    private let process: Process

    init(_ process: Process) { self.process = process }

    func kill() {
        state.withLock { state in
            if case .running(let pid) = state { _ = Foundation.kill(pid, SIGKILL) }
            if case .ended = state { return }
            state = .killed
        }
    }

    func output(_ path: String, _ stdout: Pipe, _ stderr: Pipe) throws -> [UInt8] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try state.withLock { state in
            if case .killed = state { throw CancellationError() }
            do {
                try process.run()
            } catch {
                throw SpeechError.programFailed(name, status: -1, message: error.localizedDescription)
            }
            state = .running(process.processIdentifier)
        }
        let output = (try? stdout.fileHandleForReading.readToEnd()) ?? nil
        let message = (try? stderr.fileHandleForReading.readToEnd()) ?? nil
        process.waitUntilExit()
        let wasKilled = state.withLock { state in
            if case .killed = state { return true }
            state = .ended
            return false
        }
        if wasKilled { throw CancellationError() }
        guard process.terminationStatus == 0 else {
            let line = String(decoding: (message ?? Data()).prefix(200), as: UTF8.self)
                .split(separator: "\n").first.map(String.init)
            throw SpeechError.programFailed(name, status: process.terminationStatus, message: line ?? "")
        }
        return Array(output ?? Data())
    }
}
