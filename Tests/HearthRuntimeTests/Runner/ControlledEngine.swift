import Foundation
import HearthRuntime

/// An engine whose steps wait until the test lets them go on. Counts what it is asked.
final class ControlledEngine: ModelEngine, @unchecked Sendable {
    enum Step: Hashable { case compile, load, warmUp, unload }
    struct Failure: LocalizedError, Equatable {
        var errorDescription: String? { "the weights are damaged" }
    }
    final class Model: Sendable {
        let number: Int
        init(number: Int) { self.number = number }
    }

    private let lock = NSLock()
    private var closed: Set<Step> = []
    private var failing: Set<Step> = []
    private var waiting: [Step: CheckedContinuation<Void, Never>] = [:]
    private var counts: [Step: Int] = [:]
    private var interruptions = 0
    private weak var last: Model?
    /// Steps that go on although their task was cancelled.
    let ignoresCancellation: Bool

    init(closed: Set<Step> = [], failing: Set<Step> = [], ignoresCancellation: Bool = false) {
        self.closed = closed
        self.failing = failing
        self.ignoresCancellation = ignoresCancellation
    }

    func count(_ step: Step) -> Int { lock.withLock { counts[step, default: 0] } }
    var interrupted: Int { lock.withLock { interruptions } }
    var hasModelInMemory: Bool { lock.withLock { last != nil } }
    func heal() { lock.withLock { failing = [] } }

    /// Lets the step go on, now and later.
    func open(_ step: Step) {
        let continuation = lock.withLock {
            closed.remove(step)
            return waiting.removeValue(forKey: step)
        }
        continuation?.resume()
    }

    func profile() async throws -> RuntimeProfile { RuntimeProfileTests.profile }
    func workload() async throws -> Workload { Workload(compile: 100, load: 50, warmUp: 50) }

    func compile(_ progress: WorkProgress) async throws -> Compilation<Int> {
        try await run(.compile)
        progress(100)
        return Compilation(1, reused: true)
    }

    func load(_ compiled: Int, _ progress: WorkProgress) async throws -> Model {
        try await run(.load)
        progress(50)
        let model = Model(number: count(.load))
        lock.withLock { last = model }
        return model
    }

    func warmUp(_ model: Model, _ progress: WorkProgress) async throws {
        try await run(.warmUp)
        progress(50)
    }

    func interrupt(_ model: Model) { lock.withLock { interruptions += 1 } }
    func unload(_ model: Model) async { try? await run(.unload) }

    private func run(_ step: Step) async throws {
        lock.withLock { counts[step, default: 0] += 1 }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = lock.withLock {
                    if !closed.contains(step) || !ignoresCancellation && Task.isCancelled { return true }
                    waiting[step] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            guard !ignoresCancellation else { return }
            lock.withLock { waiting.removeValue(forKey: step) }?.resume()
        }
        if !ignoresCancellation { try Task.checkCancellation() }
        if lock.withLock({ failing.contains(step) }) { throw Failure() }
    }
}

/// Waits for something that other tasks are about to do; the suite's time limit ends it where they never do.
func eventually(_ condition: @Sendable () async -> Bool) async {
    // Not by yielding: what is waited for may have a lower priority, and would never get a turn.
    while !(await condition()), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}
