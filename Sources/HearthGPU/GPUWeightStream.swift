internal import HearthSystem

/// How weights come to a device.
package enum GPUWeightWay: String, Sendable, CaseIterable {
    /// In place in the mapped file where the driver takes it, the rest as `copied`.
    case imported
    /// Written to the device's memory by the processor where that is visible to it, otherwise as `staged`.
    case copied
    /// Through two buffers, from which the device copies them to memory that the processor does not see, as on discrete cards.
    case staged
}

/// Weights on their way to a device: a thread copies them in the order in which the first step needs them, while commands that need
/// none of them, and then the first layers, run already.
///
/// Places are reserved with `add`, in parts, each of which is waited for as a whole. `start` begins to copy. Before commands that
/// use a part are submitted, `wait` has to return for it; the device waits for what is still in flight then.
package final class GPUWeightStream {
    private let memory: GPUWeightMemory
    private let copier: WeightCopier
    /// Milliseconds that commands waited for weights, in `wait`.
    package private(set) var waitedMS = 0.0
    /// Number of parts that were waited for.
    package private(set) var waits = 0

    /// - Parameters:
    ///   - way: `imported` is as `copied`: what is imported needs no stream.
    ///   - stageBytes: size of each of the two buffers.
    ///   - beforePart: called on the copying thread before it copies a part, for tests.
    package init(
        _ device: GPUDevice, _ way: GPUWeightWay, stageBytes: Int = 16 << 20,
        beforePart: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        memory = GPUWeightMemory(device, way == .staged ? .closed : .near)
        copier = WeightCopier(device, stageBytes: stageBytes, beforePart: beforePart)
    }

    deinit { copier.stop() }

    // MARK: - Before the start

    /// Reserves memory for bytes, in the part at hand.
    /// - Parameter owner: keeps the bytes where they are until they were copied.
    /// - Throws: `GPUError`.
    package func add(_ bytes: UnsafeRawBufferPointer, owner: any Sendable) throws(GPUError) -> GPUPlace {
        let place = try memory.reserve(bytes.count)
        copier.add(.init(bytes: bytes, owner: owner, target: place))
        return place
    }

    /// Reserves memory for values, in the part at hand.
    /// - Throws: `GPUError`.
    package func add(_ values: [Float]) throws(GPUError) -> GPUPlace {
        let kept = WeightCopier.Values(values)
        return try add(kept.bytes, owner: kept)
    }

    /// Ends the part at hand.
    /// - Returns: its number, for `wait`.
    package func endPart() -> Int { copier.endPart() }

    /// Begins to copy.
    /// - Throws: `GPUError.outOfMemory` for the two buffers.
    package func start() throws(GPUError) { try copier.start() }

    // MARK: - After the start

    /// Whether weights go through the two buffers.
    package var isStaged: Bool { copier.isStaged }

    /// Whether all parts are on the device, so that nothing waits any more.
    package var isComplete: Bool { copier.isComplete }
    /// How long it took to copy all parts, in milliseconds; nil if that has not ended, or not well.
    package var copyMS: Double? { copier.copyMS }
    /// Whether commands that use the part need not wait on this thread.
    package func has(_ part: Int) -> Bool { copier.has(part) }

    /// Waits until a part, and with it all before it, is on the device or on its last way there.
    /// - Returns: what commands that use it have to be submitted after.
    /// - Throws: `GPUError` if it could not be copied; `CancellationError`.
    package func wait(for part: Int, isCancelled: () -> Bool) throws -> UInt64 {
        if let mark = try copier.mark(of: part) { return mark }
        let clock = ContinuousClock.now
        defer {
            waitedMS += (ContinuousClock.now - clock).milliseconds
            waits += 1
        }
        return try Trace.shared.interval("gpu: wait for weights", ["part": "\(part)"]) {
            try copier.wait(for: part, isCancelled)
        }
    }

    /// Ends the copying soon.
    package func cancel() { copier.cancel() }

    /// Ends the copying, and returns when nothing of it is in flight any more.
    package func stop() { copier.stop() }
}
