internal import HearthRuntime
internal import HearthSystem
internal import HearthText

/// The models that may be served, of which at most one is loaded.
@MainActor
final class ModelShelf {
    private let configuration: ServerConfiguration
    private var current: WarmModel?
    private var following: Task<Void, Never>?

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
        following?.cancel()
        following = Task { [configuration] in
            await Self.follow(model, opened.runner, residentFraction, configuration)
        }
        if configuration.warmsUp { opened.warmUp() }
        return opened
    }

    /// Looks after what becomes of a model, for as long as it is there: logs what its starts cost, and tells of failures.
    private nonisolated static func follow(
        _ model: ServedModel, _ runner: ModelRunner<TextEngine>, _ residentFraction: Double?,
        _ configuration: ServerConfiguration
    ) async {
        var last = ModelState.cold
        for await state in runner.states {
            defer { last = state }
            switch state {
            case .ready where last != .ready:
                await logStart(of: model, runner, residentFraction, configuration)
            case .failed(let message) where last != state:
                configuration.onNotice?("the model '\(model.name)' cannot be used: \(message)")
            default: break
            }
        }
    }

    private nonisolated static func logStart(
        of model: ServedModel, _ runner: ModelRunner<TextEngine>, _ residentFraction: Double?,
        _ configuration: ServerConfiguration
    ) async {
        guard let times = await runner.lastPreparation else { return }
        if !times.reused, let header = try? await runner.withModel(waitingAtMost: .zero, { $0.model.headerBytes }) {
            configuration.onUncompiledStart?(model.path, header)
        }
        let recorder = StartupRecorder(
            log: StartupLog(folders: configuration.folders), processVersion: configuration.version)
        if let notice = await recorder.record(lastStartOf: runner, residentFraction: residentFraction) {
            configuration.onNotice?(notice)
        }
    }

    /// Gives the memory back.
    func close() async {
        following?.cancel()
        await current?.runner.release(.cancelInference)
        current = nil
    }
}
