import Foundation
import HearthModels
import HearthSystem

extension ModelOpening {
    /// Reports why an existing artifact of the same model could not be used.
    static func tell(_ driftedFields: [String]) {
        guard !driftedFields.isEmpty else { return }
        Output.error.writeLine("hearth: compiled a new artifact: \(driftedFields.joined(separator: ", ")) changed")
    }

    /// Starts `hearth compile` as a separate process with the lowest priority, which outlives this one: hashing the
    /// model takes a second per gigabyte, which should not delay the user. `HEARTH_BACKGROUND=0` turns this off.
    static func compileInBackground(
        _ path: String, context: Int?, activations: Int?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard environment["HEARTH_BACKGROUND"] != "0", let program = RealPath.of("/proc/self/exe") else { return }
        var words = [program, "compile", "--model", RealPath.of(path) ?? path, "--background"]
        if let context { words += ["--context", String(context)] }
        if let activations { words += ["--activations", String(activations)] }
        BackgroundProcess.start(words)
    }
}
