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
    /// Logs the startup times, after the user's request was served, and prints a notice about them if there is one.
    func recordStart() async { show(await logStart()) }

    /// Has the model compiled in the background if the next start will be noticeably faster.
    func compileForNextTime(context: Int?) async {
        if await wantsCompiling() { ModelOpening.compileInBackground(runner.engine.path, context: context) }
    }
}

extension ModelHost where Engine == CoreMLEngine {
    /// Logs the startup times, when the user has what he wanted, and tells what is to be told of them.
    func recordStart() async { show(await logStart()) }

    /// The model's inputs and outputs, behind a sign of life while the model is prepared.
    func preparedInterface() async throws -> CoreMLInterface {
        let spinner = Spinner()
        spinner.start("preparing the model", on: Terminal(.error))
        defer { spinner.stop() }
        return try await interface()
    }
}

extension DeviceNotices {
    /// On standard error.
    static var printed: DeviceNotices { DeviceNotices { Output.error.writeLine("hearth: note: \($0)") } }
}
