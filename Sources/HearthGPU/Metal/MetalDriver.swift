#if canImport(Metal)
internal import Foundation
internal import HearthSystem
internal import Metal
internal import Synchronization

/// A device opened through Metal: memory, pipelines, commands, and a stream of copies beside them. Its counterpart elsewhere is that of `VulkanDriver.swift`.
///
/// Shaders find memory by its address, so no buffer is bound, and Metal tracks none of them: a residency set keeps them on the
/// device, and barriers and a fence order the commands.
final class GPUDriver {
    private let device: any MTLDevice
    private let queue: any MTLCommandQueue
    private let residents: MetalResidents
    private let copies: MetalStream
    private let fence: any MTLFence
    private let archive: MetalArchive
    private let libraries: MetalLibraries
    private var recording: Recording?
    private let loss = Atomic<Bool>(false)
    private var isLost: Bool {
        get { loss.load(ordering: .relaxed) }
        set { loss.store(newValue, ordering: .relaxed) }
    }

    init(_ info: GPUDeviceInfo, cache: [UInt8]) throws(GPUError) {
        let devices = Self.all
        guard devices.indices.contains(info.number) else { throw .noDevice }
        device = devices[info.number]
        guard info.isFit, let queue = device.makeCommandQueue(), let fence = device.makeFence(),
            let second = device.makeCommandQueue()
        else { throw .unfit(device: info.name) }
        residents = try MetalResidents(device, queue)
        copies = MetalStream(second)
        (self.queue, self.fence) = (queue, fence)
        (archive, libraries) = (MetalArchive(device, content: cache), MetalLibraries(device))
    }

    /// The binary archive with the pipelines compiled so far; empty where Metal has none.
    func cacheBytes() throws(GPUError) -> [UInt8] {
        if isLost { throw .deviceLost }
        do {
            return try archive.bytes()
        } catch {
            throw .failed(call: "serialize, \(error.localizedDescription)", code: 0)
        }
    }

    /// Memory of the device that this process may still take, in bytes; nil if the driver does not say.
    var availableBytes: Int? {
        max(0, Int(clamping: device.recommendedMaxWorkingSetSize) - device.currentAllocatedSize)
    }

    /// Creates a pipeline; may be called concurrently.
    func pipeline(_ key: GPUPipelineKey) throws(GPUError) -> Pipeline {
        do {
            let descriptor = MTLComputePipelineDescriptor()
            descriptor.label = key.shader.rawValue
            descriptor.computeFunction = try libraries.function(key)
            descriptor.maxTotalThreadsPerThreadgroup = Self.threads
            let state = try archive.pipeline(descriptor)
            guard state.maxTotalThreadsPerThreadgroup >= Self.threads else { throw GPUError.unfit(device: device.name) }
            return Pipeline(state: state)
        } catch let error as GPUError {
            throw error
        } catch {
            throw .failed(call: "pipeline of \(key.shader.rawValue), \(error.localizedDescription)", code: 0)
        }
    }

    // MARK: - Commands

    /// Threads of a group, as `local_size_x` of every shader says.
    private static let threads = 64

    /// A command buffer in the making, and the encoder that takes its next command.
    private struct Recording {
        let buffer: any MTLCommandBuffer
        var compute: (any MTLComputeCommandEncoder)?
        var blit: (any MTLBlitCommandEncoder)?
        /// Whether an earlier encoder has updated the fence.
        var isFenced = false
        /// Whether the next command need not wait for the one before it.
        var isBeside = false
        /// Whether Metal refused an encoder, so that commands are missing.
        var isIncomplete = false
    }

    /// Records the commands of `body`, runs them and waits for them. Each command sees the results of earlier ones.
    /// - Parameter number: the submission of the stream that they wait for, on this thread; 0 for none.
    func submit(timeoutMS: Int, after number: UInt64, _ body: () throws(GPUError) -> Void) throws(GPUError) {
        if number > 0 { try waitForStream(number, timeoutMS: timeoutMS) }
        if isLost { throw .deviceLost }
        var failure: GPUError?
        autoreleasepool {
            do throws(GPUError) {
                guard let buffer = queue.makeCommandBuffer() else { throw .failed(call: "makeCommandBuffer", code: 0) }
                recording = Recording(buffer: buffer)
                // An encoder must have ended before it is released.
                defer {
                    endEncoding()
                    recording = nil
                }
                try body()
                endEncoding()
                if recording?.isIncomplete == true { throw .failed(call: "makeCommandEncoder", code: 0) }
                try run(buffer, timeoutMS)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    func dispatch(_ pipeline: Pipeline, _ arguments: [UInt32], _ x: Int, _ y: Int) {
        guard x > 0, y > 0, let encoder = computeEncoder() else { return }
        encoder.setComputePipelineState(pipeline.state)
        // The kernel's structure begins with addresses, so its size is a multiple of 8.
        let padded = arguments.count % 2 == 0 ? arguments : arguments + [0]
        padded.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { encoder.setBytes(start, length: bytes.count, index: 0) }
        }
        encoder.dispatchThreadgroups(
            MTLSize(width: x, height: y, depth: 1),
            threadsPerThreadgroup: MTLSize(width: Self.threads, height: 1, depth: 1))
    }

    /// The next command does not wait for the one before it.
    func beside() { recording?.isBeside = true }

    func copy(_ from: Memory, _ offset: Int, to: Memory, _ toOffset: Int, byteCount: Int) {
        guard byteCount > 0, let encoder = blitEncoder() else { return }
        encoder.copy(
            from: from.buffer, sourceOffset: offset, to: to.buffer, destinationOffset: toOffset, size: byteCount)
    }

    private func run(_ buffer: any MTLCommandBuffer, _ timeoutMS: Int) throws(GPUError) {
        residents.commit()
        let finished = DispatchSemaphore(value: 0)
        buffer.addCompletedHandler { _ in finished.signal() }
        buffer.commit()
        // No time at all has always passed, however quick the device was.
        guard timeoutMS > 0, finished.wait(timeout: .now() + .milliseconds(timeoutMS)) == .success else {
            isLost = true
            throw .timedOut(milliseconds: timeoutMS)
        }
        if buffer.status == .completed { return }
        let error = buffer.error as? MTLCommandBufferError
        switch error?.code {
        case .outOfMemory?: throw .outOfMemory(bytes: 0)
        case .timeout?:
            isLost = true
            throw .timedOut(milliseconds: timeoutMS)
        case .accessRevoked?, .deviceRemoved?:
            isLost = true
            throw .deviceLost
        default: throw .failed(call: "commit", code: error?.errorCode ?? 0)
        }
    }

    private func computeEncoder() -> (any MTLComputeCommandEncoder)? {
        if let encoder = recording?.compute {
            if recording?.isBeside != true { encoder.memoryBarrier(scope: .buffers) }
            recording?.isBeside = false
            return encoder
        }
        endEncoding()
        // Concurrent, as the barrier above says what waits for what.
        let encoder = recording?.buffer.makeComputeCommandEncoder(dispatchType: .concurrent)
        if encoder == nil { recording?.isIncomplete = true }
        if recording?.isFenced == true { encoder?.waitForFence(fence) }
        recording?.compute = encoder
        return encoder
    }

    /// An encoder for a single copy: it ends in front of the next one, which waits for it.
    private func blitEncoder() -> (any MTLBlitCommandEncoder)? {
        endEncoding()
        let encoder = recording?.buffer.makeBlitCommandEncoder()
        if encoder == nil { recording?.isIncomplete = true }
        if recording?.isFenced == true { encoder?.waitForFence(fence) }
        recording?.blit = encoder
        return encoder
    }

    private func endEncoding() {
        recording?.isBeside = false
        if let encoder = recording?.compute {
            encoder.updateFence(fence)
            encoder.endEncoding()
            recording?.isFenced = true
        }
        if let encoder = recording?.blit {
            encoder.updateFence(fence)
            encoder.endEncoding()
            recording?.isFenced = true
        }
        recording?.compute = nil
        recording?.blit = nil
    }

    // MARK: - The stream

    /// Maximum number of submissions of the stream that are in flight.
    static let streamDepth = 2

    /// Submits copies that run beside the commands. For one thread, which may be another than that of the commands.
    /// - Returns: the number of the submission, from 1 on.
    func stream(_ from: Memory, _ parts: [StreamPart]) throws(GPUError) -> UInt64 {
        if isLost { throw .deviceLost }
        return try copies.submit(from.buffer, parts)
    }

    /// Waits until a submission of the stream has ended.
    func waitForStream(_ number: UInt64, timeoutMS: Int) throws(GPUError) {
        do {
            try copies.wait(for: number, timeoutMS: timeoutMS) { isLost }
        } catch {
            switch error {
            case .deviceLost, .timedOut: isLost = true
            default: break
            }
            throw error
        }
    }

    // MARK: - What a device makes

    struct Pipeline {
        let state: any MTLComputePipelineState
    }

    final class Memory {
        let buffer: any MTLBuffer
        private let driver: GPUDriver
        /// What keeps imported bytes where they are.
        private var owner: (any AnyObject & Sendable)?

        init(_ driver: GPUDriver, byteCount: Int, _ place: GPUBuffer.Place) throws(GPUError) {
            if driver.isLost { throw .deviceLost }
            let isShared = place == .shared || (place == .near && driver.device.hasUnifiedMemory)
            let length = max(byteCount, 4)
            guard length <= driver.device.maxBufferLength,
                let buffer = driver.device.makeBuffer(
                    length: length, options: isShared ? .storageModeShared : .storageModePrivate)
            else { throw .outOfMemory(bytes: byteCount) }
            (self.buffer, self.driver) = (buffer, driver)
            // Takes effect with the commit in front of the next commands.
            driver.residents.add(buffer)
        }

        /// Uses whole pages of this process in place: with unified memory the device has the same ones.
        init(
            _ driver: GPUDriver, importing bytes: UnsafeRawBufferPointer, owner: any AnyObject & Sendable
        ) throws(GPUError) {
            if driver.isLost { throw .deviceLost }
            guard let start = bytes.baseAddress, bytes.count <= driver.device.maxBufferLength,
                let buffer = driver.device.makeBuffer(
                    bytesNoCopy: UnsafeMutableRawPointer(mutating: start), length: bytes.count,
                    options: .storageModeShared, deallocator: nil)
            else { throw .outOfMemory(bytes: bytes.count) }
            (self.buffer, self.driver, self.owner) = (buffer, driver, owner)
            driver.residents.add(buffer)
        }

        deinit {
            // What hangs may still use it, and is left to the system.
            if driver.isLost {
                if let owner { _ = Unmanaged.passRetained(owner) }
                return
            }
            driver.residents.remove(buffer)
        }

        /// Its address on the device.
        var address: UInt64 { buffer.gpuAddress }
        /// Its bytes, if it is host-visible.
        var bytes: UnsafeMutableRawPointer? { buffer.storageMode == .shared ? buffer.contents() : nil }
    }
}

extension GPUDriver {
    static let interface = "Metal"
    static let needs = "Metal 3"

    private static var all: [any MTLDevice] {
        #if os(macOS)
        MTLCopyAllDevices()
        #else
        MTLCreateSystemDefaultDevice().map { [$0] } ?? []
        #endif
    }

    /// All devices of this machine, in the system's order.
    static func devices() throws(GPUError) -> [GPUDeviceInfo] {
        let devices = all
        if devices.isEmpty { throw .noDevice }
        // Metal and its drivers are part of the system.
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        return devices.enumerated().map { number, device in
            GPUDeviceInfo(
                number: number, name: device.name, driver: "Metal, \(system)",
                kind: device.hasUnifiedMemory ? .integrated : .discrete,
                memoryBytes: Int(clamping: device.recommendedMaxWorkingSetSize),
                // Addresses of buffers in shaders.
                isFit: device.supportsFamily(.metal3),
                // Memory of its own is faster for a device that has it.
                importAlignment: device.hasUnifiedMemory ? MappedFile.page : 0,
                importBytes: device.hasUnifiedMemory ? device.maxBufferLength / MappedFile.page * MappedFile.page : 0,
                // Devices of Metal 3 reduce within SIMD groups. Their size is a pipeline's, so that this is an estimate, by which
                // work is divided.
                subgroupSize: 32,
                identity: String(SHA256.digest(of: "\(device.name)\n\(system)".utf8).prefix(32)))
        }
    }
}
#endif
