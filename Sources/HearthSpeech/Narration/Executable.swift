internal import Foundation
internal import HearthSystem

/// Runs external programs.
enum Executable {
    /// Programs name the problem in their first line, except for those in Python, which print the calls that led to it before.
    enum TellingLine { case first, last }

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
    /// - Parameters:
    ///   - input: written to the standard input of a program started with `.later`.
    ///   - telling: the line of a failing program's messages that says why.
    /// - Throws: `SpeechError`, `CancellationError`.
    static func finish(
        _ process: ChildProcess, _ path: String, input: [UInt8] = [], telling: TellingLine = .first
    ) async throws -> [UInt8] {
        let outcome = try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await OwnThread.run(priority: .userInitiated) { _ in process.exchange(input) }
        } onCancel: {
            process.kill()
        }
        try Task.checkCancellation()
        guard !process.wasKilled else { throw CancellationError() }
        guard outcome.status == 0 else {
            let lines = String(decoding: outcome.message, as: UTF8.self).split(separator: "\n")
            let line = (telling == .first ? lines.first : lines.last).map { String($0.prefix(200)) }
            throw SpeechError.programFailed(name(path), status: outcome.status, message: line ?? "")
        }
        return outcome.output
    }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
