internal import HearthSystem

/// The way from delivered to ready: compile, load, and an inference that has to succeed, each step timed.
struct Preparation<Engine: ModelEngine>: Sendable {
    let engine: Engine
    let clock: any Clock<Duration>
    /// Progress of the whole, 0 to 1.
    let report: @Sendable (Double) -> Void

    func run() async -> Result<(Engine.Model, PreparationTimes), any Error> {
        do {
            return .success(try await steps())
        } catch {
            return .failure(error)
        }
    }

    private func steps() async throws -> (Engine.Model, PreparationTimes) {
        try Task.checkCancellation()
        let workload = try await engine.workload()
        try Task.checkCancellation()
        let (compilation, compileMS) = try await timed("compile") {
            try await engine.compile(progress(.compile, workload))
        }
        try Task.checkCancellation()
        let (model, loadMS) = try await timed("load") {
            try await engine.load(compilation.compiled, progress(.load, workload))
        }
        do {
            try Task.checkCancellation()
            let (_, firstMS) = try await timed("first inference") {
                try await engine.warmUp(model, progress(.warmUp, workload))
            }
            try Task.checkCancellation()
            report(1)
            let times = PreparationTimes(
                reused: compilation.reused, compileMS: compileMS, loadMS: loadMS, firstInferenceMS: firstMS)
            return (model, times)
        } catch {
            // A model that was loaded but does not answer must not stay in memory.
            await engine.unload(model)
            throw error
        }
    }

    private func progress(_ step: Workload.Step, _ workload: Workload) -> WorkProgress {
        WorkProgress { [report] in report(workload.fraction(step, done: $0)) }
    }

    private func timed<Value>(
        _ name: StaticString, _ work: () async throws -> Value
    ) async throws -> (Value, milliseconds: Double) {
        var value: Value?
        let interval = Trace.shared.begin(name)
        defer { Trace.shared.end(interval) }
        #if os(iOS)
        let counted = StartupSignposts.begin(name)
        defer { StartupSignposts.end(name, counted) }
        #endif
        let duration = try await clock.measure { value = try await work() }
        guard let value else { throw CancellationError() }
        return (value, duration / .milliseconds(1))
    }
}
