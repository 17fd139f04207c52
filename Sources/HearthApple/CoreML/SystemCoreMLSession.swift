package import HearthCoreML
internal import HearthSystem
internal import Synchronization

/// A model loaded by the system's Core ML, with Hearth's inputs, outputs and errors.
package final class SystemCoreMLSession: CoreMLPredictor {
    package let interface: CoreMLInterface
    private let model: any SystemCoreMLModel
    private let path: String
    /// Keeps the source of the loaded model alive.
    private let owner: (any Sendable)?
    private let state = Mutex(State())

    private struct State {
        var running: [Int: Task<[String: SystemValue], any Error>] = [:]
        var nextID = 0
        var isClosed = false
    }

    /// Creates a session.
    /// - Parameters:
    ///   - path: the path of the model, for messages.
    ///   - owner: an object to keep alive, such as the lease of the artifact.
    /// - Throws: `CoreMLError.unsupported` for a model with inputs or outputs of an unsupported kind.
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

    /// Runs another kind of request on the same model, as long as the session is open.
    package func predict(
        _ findings: @escaping @Sendable (any SystemCoreMLModel) async throws -> [VisionFinding]
    ) async throws -> [String: CoreMLTensor] {
        let (features, path) = (model.features, path)
        let results = try await run { [model] in try features.values(try await findings(model), file: path) }
        return try features.tensors(results, file: path)
    }

    /// Resets the model's state; does nothing for a stateless model.
    package func resetState() { model.resetState() }

    private func run(
        _ work: @escaping @Sendable () async throws -> [String: SystemValue]
    ) async throws -> [String: SystemValue] {
        // A separate task, so that `close` can cancel it while others wait for it.
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
            // The system throws its own error for a cancelled request.
            if begun.task.isCancelled { throw CancellationError() }
            throw error
        }
    }

    /// Cancels running requests and rejects new ones. Can be called from any thread.
    package func close() {
        let running = state.withLock { state in
            state.isClosed = true
            return state.running.values
        }
        for task in running { task.cancel() }
    }

    /// Returns when no request is running.
    package func waitUntilIdle() async {
        let running = state.withLock { Array($0.running.values) }
        for task in running { _ = try? await task.value }
    }
}
