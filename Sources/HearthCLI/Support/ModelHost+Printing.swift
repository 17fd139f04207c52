import HearthCoreML
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText

extension ModelHost {
    fileprivate func show(_ notice: String?) {
        if let notice { Output.error.writeLine("hearth: note: " + notice.withVisibleControls) }
    }
}

extension ModelHost where Engine == TextEngine {
    /// Logs the startup times after the user's request has been served, and prints a notice if there is one.
    func recordStart() async { show(await logStart()) }

    /// Starts compiling the model in the background if that makes the next start noticeably faster.
    func compileForNextTime(context: Int?, activations: Int?) async {
        guard await wantsCompiling() else { return }
        ModelOpening.compileInBackground(runner.engine.path, context: context, activations: activations)
    }
}

extension ModelHost where Engine == CoreMLEngine {
    /// Logs the startup times after the user's request has been served, and prints a notice if there is one.
    func recordStart() async { show(await logStart()) }

    /// The model's inputs and outputs; shows a spinner while the model is prepared.
    func preparedInterface() async throws -> CoreMLInterface {
        let spinner = Spinner()
        spinner.start("preparing the model", on: Terminal(.error))
        defer { spinner.stop() }
        return try await interface()
    }
}

extension DeviceNotices {
    /// Notices on standard error.
    static var printed: DeviceNotices { DeviceNotices { Output.error.writeLine("hearth: note: \($0)") } }
}
