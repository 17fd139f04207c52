internal import Foundation
internal import HearthSystem

/// Finds and runs other programs.
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

    /// Lets a started program do its work and returns what it wrote; kills it when the task is cancelled.
    /// - Parameter input: for a program that waits for it.
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
