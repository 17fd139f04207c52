import Foundation
import HearthCoreML
import HearthRuntime
import HearthSystem
import HearthText
import HearthTokenizer

/// Measures one start in a separate process: this program with a hidden command and its own home folder.
struct StartupProbe {
    /// Arguments of `hearth startup sample`.
    var words: [String]
    /// HEARTH_HOME of the process.
    let home: String

    /// Number of tokens for measuring the steady state.
    static let steadyTokens = 32

    /// Runs one start.
    /// - Throws: `CommandFailure` with the process's own error message.
    func run() async throws -> StartupMeasurement {
        let process = try ChildProcess(
            Self.program, ["startup", "sample"] + words, input: .file([]),
            environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"])
        let outcome = try await OwnThread.run(priority: .userInitiated) { _ in process.exchange() }
        guard outcome.status == 0 else { throw Self.failure(outcome) }
        return try JSONDecoder().decode(StartupMeasurement.self, from: Data(outcome.output))
    }

    private static var program: String {
        #if os(Linux)
        "/proc/self/exe"
        #else
        Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }

    static func unwritable(_ path: String) -> CommandFailure {
        CommandFailure(
            .failure, "cannot write measurement files: \(String(cString: strerror(errno)))", at: path,
            todo: "Set HEARTH_HOME or TMPDIR to a folder with free space.")
    }

    private static func failure(_ outcome: ChildProcess.Outcome) -> CommandFailure {
        let prefix = "hearth: error: "
        let line = String(decoding: outcome.message, as: UTF8.self).split(separator: "\n").last {
            $0.hasPrefix(prefix)
        }
        guard let line, let status = ExitStatus(rawValue: outcome.status) else {
            return CommandFailure(
                .failure, "a measured start failed", at: "status \(outcome.status)",
                todo: "Try 'hearth compile' with this model to see why.")
        }
        return CommandFailure(status, passedOn: String(line.dropFirst(prefix.count)))
    }

    // MARK: - In the measured process

    /// Number of inferences for measuring the steady state of a Core ML model.
    static let steadyInferences = 10

    /// Median time of an inference in steady state, in milliseconds.
    static func steadyMS(_ session: CoreMLSession) async throws -> Double? {
        let times = try await session.latencies { $0 < steadyInferences }.sorted()
        return times.isEmpty ? nil : times[times.count / 2]
    }

    /// Time per token in steady state with greedy decoding, in milliseconds; nil if the model generates fewer than
    /// three tokens.
    static func steadyMS(_ generator: TextGenerator) async throws -> Double? {
        let tokenizer = generator.model.tokenizer
        let prompt = tokenizer.encode("Once upon a time", addBOS: tokenizer.vocabulary.addsBOS, parseSpecial: false)
        var sampling = SamplingOptions()
        sampling.temperature = 0
        let options = TextGenerator.Options(maximumTokens: steadyTokens, sampling: sampling)
        for try await event in generator.generate(prompt, options: options) {
            if case .finished(let summary, _) = event, summary.generatedTokens > 2 {
                return summary.decodeMS / Double(summary.generatedTokens - 1)
            }
        }
        return nil
    }
}
