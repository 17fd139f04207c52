internal import HearthSystem

/// What one start of a model cost, measured from inside the process that started it.
package struct StartupMeasurement: Sendable, Equatable, Codable {
    /// What was started.
    package var profile: RuntimeProfile
    /// What each step took.
    package var times: PreparationTimes
    /// nil if it was not measured.
    package var steadyMS: Double?
    /// After the first inference; nil if the model does not run on a GPU.
    package var weights: WeightTransfer?
    /// Of the whole process, at its end.
    package var peakResidentBytes: Int
    /// When the model was ready.
    package var dirtyBytes: Int

    /// Starts a model as a runner would, one step after the other, and lets it go.
    /// - Parameters:
    ///   - steady: runs the ready model and returns the milliseconds of one token or inference.
    ///   - weights: how they came to a GPU; nil for a model on the CPU.
    /// - Throws: what the engine and `steady` throw.
    package static func measure<Engine: ModelEngine>(
        _ engine: Engine, steady: @Sendable (Engine.Model) async throws -> Double?,
        weights: @Sendable (Engine.Model) async -> WeightTransfer? = { _ in nil }
    ) async throws -> StartupMeasurement {
        let trace = Trace.shared
        let silent = WorkProgress { _ in }
        // Knowing what to compile is part of finding whether it was.
        let (compileMS, (profile, compilation)) = try await timed {
            try await trace.interval("compile") {
                (try await engine.profile(), try await engine.compile(silent))
            }
        }
        let (loadMS, model) = try await timed {
            try await trace.interval("load") { try await engine.load(compilation.compiled, silent) }
        }
        let (firstMS, _) = try await timed {
            try await trace.interval("first inference") { try await engine.warmUp(model, silent) }
        }
        let ready = ProcessMemory.current()
        let transfer = await weights(model)
        let steadyMS = try await trace.interval("steady state") { try await steady(model) }
        let end = ProcessMemory.current()
        await engine.unload(model)
        return StartupMeasurement(
            // Loading may have decided what the profile says.
            profile: (try? await engine.profile()) ?? profile,
            times: PreparationTimes(
                reused: compilation.reused, compileMS: compileMS, loadMS: loadMS, firstInferenceMS: firstMS),
            steadyMS: steadyMS, weights: transfer, peakResidentBytes: end?.peakResident ?? 0,
            dirtyBytes: ready?.dirty ?? 0)
    }

    private static func timed<Result>(
        _ body: () async throws -> Result
    ) async throws -> (milliseconds: Double, result: Result) {
        let begin = ContinuousClock.now
        let result = try await body()
        return ((ContinuousClock.now - begin).milliseconds, result)
    }
}
