import Foundation
import HearthRuntime
import HearthVision
import Testing

@Suite("Frame classifier", .timeLimit(.minutes(20)))
struct FrameClassifierTests {
    typealias Classifier = FrameClassifier<SteppedEngine, Int, String>

    /// A classifier over an engine whose inferences the test ends, and what it told.
    private func make(_ engine: SteppedEngine = SteppedEngine()) -> (Classifier, SteppedEngine, Records) {
        let records = Records()
        let classifier = Classifier(
            runner: ModelRunner(engine: engine), fallback: { "guess \($0)" }, infer: { try await $0.infer($1) },
            onRecord: { records.add($0) })
        return (classifier, engine, records)
    }

    @Test("A frame is taken at once, whatever the model does; the newest waits, the others are dropped")
    func newestWins() async throws {
        let (frames, engine, records) = make()
        try await frames.runner.prepare()
        // The model does not answer before the test lets it, so that submit would never return if it waited.
        for frame in 0..<100 { frames.submit(frame) }
        #expect(frames.pending == 2)
        #expect(records.decisions == Dictionary(uniqueKeysWithValues: (1..<99).map { ($0, .drop) }))
        await engine.finishNext()
        await engine.finishNext()
        await eventually { records.count == 100 }
        #expect(records.decisions[0] == .run && records.decisions[99] == .run)
        #expect(engine.seen == [0, 99])
        #expect(records[99]?.output == "seen 99" && records[99]?.basis == 99)
        #expect(frames.latestRecord?.frame == 99)
        #expect(frames.pending == 0)
    }

    @Test("While the model is cold frames fall back; once it is warm they run; released, they fall back; and again")
    func lifecycle() async throws {
        let (frames, engine, records) = make()
        engine.answersAtOnce = true
        var next = 0
        func send(_ count: Int) async {
            for _ in 0..<count {
                frames.submit(next)
                next += 1
                let sent = next
                await eventually { records.count == sent }
            }
        }
        await send(3)
        #expect(engine.loads == 0, "frames do not load a model")
        for _ in 0..<2 {
            try await frames.runner.prepare()
            await send(3)
            await frames.runner.release()
            await send(3)
        }
        await frames.runner.suspend("too hot")
        await send(2)
        await frames.runner.resume()
        try await frames.runner.prepare()
        await send(1)
        let expected: [FrameDecision] =
            [.fallback, .fallback, .fallback, .run, .run, .run, .fallback, .fallback, .fallback, .run, .run, .run]
            + [.fallback, .fallback, .fallback, .fallback, .fallback, .run]
        #expect((0..<next).map { records.decisions[$0] } == expected)
        #expect(records[0]?.output == "guess 0" && records[3]?.output == "seen 3")
        #expect(engine.loads == 3)
    }

    @Test("A model that has to go in the middle of an inference: the frame falls back at once")
    func interrupted() async throws {
        let (frames, engine, records) = make()
        try await frames.runner.prepare()
        frames.submit(0)
        await eventually { engine.seen == [0] }
        await frames.runner.suspend("too hot", .cancelInference)
        await eventually { records.count == 1 }
        #expect(records.decisions[0] == .fallback)
        #expect(records[0]?.output == "guess 0")
        #expect(frames.pending == 0)
    }

    @Test("A store takes the model away in heat and brings it back; the level follows its budget")
    @MainActor
    func store() async throws {
        let (frames, engine, records) = make()
        engine.answersAtOnce = true
        let device = Device()
        let store = ModelStore(
            runner: frames.runner, monitor: device, firstFrame: FirstFrameGate(isOpen: true),
            onChange: { budget, _ in frames.level = budget.level })
        store.activity = .session
        await eventually { frames.runner.state == .ready }
        device.set(.init(thermal: .serious))
        await eventually { frames.level == .reduced }
        for frame in 0..<6 {
            frames.submit(frame)
            await eventually { records.count == frame + 1 }
        }
        let decisions: [FrameDecision?] = (0..<6).map { records.decisions[$0] }
        #expect(decisions == [.run, .reuse, .reuse, .run, .reuse, .reuse])
        #expect(records[5]?.output == "seen 3")

        device.set(.init(thermal: .critical))
        await eventually { frames.level == .suspended && frames.runner.state != .ready }
        frames.submit(6)
        await eventually { records.count == 7 }
        #expect(records.decisions[6] == .fallback && records[6]?.budget == .suspended)
        #expect(engine.loads == 1)
    }

    @Test("An inference that fails is told about with its error")
    func failure() async throws {
        let (frames, engine, records) = make()
        try await frames.runner.prepare()
        engine.answersAtOnce = true
        engine.fails = true
        frames.submit(0)
        await eventually { records.count == 1 }
        #expect(records[0]?.failure is SteppedEngine.Failure)
        #expect(records[0]?.output == nil && frames.latestRecord == nil)
    }

    @Test("Many producers, a budget that jumps and a model that comes and goes: each frame once, one at a time")
    func contention() async throws {
        let (frames, engine, records) = make()
        engine.answersAtOnce = true
        let pending = Greatest()
        try await frames.runner.prepare()
        await withTaskGroup(of: Void.self) { group in
            for producer in 0..<4 {
                group.addTask {
                    for frame in 0..<300 {
                        frames.submit(producer * 1000 + frame)
                        pending.note(frames.pending)
                        if frame % 16 == 0 { await Task.yield() }
                    }
                }
            }
            group.addTask {
                for turn in 0..<60 {
                    frames.level = InferenceBudget.Level.allCases[turn % 3]
                    await Task.yield()
                }
                frames.level = .full
            }
            group.addTask {
                for _ in 0..<10 {
                    await frames.runner.release(.cancelInference)
                    try? await frames.runner.prepare()
                }
            }
        }
        await eventually { records.count == 1200 && frames.pending == 0 }
        #expect(records.decisions.count == 1200, "each frame was told about once")
        #expect(pending.value <= 2)
        #expect(engine.mostAtOnce <= 1)
    }

    @Test("60 frames a second over a model that takes 40 ms, on real time")
    func realTime() async throws {
        let (frames, engine, records) = make()
        engine.answersAfter = .milliseconds(40)
        try await frames.runner.prepare()
        let pending = Greatest()
        let start = ContinuousClock.now
        for frame in 0..<60 {
            try await Task.sleep(until: start + .seconds(Double(frame) / 60), clock: .continuous)
            frames.submit(frame)
            pending.note(frames.pending)
        }
        await eventually { records.count == 60 }
        #expect(pending.value <= 2)
        let runs = records.decisions.filter { $0.value == .run }.keys.sorted()
        #expect(engine.seen == runs, "in order")
        #expect(Set(records.decisions.values).isSubset(of: [.run, .drop]))
        // A second of frames is 25 inferences; on a busy machine fewer, and never more than fit into it.
        #expect(runs.count >= 2 && runs.count <= 60)
        #expect(runs.last == 59, "the newest frame is never dropped")
    }
}

/// An engine whose inferences end when a test says so.
final class SteppedEngine: ModelEngine, @unchecked Sendable {
    struct Failure: Error {}
    final class Model: Sendable {
        let engine: SteppedEngine
        init(_ engine: SteppedEngine) { self.engine = engine }
        func infer(_ frame: Int) async throws -> String { try await engine.infer(frame) }
    }

    private let lock = NSLock()
    private var state = State()
    private struct State {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var seen: [Int] = []
        var loads = 0
        var inside = 0
        var most = 0
        var answersAtOnce = false
        var delay: Duration?
        var fails = false
    }

    var seen: [Int] { lock.withLock { state.seen } }
    var loads: Int { lock.withLock { state.loads } }
    var mostAtOnce: Int { lock.withLock { state.most } }
    var answersAtOnce: Bool {
        get { lock.withLock { state.answersAtOnce } }
        set { lock.withLock { state.answersAtOnce = newValue } }
    }
    var answersAfter: Duration? {
        get { lock.withLock { state.delay } }
        set { lock.withLock { state.delay = newValue } }
    }
    var fails: Bool {
        get { lock.withLock { state.fails } }
        set { lock.withLock { state.fails = newValue } }
    }

    /// Ends the inference in flight, once there is one.
    func finishNext() async {
        while !Task.isCancelled {
            let next = lock.withLock { state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
            if let next { return next.resume() }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    fileprivate func infer(_ frame: Int) async throws -> String {
        let (atOnce, delay) = lock.withLock {
            state.seen.append(frame)
            state.inside += 1
            state.most = max(state.most, state.inside)
            return (state.answersAtOnce, state.delay)
        }
        defer { lock.withLock { state.inside -= 1 } }
        if let delay {
            try await Task.sleep(for: delay)
        } else if !atOnce {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isCancelled = lock.withLock {
                        if Task.isCancelled { return true }
                        state.waiting.append(continuation)
                        return false
                    }
                    if isCancelled { continuation.resume() }
                }
            } onCancel: {
                let all = lock.withLock {
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for continuation in all { continuation.resume() }
            }
        } else {
            await Task.yield()
        }
        try Task.checkCancellation()
        if fails { throw Failure() }
        return "seen \(frame)"
    }

    func profile() async throws -> RuntimeProfile {
        RuntimeProfile(
            model: "stepped", modelSHA256: "00", quantization: "none", contextLength: 0, computeUnits: "cpu",
            kernelSet: "none", runtimeVersion: "1", osBuild: "1", device: "test")
    }
    func workload() async throws -> Workload { Workload(compile: 0, load: 1, warmUp: 1) }
    func compile(_ progress: WorkProgress) async throws -> Compilation<Int> { Compilation(0, reused: true) }
    func load(_ compiled: Int, _ progress: WorkProgress) async throws -> Model {
        lock.withLock { state.loads += 1 }
        return Model(self)
    }
    func warmUp(_ model: Model, _ progress: WorkProgress) async throws {}
    func interrupt(_ model: Model) {}
    func unload(_ model: Model) async {}
}

/// What a classifier told; a frame that is reported twice is a failure of the test.
private final class Records: @unchecked Sendable {
    private let lock = NSLock()
    private var records: [Int: FrameRecord<String>] = [:]

    func add(_ record: FrameRecord<String>) {
        let isNew = lock.withLock { records.updateValue(record, forKey: record.frame) == nil }
        #expect(isNew, "frame \(record.frame) was told about twice")
    }
    var count: Int { lock.withLock { records.count } }
    var decisions: [Int: FrameDecision] { lock.withLock { records.mapValues(\.decision) } }
    subscript(frame: Int) -> FrameRecord<String>? { lock.withLock { records[frame] } }
}

private final class Greatest: @unchecked Sendable {
    private let lock = NSLock()
    private var greatest = 0
    func note(_ value: Int) { lock.withLock { greatest = max(greatest, value) } }
    var value: Int { lock.withLock { greatest } }
}

/// A device whose conditions a test sets.
private final class Device: DeviceMonitor, @unchecked Sendable {
    private let lock = NSLock()
    private var now = DeviceConditions.calm
    private var listeners: [AsyncStream<DeviceConditions>.Continuation] = []

    func set(_ conditions: DeviceConditions) {
        let all = lock.withLock {
            now = conditions
            return listeners
        }
        for listener in all { listener.yield(conditions) }
    }
    func current() -> DeviceConditions { lock.withLock { now } }
    func conditions() -> AsyncStream<DeviceConditions> {
        let (stream, continuation) = AsyncStream.makeStream(of: DeviceConditions.self)
        let first = lock.withLock {
            listeners.append(continuation)
            return now
        }
        continuation.yield(first)
        return stream
    }
}

/// Waits for something that other tasks are about to do; the suite's time limit ends it where they never do.
private func eventually(_ condition: @Sendable () async -> Bool) async {
    while !(await condition()), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}
