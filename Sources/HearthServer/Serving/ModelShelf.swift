internal import Foundation
internal import HearthRuntime
internal import HearthSystem
internal import HearthText

/// The models that may be served, of which at most one is loaded.
@MainActor
final class ModelShelf {
    private let configuration: ServerConfiguration
    private var current: WarmModel?
    private var recording: Task<Void, Never>?

    init(_ configuration: ServerConfiguration) { self.configuration = configuration }

    /// In the order in which they are offered.
    nonisolated var names: [String] { configuration.models.map(\.name) }

    /// The name that a request means.
    /// - Throws: `HTTPFailure` for a name that is not served.
    nonisolated func name(_ wanted: String?) throws(HTTPFailure) -> String {
        guard let wanted else { return names.first ?? "" }
        guard names.contains(wanted) else {
            throw HTTPFailure(
                404, "model_not_found", "There is no model of that name here. GET /v1/models lists what there is.",
                field: "model")
        }
        return wanted
    }

    /// The model that is loaded, or is the first to be.
    func present() throws -> WarmModel {
        if let current { return current }
        return try open(names.first ?? "")
    }

    /// The model of that name; another one goes first. For who has the turn.
    func model(_ name: String) async throws -> WarmModel {
        if let current {
            if current.name == name { return current }
            await current.retire()
            if self.current === current { self.current = nil }
        }
        return try open(name)
    }

    private func open(_ name: String) throws -> WarmModel {
        guard let model = configuration.models.first(where: { $0.name == name }) else { throw ServerError.noModel }
        let residentFraction = PageCache.residentFraction(model.path)
        let opened = try WarmModel(model, configuration)
        current = opened
        recording?.cancel()
        recording = Task { [configuration] in
            await Self.logStarts(of: opened.runner, path: model.path, residentFraction, configuration)
        }
        if configuration.warmsUp { opened.warmUp() }
        return opened
    }

    /// Logs what each of a model's starts cost, for as long as it is there.
    private nonisolated static func logStarts(
        of runner: ModelRunner<TextEngine>, path: String, _ residentFraction: Double?,
        _ configuration: ServerConfiguration
    ) async {
        guard let log = StartupLog(folders: configuration.folders) else { return }
        let recorder = StartupRecorder(log: log, processVersion: configuration.version)
        var wasReady = false
        for await state in runner.states {
            let isReady = state == .ready
            defer { wasReady = isReady }
            guard isReady, !wasReady, let times = await runner.lastPreparation else { continue }
            // The profile has the file's digest, which takes a second a gigabyte where nobody knows it yet.
            if !times.reused, let header = try? await runner.withModel(waitingAtMost: .zero, { $0.model.headerBytes }) {
                configuration.onUncompiledStart?(path, header)
            }
            let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? .max
            guard times.reused || size <= 64 << 20, let profile = try? await runner.engine.profile() else { continue }
            _ = await recorder.record(profile, times, residentFraction: residentFraction)
        }
    }

    /// Gives the memory back.
    func close() async {
        recording?.cancel()
        await current?.runner.release(.cancelInference)
        current = nil
    }
}
