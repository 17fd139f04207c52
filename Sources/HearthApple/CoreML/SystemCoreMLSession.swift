package import HearthCoreML
internal import HearthSystem
internal import Synchronization

/// A model that the system's Core ML has loaded, with Hearth's inputs, outputs and errors.
package final class SystemCoreMLSession: CoreMLPredictor {
    package let interface: CoreMLInterface
    private let model: any SystemCoreMLModel
    private let path: String
    /// Keeps what it was loaded from.
    private let owner: (any Sendable)?
    private let state = Mutex(State())

    private struct State {
        var running: [Int: Task<[String: SystemValue], any Error>] = [:]
        var nextID = 0
        var isClosed = false
    }

    /// - Parameters:
    ///   - path: of the model, for messages.
    ///   - owner: what has to live as long: the lease of the artifact.
    /// - Throws: `CoreMLError.unsupported` for a model whose inputs or outputs are of a kind that nothing here reads.
    package init(_ model: any SystemCoreMLModel, path: String, owner: (any Sendable)? = nil) throws {
        interface = try model.features.interface(file: path)
        self.model = model
        self.path = path
        self.owner = owner
    }

    package func predict(_ inputs: [String: CoreMLTensor]) async throws -> [String: CoreMLTensor] {
        let features = model.features
        let prepared = try interface.prepared(inputs)
        let tensors = Dictionary(
            zip(interface.inputs.map(\.name), prepared).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        let values = features.values(tensors)
        let results = try await run { [model] in try await model.predict(values) }
        return try features.tensors(results, file: path)
    }

    /// The results of another kind of request for the same model, as long as the session is open.
    package func predict(
        _ findings: @escaping @Sendable (any SystemCoreMLModel) async throws -> [VisionFinding]
    ) async throws -> [String: CoreMLTensor] {
        let (features, path) = (model.features, path)
        let results = try await run { [model] in try features.values(try await findings(model), file: path) }
        return try features.tensors(results, file: path)
    }

    /// Begins the model's state anew; nothing for a model without one.
    package func resetState() { model.resetState() }

    private func run(
        _ work: @escaping @Sendable () async throws -> [String: SystemValue]
    ) async throws -> [String: SystemValue] {
        // A task of its own, so that `close` can end what others wait for.
        let begun = state.withLock { state -> (id: Int, task: Task<[String: SystemValue], any Error>)? in
            guard !state.isClosed else { return nil }
            state.nextID += 1
            let task = Task { try await work() }
            state.running[state.nextID] = task
            return (state.nextID, task)
        }
        guard let begun else { throw CancellationError() }
        defer { state.withLock { $0.running[begun.id] = nil } }
        do {
            return try await withTaskCancellationHandler {
                try await begun.task.value
            } onCancel: {
                begun.task.cancel()
            }
        } catch {
            // The system has an error of its own for what was cancelled.
            if begun.task.isCancelled { throw CancellationError() }
            throw error
        }
    }

    /// Ends what runs, and lets nothing begin. Any thread may call it.
    package func close() {
        let running = state.withLock { state in
            state.isClosed = true
            return state.running.values
        }
        for task in running { task.cancel() }
    }

    /// Returns when nothing runs any more.
    package func waitUntilIdle() async {
        let running = state.withLock { Array($0.running.values) }
        for task in running { _ = try? await task.value }
    }
}
