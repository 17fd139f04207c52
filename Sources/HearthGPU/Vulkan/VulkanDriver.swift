#if !canImport(Metal)
internal import CHearthGPU
internal import Foundation

/// A device opened through Vulkan: memory, pipelines, commands, and a stream of copies beside them. Apple systems have that of `MetalDriver.swift`.
final class GPUDriver {
    private let handle: OpaquePointer
    private let name: String

    init(_ info: GPUDeviceInfo, cache: [UInt8]) throws(GPUError) {
        var opened: OpaquePointer?
        let status = cache.withUnsafeBytes { hearth_gpu_open(info.number, $0.baseAddress, $0.count, &opened) }
        try GPUError.check(status, "vkCreateDevice", device: info.name)
        guard let opened else { throw .noDevice }
        (handle, name) = (opened, info.name)
    }

    deinit { hearth_gpu_close(handle) }

    /// The driver's pipeline cache, in its own format.
    func cacheBytes() throws(GPUError) -> [UInt8] {
        var count = 0
        try GPUError.check(hearth_gpu_cache(handle, nil, &count), "vkGetPipelineCacheData")
        var bytes = [UInt8](repeating: 0, count: count)
        try GPUError.check(hearth_gpu_cache(handle, &bytes, &count), "vkGetPipelineCacheData")
        return Array(bytes.prefix(count))
    }

    /// Memory of the device that this process may still take, in bytes; nil if the driver does not say.
    var availableBytes: Int? {
        let bytes = hearth_gpu_available(handle)
        return bytes == .max ? nil : Int(clamping: bytes)
    }

    /// Creates a pipeline; may be called concurrently.
    func pipeline(_ key: GPUPipelineKey) throws(GPUError) -> Pipeline {
        let code = key.code
        var made: OpaquePointer?
        let status = hearth_gpu_pipeline_make(
            handle, code.bindMemory(to: UInt32.self).baseAddress, code.count, key.constants, key.constants.count, &made)
        try GPUError.check(status, "vkCreateComputePipelines", device: name)
        guard let made else { throw .notCovered(what: "shader \(key.shader.rawValue)") }
        return Pipeline(handle: made, driver: self)
    }

    // MARK: - Commands

    /// Records the commands of `body`, runs them and waits for them. Each command sees the results of earlier ones.
    /// - Parameter copies: the submission of the stream that they wait for; 0 for none.
    func submit(timeoutMS: Int, after copies: UInt64, _ body: () throws(GPUError) -> Void) throws(GPUError) {
        try GPUError.check(hearth_gpu_begin(handle), "vkBeginCommandBuffer")
        try body()
        let status = hearth_gpu_run(handle, copies, UInt64(max(timeoutMS, 0)) * 1_000_000)
        if Int(status) == HEARTH_GPU_TIMEOUT { throw .timedOut(milliseconds: timeoutMS) }
        try GPUError.check(status, "vkQueueSubmit")
    }

    func dispatch(_ pipeline: Pipeline, _ arguments: [UInt32], _ x: Int, _ y: Int) {
        arguments.withUnsafeBytes {
            hearth_gpu_dispatch(handle, pipeline.handle, $0.baseAddress, UInt32($0.count), UInt32(x), UInt32(y))
        }
    }

    /// The next command does not wait for the one before it.
    func beside() { hearth_gpu_beside(handle) }

    func copy(_ from: Memory, _ offset: Int, to: Memory, _ toOffset: Int, byteCount: Int) {
        var (source, target) = (from.block, to.block)
        hearth_gpu_copy(handle, &source, UInt64(offset), &target, UInt64(toOffset), UInt64(byteCount))
    }

    // MARK: - The stream

    /// Maximum number of submissions of the stream that are in flight.
    static let streamDepth = Int(HEARTH_GPU_STREAM_DEPTH)

    /// Submits copies that run beside the commands. For one thread, which may be another than that of the commands.
    /// - Returns: the number of the submission, from 1 on.
    func stream(_ from: Memory, _ parts: [StreamPart]) throws(GPUError) -> UInt64 {
        var source = from.block
        let parts = parts.map {
            hearth_gpu_part(
                buffer: $0.target.block.buffer, from_offset: UInt64($0.from), to_offset: UInt64($0.offset),
                byte_count: UInt64($0.byteCount))
        }
        var number: UInt64 = 0
        try GPUError.check(hearth_gpu_stream_copy(handle, &source, parts, parts.count, &number), "vkQueueSubmit")
        return number
    }

    /// Waits until a submission of the stream has ended.
    func waitForStream(_ number: UInt64, timeoutMS: Int) throws(GPUError) {
        let status = hearth_gpu_stream_wait(handle, number, UInt64(max(timeoutMS, 0)) * 1_000_000)
        if Int(status) == HEARTH_GPU_TIMEOUT { throw .timedOut(milliseconds: timeoutMS) }
        try GPUError.check(status, "vkWaitSemaphores")
    }

    // MARK: - What a device makes

    final class Pipeline {
        let handle: OpaquePointer
        private let driver: GPUDriver

        init(handle: OpaquePointer, driver: GPUDriver) { (self.handle, self.driver) = (handle, driver) }

        deinit { hearth_gpu_pipeline_free(driver.handle, handle) }
    }

    final class Memory {
        var block = hearth_gpu_memory()
        private let driver: GPUDriver
        /// What keeps imported bytes where they are.
        private var owner: (any AnyObject & Sendable)?

        init(_ driver: GPUDriver, byteCount: Int, _ place: GPUBuffer.Place) throws(GPUError) {
            self.driver = driver
            let where_: hearth_gpu_place =
                switch place {
                case .near: HEARTH_GPU_NEAR
                case .closed: HEARTH_GPU_CLOSED
                case .shared: HEARTH_GPU_SHARED
                }
            try GPUError.check(
                hearth_gpu_memory_make(driver.handle, UInt64(byteCount), where_, &block), "vkAllocateMemory",
                bytes: byteCount)
        }

        /// Uses bytes of this process in place.
        init(
            _ driver: GPUDriver, importing bytes: UnsafeRawBufferPointer, owner: any AnyObject & Sendable
        ) throws(GPUError) {
            (self.driver, self.owner) = (driver, owner)
            try GPUError.check(
                hearth_gpu_memory_import(driver.handle, bytes.baseAddress, UInt64(bytes.count), &block),
                "vkAllocateMemory", bytes: bytes.count)
        }

        deinit {
            hearth_gpu_memory_free(driver.handle, &block)
            // What hangs may still read it.
            if let owner, hearth_gpu_is_lost(driver.handle) { _ = Unmanaged.passRetained(owner) }
        }

        /// Its address on the device.
        var address: UInt64 { block.address }
        /// Its bytes, if it is host-visible.
        var bytes: UnsafeMutableRawPointer? { block.bytes }
    }
}

extension GPUDriver {
    static let interface = "Vulkan"
    static let needs = "Vulkan 1.2 with buffer addresses"

    /// All devices of this machine, in the system's order. The first call loads the Vulkan library.
    static func devices() throws(GPUError) -> [GPUDeviceInfo] {
        var infos = [hearth_gpu_info](repeating: hearth_gpu_info(), count: 16)
        var count = 0
        try GPUError.check(hearth_gpu_list(&infos, infos.count, &count), "vkEnumeratePhysicalDevices")
        return infos.prefix(count).enumerated().map { GPUDeviceInfo($1, number: $0) }
    }
}

extension GPUDeviceInfo {
    fileprivate init(_ info: hearth_gpu_info, number: Int) {
        func text<T>(_ field: T) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        func hex<T: FixedWidthInteger>(_ number: T) -> String { String(number, radix: 16) }
        let words = [text(info.driver), text(info.driver_info)].filter { !$0.isEmpty }
        let kind: Kind =
            switch info.kind {
            case HEARTH_GPU_INTEGRATED: .integrated
            case HEARTH_GPU_DISCRETE: .discrete
            case HEARTH_GPU_VIRTUAL: .virtual
            case HEARTH_GPU_SOFTWARE: .software
            default: .other
            }
        let cache = withUnsafeBytes(of: info.cache_id) { $0.map { hex($0 >> 4) + hex($0 & 15) }.joined() }
        let versions = [info.vendor, info.device, info.driver_version, info.api_version].map(hex)
        self.init(
            number: number, name: text(info.name),
            driver: words.isEmpty ? hex(info.driver_version) : words.joined(separator: ", "), kind: kind,
            memoryBytes: Int(clamping: info.memory_bytes), isFit: info.is_fit,
            importAlignment: Int(clamping: info.import_alignment), importBytes: Int(clamping: info.import_bytes),
            subgroupSize: Int(clamping: info.subgroup_size), identity: versions.joined(separator: "-") + "-" + cache)
    }
}

extension GPUError {
    /// Checks a status.
    /// - Throws: the corresponding error, unless the status is success.
    fileprivate static func check(
        _ status: hearth_gpu_status, _ call: String, device: String = "", bytes: Int = 0
    ) throws(GPUError) {
        switch Int(status) {
        case 0: return
        case HEARTH_GPU_NO_LOADER: throw .noLoader
        case HEARTH_GPU_NO_DEVICE: throw .noDevice
        case HEARTH_GPU_UNFIT: throw .unfit(device: device)
        case HEARTH_GPU_TIMEOUT: throw .timedOut(milliseconds: 0)
        case -1, -2, HEARTH_GPU_NO_MEMORY_TYPE: throw .outOfMemory(bytes: bytes)
        case -4: throw .deviceLost
        default: throw .failed(call: call, code: Int(status))
        }
    }
}
#endif
