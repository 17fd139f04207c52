internal import CHearthGPU
internal import Foundation
internal import HearthSystem

/// An open device: memory, pipelines, and its queue. Used by one thread at a time.
package final class GPUDevice {
    package let info: GPUDeviceInfo
    /// Time limit for one submission in milliseconds, after which the device counts as hung.
    package var timeoutMS = 20_000
    /// Time spent creating pipelines so far, in milliseconds.
    package private(set) var pipelineMS = 0.0
    let handle: OpaquePointer
    private var pipelines: [GPUPipelineKey: GPUPipeline] = [:]

    /// - Parameter cache: an earlier result of `cacheBytes`; empty for none.
    /// - Throws: `GPUError`.
    package init(_ info: GPUDeviceInfo, cache: [UInt8] = []) throws(GPUError) {
        self.info = info
        var opened: OpaquePointer?
        let status = cache.withUnsafeBytes { hearth_gpu_open(info.number, $0.baseAddress, $0.count, &opened) }
        try GPUError.check(status, "vkCreateDevice", device: info.name)
        guard let opened else { throw .noDevice }
        handle = opened
    }

    deinit {
        for pipeline in pipelines.values { hearth_gpu_pipeline_free(handle, pipeline.handle) }
        hearth_gpu_close(handle)
    }

    /// The driver's pipeline cache, in its own format.
    package func cacheBytes() throws(GPUError) -> [UInt8] {
        var count = 0
        try GPUError.check(hearth_gpu_cache(handle, nil, &count), "vkGetPipelineCacheData")
        var bytes = [UInt8](repeating: 0, count: count)
        try GPUError.check(hearth_gpu_cache(handle, &bytes, &count), "vkGetPipelineCacheData")
        return Array(bytes.prefix(count))
    }

    // MARK: - Pipelines

    /// Creates pipelines that will be needed, in parallel on all processors.
    /// - Throws: `GPUError`.
    package func prepare(_ keys: Set<GPUPipelineKey>) throws(GPUError) {
        let missing = keys.filter { pipelines[$0] == nil }.sorted()
        guard !missing.isEmpty else { return }
        let clock = ContinuousClock.now
        let made = GPUPipelineWork(handle: handle, keys: missing).run()
        pipelineMS += (ContinuousClock.now - clock).milliseconds
        for (key, result) in zip(missing, made) where result.pipeline != nil {
            pipelines[key] = result.pipeline.map(GPUPipeline.init)
        }
        for result in made { try GPUError.check(result.status, "vkCreateComputePipelines", device: info.name) }
    }

    func pipeline(_ key: GPUPipelineKey) throws(GPUError) -> GPUPipeline {
        if let known = pipelines[key] { return known }
        try prepare([key])
        guard let made = pipelines[key] else { throw .notCovered(what: "shader \(key.shader.rawValue)") }
        return made
    }

    // MARK: - Work

    /// Records commands with `body`, runs them and waits for completion. Each command sees the results of earlier ones.
    /// - Throws: `GPUError`; after `.timedOut` and `.deviceLost` the device cannot be used any more.
    package func submit(_ body: (GPUCommands) throws(GPUError) -> Void) throws(GPUError) {
        try GPUError.check(hearth_gpu_begin(handle), "vkBeginCommandBuffer")
        try body(GPUCommands(device: self))
        let status = hearth_gpu_run(handle, UInt64(max(timeoutMS, 0)) * 1_000_000)
        if Int(status) == HEARTH_GPU_TIMEOUT { throw .timedOut(milliseconds: timeoutMS) }
        try GPUError.check(status, "vkQueueSubmit")
    }
}

struct GPUPipeline {
    let handle: OpaquePointer
}

/// Creates pipelines in parallel.
private struct GPUPipelineWork: @unchecked Sendable {
    // Sendable: each iteration writes its own element, and pipelines may be created concurrently on a device.
    struct Result {
        var pipeline: OpaquePointer?
        var status: hearth_gpu_status = 0
    }
    let handle: OpaquePointer
    let keys: [GPUPipelineKey]

    func run() -> [Result] {
        var results = [Result](repeating: Result(), count: keys.count)
        results.withUnsafeMutableBufferPointer { results in
            nonisolated(unsafe) let results = results
            DispatchQueue.concurrentPerform(iterations: keys.count) { index in
                let key = keys[index]
                let code = spirv(key.shader)
                results[index].status = hearth_gpu_pipeline_make(
                    handle, code.words, code.byteCount, key.constants, key.constants.count, &results[index].pipeline)
            }
        }
        return results
    }
}
