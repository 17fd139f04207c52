/// The protocol that a ``ModelRunner`` drives; text and vision are two engines.
///
/// The runner calls `compile`, `load` and `warmUp` in this order, one at a time, and `unload` once for each model that `load`
/// returned. An engine does not keep a loaded model: the runner owns it.
///
/// These functions must not block the threads of Swift's concurrency pool. An engine does long work on its own thread, at the
/// priority of the calling task, and checks for cancellation at least every 50 ms.
public protocol ModelEngine: Sendable {
    /// The result of compiling, which loading reads.
    associatedtype Compiled: Sendable
    /// A loaded model. Its memory is freed when the last reference to it is gone.
    associatedtype Model: Sendable

    /// Every input that affects compilation.
    /// - Throws: if the model's file is missing or not valid.
    func profile() async throws -> RuntimeProfile
    /// The amount of work in each step, so that progress is accurate.
    func workload() async throws -> Workload
    /// Does the work that is worth doing once per device; returns at once if it was done before.
    func compile(_ progress: WorkProgress) async throws -> Compilation<Compiled>
    /// Maps the compiled model.
    func load(_ compiled: Compiled, _ progress: WorkProgress) async throws -> Model
    /// Runs a real inference on dummy input and checks its result; when it returns, the model works.
    func warmUp(_ model: Model, _ progress: WorkProgress) async throws
    /// Makes the inference in progress, and all later ones on this model, end soon with `CancellationError`.
    func interrupt(_ model: Model)
    /// Called after the last use; frees what is not freed by dropping the references.
    func unload(_ model: Model) async
}

/// The result of compiling, new or reused.
public struct Compilation<Compiled: Sendable>: Sendable {
    /// What loading reads.
    package var compiled: Compiled
    /// Whether an earlier result was found, which makes this a warm start.
    package var reused: Bool

    /// A result of compiling.
    public init(_ compiled: Compiled, reused: Bool) {
        self.compiled = compiled
        self.reused = reused
    }
}

/// The amount of work in each step of preparing a model, all in one unit: bytes touched.
public struct Workload: Sendable, Equatable {
    /// To compile; 0 where that was done before.
    package var compile: Int
    /// To load what was compiled.
    package var load: Int
    /// For the inference that proves that the model answers.
    package var warmUp: Int

    /// Bytes of each step; negative values count as zero.
    public init(compile: Int, load: Int, warmUp: Int) {
        self.compile = max(0, compile)
        self.load = max(0, load)
        self.warmUp = max(0, warmUp)
    }

    /// Progress of the whole, 0 to 1, when `done` of a step's work is done; what is done too early or reported beyond
    /// a step's size counts as the step's end.
    func fraction(_ step: Step, done: Int) -> Double {
        let before: Int
        let size: Int
        switch step {
        case .compile: (before, size) = (0, compile)
        case .load: (before, size) = (compile, load)
        case .warmUp: (before, size) = (compile + load, warmUp)
        }
        let total = Double(compile) + Double(load) + Double(warmUp)
        guard total > 0 else { return 0 }
        return min(1, (Double(before) + Double(min(max(done, 0), size))) / total)
    }

    /// The steps of preparing, in order.
    package enum Step: String, Sendable, CaseIterable {
        case compile, load, warmUp
    }
}

/// Reports how much of a step is done, in the unit of its ``Workload``. May be called from any thread, at any rate.
public struct WorkProgress: Sendable {
    private let report: @Sendable (Int) -> Void

    /// Passes each report to `report`.
    public init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

    /// Reports progress.
    /// - Parameter done: total work done in this step; smaller values than before are ignored.
    public func callAsFunction(_ done: Int) { report(done) }
}
