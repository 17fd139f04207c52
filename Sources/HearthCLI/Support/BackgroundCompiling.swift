import Foundation
import HearthModels
import HearthSystem

extension ModelOpening {
    /// Says why an earlier artifact of the same model would not do.
    static func tell(_ driftedFields: [String]) {
        guard !driftedFields.isEmpty else { return }
        Output.error.writeLine("hearth: compiled a new artifact: \(driftedFields.joined(separator: ", ")) changed")
    }

    /// Starts `hearth compile` as a process of its own, at the lowest priority, that outlives this one: the model's digest
    /// takes a second per gigabyte, which should not delay the user. `HEARTH_BACKGROUND=0` leaves it out.
    static func compileInBackground(
        _ path: String, context: Int?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard environment["HEARTH_BACKGROUND"] != "0", let program = RealPath.of("/proc/self/exe") else { return }
        var words = [program, "compile", "--model", RealPath.of(path) ?? path, "--background"]
        if let context { words += ["--context", String(context)] }
        BackgroundProcess.start(words)
    }
}
