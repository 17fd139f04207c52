import Hearth
import HearthUI
import Observation
import SwiftUI

/// What the app has: the model's store, the reader, and the user's settings.
@MainActor
@Observable
final class Bedroom {
    /// What there is to show.
    enum Contents {
        case opening
        case broken(String)
        case open(ModelStore<TextEngine>, StoryReader)
    }

    private(set) var contents = Contents.opening
    /// The times of all starts.
    private(set) var log: StartupLog?
    var language = StoryLanguage.english
    var readsAloud = true
    /// 0 for no timer.
    var sleepMinutes = 0

    /// Opens the model that was bundled; further calls have no effect.
    func open() {
        guard case .opening = contents else { return }
        do {
            contents = try opened()
        } catch {
            contents = .broken(error.localizedDescription)
        }
    }

    private func opened() throws -> Contents {
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment) else {
            return .broken("There is no folder for this app's data.")
        }
        try folders.prepareStorage()
        log = StartupLog(folders: folders)
        guard let model = Self.resource("hearth-nano.gguf") else {
            return .broken("Copy Models/hearth-nano.gguf into Sources/BedtimeApp/Resources, and build again.")
        }
        let monitor = SystemMonitor.make()
        let runner = ModelRunner(engine: try TextEngine(path: model, folders: folders))
        let store = ModelStore(runner: runner, monitor: monitor)
        // Everything that it tells has passed the filter; there is no way around it.
        let storyteller = Storyteller(runner: runner, conditions: { monitor.current() })
        let reader = StoryReader(storyteller, synthesizer: AppleSynthesizer()) { [weak self] title in
            try self?.sink(title) ?? AppleAudioSink(title: title)
        }
        #if os(iOS)
        Task { StartupMetrics.record(in: folders, profile: try await runner.engine.profile()) }
        #endif
        return .open(store, reader)
    }

    /// What plays one story.
    private func sink(_ title: String) throws -> any AudioSink {
        guard readsAloud else { throw Silence() }
        let sink = AppleAudioSink(title: title)
        if sleepMinutes > 0 { sink.sleep(after: .seconds(sleepMinutes * 60)) }
        return sink
    }

    /// A story that is only shown.
    private struct Silence: Error {}

    /// Where Xcode put it: a folder of resources keeps its name.
    private static func resource(_ name: String) -> String? {
        let places = [Bundle.module.resourcePath, Bundle.main.resourcePath].compactMap { $0 }
        return places.flatMap { ["\($0)/Resources/\(name)", "\($0)/\(name)"] }
            .first { FileManager.default.fileExists(atPath: $0) }
    }
}
