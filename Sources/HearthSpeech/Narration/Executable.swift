internal import Foundation
internal import HearthSystem

/// Finds and runs external programs.
enum Executable {
    /// The folders to search for programs.
    static var searchPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }

    /// The path of the first of `names` that is found in a folder of `searchPath`; the order of names takes precedence over
    /// folders.
    static func find(_ names: [String], in searchPath: String) -> String? {
        for name in names {
            for folder in searchPath.split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 {
                return "\(folder)/\(name)"
            }
        }
        return nil
    }

    /// Starts a program.
    /// - Throws: `SpeechError.programFailed`.
    static func start(
        _ path: String, _ arguments: [String], input: ChildProcess.Input
    ) throws(SpeechError) -> ChildProcess {
        do {
            return try ChildProcess(path, arguments, input: input)
        } catch {
            throw .programFailed(name(path), status: -1, message: error.localizedDescription)
        }
    }

    /// Waits for a started program and returns its output; kills it if the task is cancelled.
    /// - Parameter input: written to the standard input of a program started with `.later`.
    /// - Throws: `SpeechError`, `CancellationError`.
    static func finish(_ process: ChildProcess, _ path: String, input: [UInt8] = []) async throws -> [UInt8] {
        let outcome = try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await OwnThread.run(priority: .userInitiated) { _ in process.exchange(input) }
        } onCancel: {
            process.kill()
        }
        try Task.checkCancellation()
        guard !process.wasKilled else { throw CancellationError() }
        guard outcome.status == 0 else {
            let line = String(decoding: outcome.message.prefix(200), as: UTF8.self).split(separator: "\n").first
            throw SpeechError.programFailed(
                name(path), status: outcome.status, message: line.map(String.init) ?? "")
        }
        return outcome.output
    }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
