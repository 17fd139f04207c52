internal import CHearthGPU

/// A device as described by its driver.
package struct GPUDeviceInfo: Sendable, Equatable {
    /// The type of device.
    package enum Kind: String, Sendable { case other, integrated, discrete, virtual, software }

    /// Its index in the list of devices.
    package let number: Int
    /// The device's name.
    package let name: String
    /// The driver's name and version.
    package let driver: String
    package let kind: Kind
    /// Size of its largest memory heap in bytes.
    package let memoryBytes: Int
    /// Whether it has the features that the shaders need.
    package let isFit: Bool
    /// Identifies device, driver, Vulkan version and pipeline cache format; compiled pipelines are valid only for the same
    /// identity.
    package let identity: String

    init(_ info: hearth_gpu_info, number: Int) {
        func text<T>(_ field: T) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        func hex<T: FixedWidthInteger>(_ number: T) -> String { String(number, radix: 16) }
        self.number = number
        name = text(info.name)
        let words = [text(info.driver), text(info.driver_info)].filter { !$0.isEmpty }
        driver = words.isEmpty ? hex(info.driver_version) : words.joined(separator: ", ")
        kind =
            switch info.kind {
            case HEARTH_GPU_INTEGRATED: .integrated
            case HEARTH_GPU_DISCRETE: .discrete
            case HEARTH_GPU_VIRTUAL: .virtual
            case HEARTH_GPU_SOFTWARE: .software
            default: .other
            }
        memoryBytes = Int(clamping: info.memory_bytes)
        isFit = info.is_fit
        let cache = withUnsafeBytes(of: info.cache_id) { $0.map { hex($0 >> 4) + hex($0 & 15) }.joined() }
        identity =
            [info.vendor, info.device, info.driver_version, info.api_version].map(hex).joined(separator: "-") + "-"
            + cache
    }

    /// All devices of this machine, in the system's order. The first call loads the Vulkan library.
    /// - Throws: `GPUError.noLoader`, `.noDevice`, `.failed`.
    package static func all() throws(GPUError) -> [GPUDeviceInfo] {
        var infos = [hearth_gpu_info](repeating: hearth_gpu_info(), count: 16)
        var count = 0
        try GPUError.check(hearth_gpu_list(&infos, infos.count, &count), "vkEnumeratePhysicalDevices")
        return infos.prefix(count).enumerated().map { GPUDeviceInfo($1, number: $0) }
    }

    /// The default device: a suitable hardware device if there is one, else a software implementation. `HEARTH_GPU` selects a
    /// device by its number.
    /// - Throws: `GPUError.noLoader`, `.noDevice`, `.unfit`.
    package static func preferred(environment: [String: String]) throws(GPUError) -> GPUDeviceInfo {
        let all = try all()
        if let wanted = environment["HEARTH_GPU"], !wanted.isEmpty {
            guard let found = all.first(where: { String($0.number) == wanted }) else { throw .noDevice }
            guard found.isFit else { throw .unfit(device: found.name) }
            return found
        }
        let order: [Kind] = [.discrete, .integrated, .virtual, .other, .software]
        func rank(_ info: GPUDeviceInfo) -> Int { order.firstIndex(of: info.kind) ?? order.count }
        guard let best = all.filter(\.isFit).min(by: { rank($0) < rank($1) }) else {
            throw .unfit(device: all.map(\.name).joined(separator: ", "))
        }
        return best
    }
}
