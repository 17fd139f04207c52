import Foundation
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText
import Synchronization

/// `hearth startup prewarm`: how prewarming affects the main thread, and memory before and after. Measured in an
/// otherwise idle process.
struct StartupPrewarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "startup prewarm",
        abstract: "Measures how prewarming disturbs the main thread.",
        discussion: """
            A timer fires every 8 ms on the main thread: first with nothing else to do, then while the model is
            compiled, loaded and warmed up at low priority, as an app would do it. A thread beside it with the same
            timer and no other work shows what the machine itself delays meanwhile. Then the model is used and
            released, twice, and the resident memory is recorded at each step. The artifact is stored under
            HEARTH_HOME.
            """,
        examples: [("startup prewarm --model hearth-nano", "Prints timer gaps and memory, as JSON.")])

    @Option(valueName: "M", help: "GGUF file, or the name of an installed or bundled model.")
    var model: String
    @OptionGroup var engine: EngineOptions

    private struct Gaps: Encodable {
        var beats: Int
        var medianMS: Double
        var maximumMS: Double

        init(_ gaps: [Double]) {
            beats = gaps.count
            medianMS = gaps.sorted().dropFirst(gaps.count / 2).first ?? 0
            maximumMS = gaps.max() ?? 0
        }
    }

    private struct Result: Encodable {
        var idle: Gaps
        var warming: Gaps
        /// Of a thread that does nothing else, during `warming`.
        var beside = Gaps([])
        /// Whether anything was loaded before the first frame was shown.
        var loadedBeforeFirstFrame: Bool
        var residentBefore: Int
        var residentReady: [Int] = []
        var residentReleased: [Int] = []
    }

    mutating func run() async throws {
        let engine = try TextEngine(
            path: ModelLocator.current.path(of: model), threads: engine.threadCount, kernels: engine.kernels(),
            folders: HearthFolders(environment: ProcessInfo.processInfo.environment))
        try Output.standard.writeJSON(try await Self.measure(engine))
    }

    /// Simulates an app: a store on the main actor, and a heartbeat timer.
    @MainActor
    private static func measure(_ engine: TextEngine) async throws -> Result {
        let heart = Heartbeat()
        let store = ModelStore(
            runner: ModelRunner(engine: engine),
            monitor: ScriptedDeviceMonitor(try DeviceScript(parsing: "phase=active@0s")))
        store.prewarmIfNeeded()
        let idle = await heart.gaps(until: .seconds(1)) { false }
        let before = ProcessMemory.current()?.resident ?? 0
        var result = Result(
            idle: Gaps(idle), warming: Gaps([]), loadedBeforeFirstFrame: store.state != .cold, residentBefore: before)
        let beside = SideTimer()
        store.firstFrame.open()
        let warming = await heart.gaps(until: .seconds(3600)) { store.state == .ready || store.state.name == "failed" }
        (result.warming, result.beside) = (Gaps(warming), Gaps(beside.end()))
        for _ in 0..<2 {
            // Loads the model again if it was released.
            try await store.withModel { generator in _ = try await StartupProbe.steadyMS(generator) }
            result.residentReady.append(ProcessMemory.current()?.resident ?? 0)
            await store.runner.release()
            result.residentReleased.append(ProcessMemory.current()?.resident ?? 0)
        }
        return result
    }
}

/// The heartbeat's timer on a thread of its own.
private final class SideTimer: Sendable {
    private let gaps = Mutex<(all: [Double], isOver: Bool)>(([], false))

    init() {
        let thread = Thread { [self] in
            let clock = ContinuousClock()
            var last = clock.now
            while !gaps.withLock({ $0.isOver }) {
                Thread.sleep(forTimeInterval: 0.008)
                let now = clock.now
                gaps.withLock { $0.all.append((now - last).milliseconds) }
                last = now
            }
        }
        thread.start()
    }

    /// - Returns: intervals in milliseconds.
    func end() -> [Double] {
        gaps.withLock { gaps in
            gaps.isOver = true
            return gaps.all
        }
    }
}

/// A timer on the main actor that fires every 8 ms and records the intervals.
@MainActor
private struct Heartbeat {
    private let clock = ContinuousClock()

    /// - Returns: intervals in milliseconds, until `isDone` returns true or the time is up.
    func gaps(until limit: Duration, isDone: () -> Bool) async -> [Double] {
        var gaps: [Double] = []
        let begin = clock.now
        var last = begin
        var next = begin
        while clock.now - begin < limit, !isDone() {
            next = max(next + .milliseconds(8), clock.now)
            try? await Task.sleep(until: next, tolerance: .zero, clock: clock)
            let now = clock.now
            gaps.append((now - last).milliseconds)
            last = now
        }
        return gaps
    }
}
