import Foundation
import HearthModels
import HearthSystem

/// `hearth doctor`: checks what this machine supports, and what is missing.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks this machine for missing requirements.",
        discussion: """
            Checks processor, memory, system libraries, video, speech, folders and the bundled model. Changes
            nothing: it writes one small file into each of Hearth's folders that exists, and removes it again.
            The exit status is 1 if something is missing that Hearth cannot work without.
            """,
        examples: [
            ("doctor", "Lists the checks, and how to fix those that fail."),
            ("doctor --json", "The same, as JSON."),
        ])

    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Result: Encodable {
        var checks: [DoctorCheck]
    }

    mutating func run() async throws {
        let checks = Doctor(environment: ProcessInfo.processInfo.environment).checks()
        if json {
            try Output.standard.writeJSON(Result(checks: checks))
        } else {
            let terminal = Terminal(.standard)
            Output.standard.write(DoctorCheck.table(checks) { terminal?.dim($0) ?? $0 })
        }
        if checks.contains(where: { $0.status == .missing }) { Interruption.shared.end(.failure) }
    }
}

extension DoctorCheck {
    /// A text table: a sign, the name and the result of each check, with advice below.
    static func table(_ checks: [DoctorCheck], dim: (String) -> String) -> String {
        let width = checks.map(\.name.count).max() ?? 0
        let signs: [Status: String] = [.ok: "✓", .warning: "!", .missing: "✗"]
        return checks.map { check in
            let line = "\(signs[check.status] ?? " ") \(check.name.padded(to: width))  \(check.detail)\n"
            let indent = String(repeating: " ", count: width + 4)
            return line + (check.todo.map { indent + dim("→ " + $0) + "\n" } ?? "")
        }.joined()
    }
}
