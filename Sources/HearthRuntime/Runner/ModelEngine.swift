/// What a `ModelRunner` drives: text and vision are two engines of this one protocol.
///
/// The runner calls compile, load and warm-up in this order, one at a time, and `unload` once for each model that
/// `load` returned. An engine keeps no loaded model of its own: the runner is the owner.
///
/// These functions must not block the threads of Swift's concurrency pool: an engine does long work on a thread of its
/// own, at the priority of the task that calls it, and looks for cancellation at least every 50 ms.
public protocol ModelEngine: Sendable {
    /// The result of compiling: what loading reads.
    associatedtype Compiled: Sendable
    /// A loaded model. Its memory is free when the last reference to it is gone.
    associatedtype Model: Sendable

    /// Every input that changes compiled work.
    /// - Throws: where the model's file is missing or not valid.
    func profile() async throws -> RuntimeProfile
    /// How much work each step will be, so that progress is real.
    func workload() async throws -> Workload
    /// Whatever is worth doing once for this device; returns at once where it was done before.
    func compile(_ progress: WorkProgress) async throws -> Compilation<Compiled>
    /// Maps what was compiled.
    func load(_ compiled: Compiled, _ progress: WorkProgress) async throws -> Model
    /// A real inference on dummy input, its result checked; returning means that the model answers.
    func warmUp(_ model: Model, _ progress: WorkProgress) async throws
    /// Makes the inference in flight, and all that follow on this model, end soon with `CancellationError`.
    func interrupt(_ model: Model)
    /// Called after the last use; frees what dropping the references does not.
    func unload(_ model: Model) async
}

/// What compiling made, or found.
public struct Compilation<Compiled: Sendable>: Sendable {
    /// What loading reads.
    public var compiled: Compiled
    /// Whether an earlier result was found: a warm path.
    public var reused: Bool

    /// A result of compiling.
    public init(_ compiled: Compiled, reused: Bool) {
        self.compiled = compiled
        self.reused = reused
    }
}

/// How much each step of preparing a model has to do, in one common unit: bytes touched.
public struct Workload: Sendable, Equatable {
    /// To compile; 0 where that was done before.
    package var compile: Int
    /// To load what was compiled.
    package var load: Int
    /// For the inference that proves that the model answers.
    package var warmUp: Int

    /// What is negative counts as nothing.
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

/// Tells how much of a step is done, in the unit of its `Workload`; may be called from any thread, at any rate.
public struct WorkProgress: Sendable {
    private let report: @Sendable (Int) -> Void

    /// Passes each report on.
    public init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

    /// - Parameter done: of this step, in all; going back is ignored.
    public func callAsFunction(_ done: Int) { report(done) }
}
