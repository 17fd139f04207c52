#if canImport(Metal)
internal import Foundation
internal import Metal
internal import Synchronization

/// Copies that run beside the commands, on a queue of their own. Submissions end in their order.
final class MetalStream {
    private let queue: any MTLCommandQueue
    /// Submissions so far.
    private var count: UInt64 = 0
    private let progress = Progress()

    /// What completion handlers report.
    private final class Progress: Sendable {
        let condition = NSCondition()
        let ended = Atomic<UInt64>(0)
        let hasFailed = Atomic<Bool>(false)

        func end(_ number: UInt64, isWhole: Bool) {
            condition.lock()
            if !isWhole { hasFailed.store(true, ordering: .relaxed) }
            ended.store(number, ordering: .releasing)
            condition.broadcast()
            condition.unlock()
        }
    }

    init(_ queue: any MTLCommandQueue) { self.queue = queue }

    func submit(_ from: any MTLBuffer, _ parts: [StreamPart]) throws(GPUError) -> UInt64 {
        let number = count + 1
        let isSubmitted = autoreleasepool { () -> Bool in
            guard let buffer = queue.makeCommandBuffer(), let encoder = buffer.makeBlitCommandEncoder() else {
                return false
            }
            for part in parts where part.byteCount > 0 {
                encoder.copy(
                    from: from, sourceOffset: part.from, to: part.target.buffer, destinationOffset: part.offset,
                    size: part.byteCount)
            }
            encoder.endEncoding()
            buffer.addCompletedHandler { [progress] in progress.end(number, isWhole: $0.status == .completed) }
            buffer.commit()
            return true
        }
        guard isSubmitted else { throw .failed(call: "makeBlitCommandEncoder", code: 0) }
        count = number
        return number
    }

    /// - Parameter isLost: whether another thread has lost the device.
    func wait(for number: UInt64, timeoutMS: Int, isLost: () -> Bool) throws(GPUError) {
        let end = Date(timeIntervalSinceNow: Double(timeoutMS) / 1000)
        let condition = progress.condition
        condition.lock()
        defer { condition.unlock() }
        while progress.ended.load(ordering: .acquiring) < number {
            if isLost() { throw .deviceLost }
            let now = Date()
            guard now < end else { throw .timedOut(milliseconds: timeoutMS) }
            _ = condition.wait(until: min(end, now.addingTimeInterval(0.02)))
        }
        if progress.hasFailed.load(ordering: .relaxed) { throw .deviceLost }
    }
}

/// The memory that commands find by its address, which Metal keeps on the device. Two threads allocate and release it.
final class MetalResidents {
    private let set: any MTLResidencySet
    private let lock = NSLock()

    init(_ device: any MTLDevice, _ queue: any MTLCommandQueue) throws(GPUError) {
        do {
            set = try device.makeResidencySet(descriptor: MTLResidencySetDescriptor())
        } catch {
            throw .failed(call: "makeResidencySet, \(error.localizedDescription)", code: 0)
        }
        queue.addResidencySet(set)
    }

    /// Takes effect with the commit in front of the next commands.
    func add(_ buffer: any MTLBuffer) { lock.withLock { set.addAllocation(buffer) } }

    func remove(_ buffer: any MTLBuffer) {
        lock.withLock {
            set.removeAllocation(buffer)
            set.commit()
        }
    }

    func commit() { lock.withLock { set.commit() } }
}
#endif
