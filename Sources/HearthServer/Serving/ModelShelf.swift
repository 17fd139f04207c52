internal import Foundation
internal import HearthRuntime
internal import HearthStory
internal import HearthSystem
internal import HearthText
internal import Synchronization

/// The served models, of which at most one text generation model and one embedding model are loaded.
@MainActor
final class ModelShelf {
    /// A model as listed to clients.
    struct Offer: Sendable {
        var model: ServedModel
        /// Modification time of its file, in seconds since 1970.
        var created: Int

        init(_ model: ServedModel) {
            self.model = model
            let date = (try? FileManager.default.attributesOfItem(atPath: model.path)[.modificationDate]) as? Date
            created = Int(date?.timeIntervalSince1970 ?? 0)
        }
    }

    private let configuration: ServerConfiguration
    private nonisolated let offered: Mutex<[Offer]>
    /// Whether a model is an embedding model, by path; filled on demand, since it takes reading the file's header.
    private nonisolated let embedding = Mutex<[String: Bool]>([:])
    /// The model that is being fetched; nil if all were installed at the start.
    nonisolated let arrival: ModelArrival?
    private var current: WarmModel?
    private var currentEmbedder: WarmEmbedder?
    private var following: Task<Void, Never>?

    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        offered = Mutex(configuration.models.map(Offer.init))
        arrival = configuration.awaited.map {
            ModelArrival(
                $0,
                pauses: FetchPauses(
                    first: configuration.limits.fetchPause, longest: configuration.limits.longestFetchPause),
                onNotice: configuration.onNotice)
        }
    }

    /// In the order listed.
    nonisolated var offers: [Offer] { offered.withLock { $0 } }

    /// The model that is being fetched, which requests without a name mean; nil once it is installed.
    nonisolated var awaited: ModelArrival? { arrival.flatMap { $0.isAwaited ? $0 : nil } }

    /// The first text generation model; if there is none, the first of all, which reports that when it is loaded.
    private nonisolated var first: Offer? {
        let offers = offers
        return offers.count == 1 ? offers[0] : offers.first { !givesEmbeddings($0) } ?? offers.first
    }

    private nonisolated func givesEmbeddings(_ offer: Offer) -> Bool {
        let path = offer.model.path
        if let known = embedding.withLock({ $0[path] }) { return known }
        let found = TextModel.givesEmbeddings(path: path)
        embedding.withLock { $0[path] = found }
        return found
    }

    /// The model name that a text request means.
    /// - Throws: `HTTPFailure` if the name is not served, not installed yet, or names a model that generates no text.
    nonisolated func name(_ wanted: String?) throws(HTTPFailure) -> String {
        let offers = offers, names = offers.map(\.model.name)
        // An older version may be installed under the same name.
        if let awaited, wanted.map({ $0 == awaited.name && !names.contains($0) }) ?? true { throw awaited.refusal }
        guard let wanted else { return first?.model.name ?? "" }
        guard let offer = offers.first(where: { $0.model.name == wanted }) else { throw .noModel }
        if givesEmbeddings(offer) { throw .givesEmbeddings }
        return wanted
    }

    /// The model name that an embedding request means.
    /// - Throws: `HTTPFailure` if the name is not served, or names a model that gives no embeddings.
    nonisolated func embeddingName(_ wanted: String?) throws(HTTPFailure) -> String {
        guard let wanted else {
            guard let offer = offers.first(where: givesEmbeddings) else { throw .noEmbeddingModel }
            return offer.model.name
        }
        guard let offer = offers.first(where: { $0.model.name == wanted }) else { throw .noModel }
        guard givesEmbeddings(offer) else { throw .givesNoEmbeddings }
        return wanted
    }

    /// The embedding model with that name; another one is unloaded first. Requires the turn.
    func embedder(_ name: String) async throws -> WarmEmbedder {
        if let known = currentEmbedder {
            if known.name == name, !known.isOutdated { return known }
            await known.retire()
        }
        guard let model = offers.first(where: { $0.model.name == name })?.model else { throw ServerError.noModel }
        let opened = try WarmEmbedder(model, configuration)
        currentEmbedder = opened
        return opened
    }

    /// Number of texts that the model generates concurrently; 1 until it is known.
    var parallel: Int { current?.parallel ?? configuration.parallel ?? 1 }

    /// The names of the models that are loaded now.
    func loaded() -> [String] {
        let text = current.flatMap { $0.runner.state == .ready ? $0.name : nil }
        let embedder = currentEmbedder.flatMap { $0.runner.state == .ready ? $0.name : nil }
        return [text, embedder].compactMap(\.self)
    }

    /// The current model, or the first one; nil while that one is not installed.
    func present() throws -> WarmModel? {
        if awaited != nil { return nil }
        if let current { return current.isOutdated ? try open(current.name) : current }
        return try open(first?.model.name ?? "")
    }

    /// The model with that name; another one is unloaded first. Requires a turn at it.
    func model(_ name: String) async throws -> WarmModel {
        while let current {
            if current.name == name, !current.isOutdated { return current }
            await current.retire()
            // Another task with a turn may have opened it meanwhile.
            if self.current === current { self.current = nil }
        }
        return try open(name)
    }

    /// Makes an installed model the first one.
    nonisolated func add(_ model: ServedModel) {
        let offer = Offer(model)
        embedding.withLock { $0[model.path] = nil }
        offered.withLock { offered in
            offered.removeAll { $0.model.name == model.name }
            offered.insert(offer, at: 0)
        }
    }

    /// Reports the model's state.
    /// - Parameter language: of notices that children may hear.
    func report(in language: StoryLanguage) async throws -> StateReport {
        // A fetched model is opened at its turn; until then its progress is reported, even if another model is in use.
        if let arrival, !arrival.status.isOpened { return StateReport(arrival, configuration.monitor.current()) }
        guard let model = try present() else { throw ServerError.noModel }
        let isNew = arrival.map { $0.name == model.name && !$0.status.isOver } ?? false
        return await StateReport(model, model.runner.state, after: isNew ? arrival : nil, in: language)
    }

    private func open(_ name: String) throws -> WarmModel {
        guard let model = offers.first(where: { $0.model.name == name })?.model else { throw ServerError.noModel }
        let residentFraction = PageCache.residentFraction(model.path)
        let opened = try WarmModel(model, configuration)
        if arrival?.status.model?.path == model.path { arrival?.open() }
        current = opened
        following?.cancel()
        following = Task { [configuration, arrival] in
            await Self.follow(model, opened.runner, residentFraction, configuration, arrival)
        }
        if configuration.warmsUp { opened.warmUp() }
        return opened
    }

    /// Follows a model's states until it is closed: logs startup times, and reports failures.
    private nonisolated static func follow(
        _ model: ServedModel, _ runner: ModelRunner<TextEngine>, _ residentFraction: Double?,
        _ configuration: ServerConfiguration, _ arrival: ModelArrival?
    ) async {
        var last = ModelState.cold
        for await state in runner.states {
            defer { last = state }
            switch state {
            case .ready where last != .ready:
                if arrival?.name == model.name { arrival?.finish() }
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

    /// Stops fetching and unloads all models.
    func close() async {
        await arrival?.stop()
        following?.cancel()
        await current?.runner.release(.cancelInference)
        await currentEmbedder?.runner.release(.cancelInference)
        (current, currentEmbedder) = (nil, nil)
    }
}
