internal import Foundation
internal import HearthSystem

/// An open device: memory, pipelines, and its queue. Used by one thread at a time.
package final class GPUDevice {
    package let info: GPUDeviceInfo
    /// Time limit for one submission in milliseconds, after which the device counts as hung: longer for a device in software, which
    /// may wait for processors that other programs use.
    package var timeoutMS: Int
    /// Time spent creating pipelines so far, in milliseconds.
    package private(set) var pipelineMS = 0.0
    let driver: GPUDriver
    /// Number of pipelines created so far.
    package var pipelineCount: Int { pipelines.count }
    private var pipelines: [GPUPipelineKey: GPUDriver.Pipeline] = [:]

    /// - Parameter cache: an earlier result of `cacheBytes`; empty for none.
    /// - Throws: `GPUError`.
    package init(_ info: GPUDeviceInfo, cache: [UInt8] = []) throws(GPUError) {
        self.info = info
        timeoutMS = info.kind == .software ? 300_000 : 20_000
        driver = try GPUDriver(info, cache: cache)
    }

    /// The driver's pipeline cache, in its own format.
    package func cacheBytes() throws(GPUError) -> [UInt8] { try driver.cacheBytes() }

    /// Memory of the device that this process may still take, in bytes; nil if the driver does not say.
    package var availableBytes: Int? { driver.availableBytes }

    /// Checks that there is as much memory, before time is spent on filling it. Passes if the driver does not say.
    /// - Throws: `GPUError.outOfMemory`.
    package func require(bytes: Int) throws(GPUError) {
        if let available = availableBytes, bytes > available { throw .outOfMemory(bytes: bytes) }
    }

    // MARK: - Pipelines

    /// Creates pipelines that will be needed, in parallel on all processors.
    /// - Throws: `GPUError`.
    package func prepare(_ keys: Set<GPUPipelineKey>) throws(GPUError) {
        let missing = Set(keys.map(form)).filter { pipelines[$0] == nil }.sorted()
        guard !missing.isEmpty else { return }
        let clock = ContinuousClock.now
        let made = GPUPipelineWork(driver: driver, keys: missing).run()
        pipelineMS += (ContinuousClock.now - clock).milliseconds
        for (key, result) in zip(missing, made) { pipelines[key] = try? result?.get() }
        for result in made { _ = try result?.get() }
    }

    func pipeline(_ key: GPUPipelineKey) throws(GPUError) -> GPUDriver.Pipeline {
        let key = form(key)
        if let known = pipelines[key] { return known }
        try prepare([key])
        guard let made = pipelines[key] else { throw .notCovered(what: "shader \(key.shader.rawValue)") }
        return made
    }

    /// The form of a shader that this device runs.
    private func form(_ key: GPUPipelineKey) -> GPUPipelineKey { info.usesSubgroups ? key.withSubgroups : key }

    // MARK: - Work

    /// Records commands with `body`, runs them and waits for completion. Each command sees the results of earlier ones.
    /// - Parameter copies: what `GPUWeightStream.wait` returned; 0 for commands that use no weights of a stream.
    /// - Throws: `GPUError`; after `.timedOut` and `.deviceLost` the device cannot be used any more.
    package func submit(after copies: UInt64 = 0, _ body: (GPUCommands) throws(GPUError) -> Void) throws(GPUError) {
        try driver.submit(timeoutMS: timeoutMS, after: copies) { () throws(GPUError) in
            try body(GPUCommands(device: self))
        }
    }
}

/// Creates pipelines in parallel.
private struct GPUPipelineWork: @unchecked Sendable {
    // Sendable: each iteration writes its own element, and pipelines may be created concurrently on a device.
    let driver: GPUDriver
    let keys: [GPUPipelineKey]

    func run() -> [Result<GPUDriver.Pipeline, GPUError>?] {
        var results = [Result<GPUDriver.Pipeline, GPUError>?](repeating: nil, count: keys.count)
        results.withUnsafeMutableBufferPointer { results in
            nonisolated(unsafe) let results = results
            DispatchQueue.concurrentPerform(iterations: keys.count) { index in
                results[index] = Result { () throws(GPUError) in try driver.pipeline(keys[index]) }
            }
        }
        return results
    }
}
