import HearthRuntime

/// `--simulate`, for every command that monitors the device.
struct DeviceScriptOptions: ParsableArguments {
    @Option(
        valueName: "S",
        help: "Plays a script instead of reading the device: key=value@time entries with commas between them; "
            + "keys: thermal, memory, lowpower, battery, charging, phase; times in ms, s or m.")
    var simulate: String?

    func validate() throws { _ = try script() }

    /// The parsed script; nil without one.
    func script() throws -> DeviceScript? {
        guard let simulate else { return nil }
        do {
            return try DeviceScript(parsing: simulate)
        } catch {
            let near = error.word.flatMap { Nearest.match(for: $0, in: error.candidates) }
            let advice = [near.map { "Did you mean '\($0)'?" }, error.recoverySuggestion].compactMap(\.self)
            throw UsageError("--simulate: \(error.failureReason ?? "")", suggestion: advice.joined(separator: " "))
        }
    }

    /// The device monitor: the script, or this device.
    func monitor() throws -> any DeviceMonitor {
        try script().map { ScriptedDeviceMonitor($0) } ?? SystemMonitor.make()
    }
}
