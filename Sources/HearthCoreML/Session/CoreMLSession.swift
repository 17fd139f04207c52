internal import Dispatch
package import HearthCompute
internal import HearthGPU
package import HearthSystem

/// A loaded model: its weights, the memory of its tensors, and its threads. It runs one inference at a time; further ones wait.
///
///     let outputs = try await session.predict(["image": pixels])
///     print(outputs["probabilities"]?.values ?? [])
public final class CoreMLSession: @unchecked Sendable {
    // Sendable: everything that changes is touched on `queue` alone.

    /// The inputs and outputs.
    public let interface: CoreMLInterface
    package let plan: CoreMLPlan
    let compute: Compute
    let arena: FloatRegion
    private let scratch: FloatRegion
    let steps: [PreparedStep]
    /// Computes the steps instead of the CPU; nil if there is none.
    var gpu: GPUUse?
    private let expandedBytes: Int
    private let inputs: [FloatRegion]
    private let outputs: [FloatRegion]
    private let queue = DispatchQueue(label: "hearth.vision", qos: .userInitiated)
    private let turns: SessionTurns
    /// Keeps the artifact's lease.
    let owner: CoreMLArtifact?
    /// What the weights are mapped from; nil where they are in the session's own memory.
    private let weightsFile: MappedFile?
    /// Of the model, for errors.
    private let path: String

    /// Maps a compiled artifact.
    /// - Throws: `CoreMLError`, `FileError` where it is damaged; `ComputeError` without memory or threads.
    package convenience init(artifact: CoreMLArtifact, threads: Int? = nil, kernels: KernelSet? = nil) throws {
        let (file, weights) = try artifact.open()
        let compute = try Self.compute(threads, kernels)
        do {
            try self.init(
                file, ModelWeights(weights, file, compute), compute, owner: artifact, weightsFile: weights,
                path: artifact.modelPath)
        } catch {
            // The artifact is being changed: errors in what was read are not its fault.
            try weights.checkIntact()
            throw error
        }
    }

    /// Compiles a model in memory, for where there is no place for an artifact. Blocks for as long as that takes.
    /// - Throws: `CoreMLError`, `CancellationError`, `ComputeError`.
    package convenience init(
        model: CoreMLModel, threads: Int? = nil, kernels: KernelSet? = nil, isCancelled: () -> Bool = { false }
    ) throws {
        let compiled = try CompiledModel(model, isCancelled: isCancelled)
        try self.init(
            compiled.file, ModelWeights(compiled.weights.floats), Self.compute(threads, kernels), owner: nil,
            path: model.path)
    }

    private static func compute(_ threads: Int?, _ kernels: KernelSet?) throws -> Compute {
        try Compute(kernels: kernels ?? KernelSet.selected(by: nil), threads: threads ?? WorkerPool.defaultThreads)
    }

    package init(
        _ file: PlanFile, _ weights: ModelWeights, _ compute: Compute, owner: CoreMLArtifact? = nil,
        weightsFile: MappedFile? = nil, path: String = "model"
    ) throws {
        let plan = file.plan
        let results = plan.outputs.map { plan.tensors[$0.tensor].count }
        if let problem = file.interface.suppression?.problem(results: results) {
            throw CoreMLError.invalid(.init(file: path, field: "interface.suppression"), problem: problem)
        }
        let arena = try FloatRegion(count: max(plan.arenaCount, 1))
        let preparation = StepPreparation(
            file: path, plan: plan, arena: arena, weights: weights,
            constants: try StepPreparation.constants(of: plan, weights))
        steps = try plan.steps.map(preparation.prepare)
        scratch = try FloatRegion(count: max(steps.map(\.scratch).max() ?? 0, 1))
        try Self.check(steps, of: plan, compute, scratch, file: path)
        inputs = try plan.inputs.map { try preparation.exactRegion($0.tensor) }
        outputs = try plan.outputs.map { try preparation.exactRegion($0.tensor) }
        self.compute = compute
        expandedBytes = weights.expandedBytes
        turns = SessionTurns(compute)
        interface = file.interface
        self.plan = plan
        self.arena = arena
        self.owner = owner
        self.path = path
        self.weightsFile = weightsFile
        try weightsFile?.checkIntact()
    }

    /// Lets every kernel compare its operands with what it touches, which it does before it computes: nothing is computed
    /// on threads that are cancelled.
    private static func check(
        _ steps: [PreparedStep], of plan: CoreMLPlan, _ compute: Compute, _ scratch: FloatRegion, file: String
    ) throws {
        compute.cancel()
        defer { compute.resume() }
        for (index, step) in steps.enumerated() {
            if case .reference = step.work { continue }
            do {
                try step.run(compute, scratch: scratch)
            } catch let error as ComputeError {
                throw CoreMLError.invalid(
                    .init(file: file, field: plan.steps[index].place),
                    problem: "the step's tensors do not fit: \(error)")
            }
        }
    }

    /// Number of threads that compute.
    package var threads: Int { compute.threads }
    /// Bytes of memory that are the session's own: tensors and scratch, and weights that were expanded once.
    package var memoryBytes: Int { (arena.count + scratch.count) * MemoryLayout<Float>.stride + expandedBytes }

    // MARK: - Running

    /// Runs one inference. Cancelling the task ends it within milliseconds.
    /// - Parameter inputs: a tensor for each input, by name.
    /// - Returns: a tensor for each output, by name.
    /// - Throws: ``CoreMLError`` for inputs that do not fit and for results that are not finite; ``FileError/changed(_:)`` if
    ///   the artifact was changed or truncated since it was mapped; `CancellationError`, also after the model was released.
    public func predict(_ inputs: [String: CoreMLTensor]) async throws -> [String: CoreMLTensor] {
        let prepared = try interface.prepared(inputs)
        return try await onQueue { isCancelled in
            let results = try self.run(prepared, isCancelled: isCancelled)
            do {
                return try self.interface.named(results, inputs, file: self.path)
            } catch CoreMLError.nonFiniteOutput(let at, let index) {
                throw try self.origin(of: at.field, prepared, isCancelled)
                    ?? CoreMLError.nonFiniteOutput(at, index: index)
            }
        }
    }

    /// Runs one inference of a model with states.
    /// - Parameter state: what the previous prediction left, in the order of the interface's states; empty before the first
    ///   one, and after it what this one leaves.
    /// - Throws: as `predict`; the state then is as it was.
    package func predict(
        _ inputs: [String: CoreMLTensor], state: inout [CoreMLTensor]
    ) async throws -> [String: CoreMLTensor] {
        let prepared = try interface.prepared(inputs, state: state.isEmpty ? nil : state)
        let (named, left) = try await onQueue { isCancelled in
            let results = try self.run(prepared, isCancelled: isCancelled)
            return (try self.interface.named(results, inputs, file: self.path), self.interface.state(of: results))
        }
        state = left
        return named
    }

    /// Inputs of grey pictures and halves, to try a model with.
    package func dummyInputs() -> [String: CoreMLTensor] {
        Dictionary(
            interface.inputs.map { input in
                (input.name, CoreMLTensor(shape: input.shape, repeating: input.image == nil ? 0.5 : 127))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Ends the inference in progress, and prevents further ones. May be called from any thread.
    package func close() { turns.close() }

    /// Returns when nothing runs any more.
    package func waitUntilIdle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    func onQueue<Result: Sendable>(
        _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Result
    ) async throws -> Result {
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    self.turns.begin(flag)
                    let result = Swift.Result { try work { flag.isSet } }
                    self.turns.end()
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            turns.cancel(flag)
        }
    }

    /// One inference; `inputs` are in the plan's order and of its shapes.
    package func run(_ values: [CoreMLTensor], isCancelled: () -> Bool) throws -> [CoreMLTensor] {
        try runSteps(values, isCancelled)
        // The outputs of a cancelled step are not results, nor are those of weights that were changed in the meantime.
        if compute.isCancelled { throw CancellationError() }
        try weightsFile?.checkIntact()
        return zip(plan.outputs, outputs).map { port, region in
            CoreMLTensor(shape: plan.tensors[port.tensor].shape, values: region.values)
        }
    }

    private func runSteps(_ values: [CoreMLTensor], _ isCancelled: () -> Bool) throws {
        for (region, value) in zip(inputs, values) { region.set(value.values) }
        if let gpu {
            do {
                return try gpu.network.run(compute, scratch: scratch) { compute.isCancelled || isCancelled() }
            } catch let error as GPUError {
                // Inputs may be overwritten by now.
                self.gpu = nil
                gpu.onFailure(error)
                for (region, value) in zip(inputs, values) { region.set(value.values) }
            }
        }
        for step in steps {
            if compute.isCancelled || isCancelled() { throw CancellationError() }
            try step.run(compute, scratch: scratch)
        }
    }

    /// The first step whose result is not finite, found by running the inference again and looking at every tensor; nil
    /// where each step's is. The error names `output`.
    private func origin(
        of output: String, _ values: [CoreMLTensor], _ isCancelled: () -> Bool
    ) throws -> CoreMLError? {
        for (region, value) in zip(inputs, values) { region.set(value.values) }
        for (prepared, step) in zip(steps, plan.steps) {
            if compute.isCancelled || isCancelled() { throw CancellationError() }
            // Before the step runs: its result may take the place of its input.
            let input = step.inputs.compactMap(\.self).reduce(into: [Float]()) { $0 += elements($1) }
            try prepared.run(compute, scratch: scratch)
            guard step.outputs.contains(where: { elements($0).contains { !$0.isFinite } }) else { continue }
            // NaN is in no range, and a caller's own input may contain it.
            let finite = input.filter(\.isFinite)
            return .nonFiniteStep(
                .init(file: path, field: step.place), output: output,
                input: (finite.min() ?? 0)...(finite.max() ?? 0))
        }
        return nil
    }

    /// The elements of a tensor that mean something: blocks of channels are filled up with zeros, of which a function makes
    /// whatever it likes.
    private func elements(_ id: Int) -> [Float] {
        let tensor = plan.tensors[id]
        // Codes are finite.
        guard !tensor.isConstant, tensor.layout != .codes,
            let values = try? arena.part(tensor.offset, min(tensor.storedCount, arena.count - tensor.offset)).values
        else { return [] }
        guard tensor.layout == .blocked, tensor.shape.count >= 2 else { return values }
        let (channels, block) = (tensor.shape[1], PlanLayout.block)
        let positions = tensor.shape.dropFirst(2).reduce(1, *)
        let blocks = (channels + block - 1) / block
        return values.indices.filter { index in
            index / (positions * block) % blocks * block + index % block < channels
        }.map { values[$0] }
    }

    /// One inference on dummy inputs, and the milliseconds of each step.
    func timedSteps() async throws -> [Double] {
        let prepared = try interface.prepared(dummyInputs())
        return try await onQueue { _ in
            for (region, value) in zip(self.inputs, prepared) { region.set(value.values) }
            return try self.steps.map { step in
                let begin = ContinuousClock.now
                try step.run(self.compute, scratch: self.scratch)
                return (ContinuousClock.now - begin).milliseconds
            }
        }
    }
}
