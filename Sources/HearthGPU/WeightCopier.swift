internal import Foundation
internal import HearthSystem
internal import Synchronization

/// The thread of a `GPUWeightStream`, and what it shares with the one that runs the commands.
final class WeightCopier: @unchecked Sendable {
    // Sendable: `work` belongs to the owner before `start` and to the copying thread after it, which has let go of everything when
    // `isFinished` is set; `isStaged` is set before it; all else is under the lock.

    /// Bytes to copy.
    struct Item {
        let bytes: UnsafeRawBufferPointer
        let owner: any Sendable
        let target: GPUPlace
    }

    /// Values in memory of their own.
    final class Values: Sendable {
        // Written by `init` alone, and released by `deinit`.
        nonisolated(unsafe) private let memory: UnsafeMutableBufferPointer<Float>
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

        init(_ values: [Float]) {
            memory = .allocate(capacity: values.count)
            _ = memory.initialize(from: values)
        }

        deinit { memory.deallocate() }
    }

    /// A buffer that the device copies from, and the last submission of the stream that does; 0 if there was none.
    private struct Stage {
        let buffer: GPUBuffer
        var number: UInt64 = 0
    }

    private struct Work {
        var device: GPUDevice?
        var timeoutMS = 0
        var parts: [[Item]] = [[]]
        /// Used in turn; none if the processor sees the device's memory.
        var stages: [Stage] = []
        /// The stage at hand, what is in it, and how many of its bytes are used.
        var stage = 0
        var pending: [StreamPart] = []
        var used = 0
        /// The last submission of the stream.
        var submitted: UInt64 = 0
    }

    /// So many bytes are written at once: between them the thread asks whether it is to stop.
    private static let stride = 4 << 20
    /// Metal copies whole words; there is room for one behind every item (`GPUWeightMemory.reserve`).
    private static func whole(_ byteCount: Int) -> Int { (byteCount + 3) / 4 * 4 }

    private var work = Work()
    private let stageBytes: Int
    private let beforePart: @Sendable (Int) -> Void
    private let isStopped = Atomic<Bool>(false)

    /// Whether `start` found memory that the processor does not see.
    private(set) var isStaged = false
    private let condition = NSCondition()
    /// For each part that was copied, the submission of the stream that ends it.
    private var marks: [UInt64] = []
    private var isFinished = true
    private var failure: GPUError?
    private var milliseconds: Double?

    init(_ device: GPUDevice, stageBytes: Int, beforePart: @escaping @Sendable (Int) -> Void) {
        work.device = device
        (self.stageBytes, self.beforePart) = (stageBytes, beforePart)
    }

    // MARK: - For the owner

    func add(_ item: Item) { work.parts[work.parts.count - 1].append(item) }

    func endPart() -> Int {
        work.parts.append([])
        return work.parts.count - 2
    }

    func start() throws(GPUError) {
        guard let device = work.device else { return }
        work.timeoutMS = device.timeoutMS
        // What follows the last part is empty.
        work.parts.removeLast()
        let staged = work.parts.joined().filter { $0.target.buffer.bytes == nil }.reduce(0) { $0 + $1.bytes.count }
        if staged > 0 {
            let size = Self.whole(min(stageBytes, staged))
            for _ in 0..<GPUDriver.streamDepth {
                work.stages.append(Stage(buffer: try GPUBuffer(device, byteCount: size, .shared)))
            }
        }
        isStaged = staged > 0
        isFinished = false
        Thread.detachNewThread { [self] in run() }
    }

    var isComplete: Bool { condition.withLock { isFinished && failure == nil && milliseconds != nil } }
    var copyMS: Double? { condition.withLock { milliseconds } }
    func has(_ part: Int) -> Bool { condition.withLock { part < marks.count } }

    /// The submission that ends a part; nil if it has not been submitted yet.
    func mark(of part: Int) throws(GPUError) -> UInt64? {
        condition.lock()
        defer { condition.unlock() }
        if part < marks.count { return marks[part] }
        if let failure { throw failure }
        return nil
    }

    func wait(for part: Int, _ isCancelled: () -> Bool) throws -> UInt64 {
        while true {
            if isCancelled() { throw CancellationError() }
            if let mark = try mark(of: part) { return mark }
            condition.lock()
            if part >= marks.count, !isFinished { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.005)) }
            let isOver = isFinished && part >= marks.count && failure == nil
            condition.unlock()
            // It was stopped.
            if isOver { throw CancellationError() }
        }
    }

    func cancel() { isStopped.store(true, ordering: .relaxed) }

    func stop() {
        cancel()
        condition.lock()
        while !isFinished { condition.wait() }
        condition.unlock()
        // Also without a start.
        work = Work()
    }

    // MARK: - On the copying thread

    private func run() {
        let clock = ContinuousClock.now
        let interval = Trace.shared.begin("gpu: copy weights", ["staged": "\(!work.stages.isEmpty)"])
        var failed: GPUError?
        do {
            for index in work.parts.indices where !isStopped.load(ordering: .relaxed) {
                beforePart(index)
                try copy(work.parts[index])
            }
        } catch {
            failed = error
        }
        do {
            // What is in flight reads the stages. If the device is lost, this throws at once, and they are left to the system.
            if work.submitted > 0 {
                try work.device?.driver.waitForStream(work.submitted, timeoutMS: work.timeoutMS)
            }
        } catch {
            failed = failed ?? error
        }
        let isWhole = failed == nil && !isStopped.load(ordering: .relaxed)
        // The owner may release the device next, on its thread.
        work = Work()
        Trace.shared.end(interval)
        condition.lock()
        if isWhole { milliseconds = (ContinuousClock.now - clock).milliseconds }
        failure = failed
        isFinished = true
        condition.broadcast()
        condition.unlock()
    }

    private func copy(_ items: [Item]) throws(GPUError) {
        for item in items {
            for first in Swift.stride(from: 0, to: item.bytes.count, by: Self.stride) {
                if isStopped.load(ordering: .relaxed) { return }
                let piece = UnsafeRawBufferPointer(
                    rebasing: item.bytes[first..<min(first + Self.stride, item.bytes.count)])
                try copy(piece, to: item.target.advanced(byBytes: first))
            }
        }
        try flush()
        condition.lock()
        marks.append(work.submitted)
        condition.broadcast()
        condition.unlock()
    }

    private func copy(_ bytes: UnsafeRawBufferPointer, to target: GPUPlace) throws(GPUError) {
        // What the processor writes before a submission is visible to its commands.
        if target.buffer.bytes != nil { return try target.buffer.upload(bytes, at: target.offset) }
        var done = 0
        while done < bytes.count {
            if work.used == 0 { try freeStage() }
            let stage = work.stages[work.stage].buffer
            let count = min(bytes.count - done, stage.byteCount - work.used)
            try stage.upload(UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]), at: work.used)
            work.pending.append(
                StreamPart(
                    target: target.buffer.memory, from: work.used, offset: target.offset + done,
                    byteCount: Self.whole(count)))
            done += count
            work.used += Self.whole(count)
            if work.used == stage.byteCount { try flush() }
        }
    }

    /// Waits until the device has copied what the stage at hand held.
    private func freeStage() throws(GPUError) {
        let number = work.stages[work.stage].number
        if number > 0 { try work.device?.driver.waitForStream(number, timeoutMS: work.timeoutMS) }
    }

    /// Submits what the stage holds.
    private func flush() throws(GPUError) {
        guard let driver = work.device?.driver, work.used > 0 else { return }
        work.submitted = try driver.stream(work.stages[work.stage].buffer.memory, work.pending)
        work.stages[work.stage].number = work.submitted
        work.stage = (work.stage + 1) % work.stages.count
        (work.pending, work.used) = ([], 0)
    }
}

/// One copy of a submission of the stream.
struct StreamPart {
    let target: GPUDriver.Memory
    /// Its offset in what is copied from.
    let from: Int
    /// Its offset in the target.
    let offset: Int
    let byteCount: Int
}
