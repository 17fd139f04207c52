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
    /// What addresses and sizes of imported memory are multiples of; 0 if memory of this process cannot be imported.
    package let importAlignment: Int
    /// Maximum size of one import in bytes.
    package let importBytes: Int
    /// Number of threads of a subgroup, within which shaders reduce values; 0 if they reduce through shared memory alone.
    package private(set) var subgroupSize: Int
    /// What `HEARTH_GPU_WEIGHTS` selects; nil if the device decides.
    private(set) var wantedWeights: GPUWeightWay?
    /// How weights come to the device: in place in the mapped file for devices that share the memory of the processor.
    ///
    /// A device in software reads the file with threads of its driver, which block the signal of a lost page: a model file that is
    /// truncated would end the process.
    package var weights: GPUWeightWay {
        wantedWeights ?? (kind == .integrated && importAlignment > 0 ? .imported : .copied)
    }
    /// Whether shaders have the form that reduces within subgroups.
    package var usesSubgroups: Bool { subgroupSize > 0 }
    /// Digest of the shaders in the forms that the device runs.
    package var shaderDigest: String { GPUShader.digest(usesSubgroups: usesSubgroups) }
    /// The shaders, as profiles name the kernels.
    package var kernelSet: String { "shaders-\(shaderDigest.prefix(16))" }
    /// The same device with the portable forms of all shaders.
    package var withoutSubgroups: GPUDeviceInfo {
        var info = self
        info.subgroupSize = 0
        return info
    }
    /// Device and driver, as profiles name what computes.
    package var computeUnits: String { "gpu: \(name), driver: \(driver)" }
    /// What the shaders need, in words.
    package static var needs: String { GPUDriver.needs }
    /// Identifies device, driver, Vulkan version and pipeline cache format; compiled pipelines are valid only for the same
    /// identity.
    package let identity: String

    /// All devices of this machine, in the system's order. The first call loads the Vulkan library, except on Apple systems.
    /// - Parameter environment: `HEARTH_GPU_SUBGROUPS=0` selects the portable forms of shaders, `HEARTH_GPU_WEIGHTS` a
    ///   `GPUWeightWay`.
    /// - Throws: `GPUError.noLoader`, `.noDevice`, `.failed`.
    package static func all(environment: [String: String]) throws(GPUError) -> [GPUDeviceInfo] {
        var all = try GPUDriver.devices()
        if environment["HEARTH_GPU_SUBGROUPS"] == "0" { all = all.map(\.withoutSubgroups) }
        let way = environment["HEARTH_GPU_WEIGHTS"].flatMap(GPUWeightWay.init(rawValue:))
        return all.map { $0.with(way) }
    }

    private func with(_ way: GPUWeightWay?) -> GPUDeviceInfo {
        var info = self
        info.wantedWeights = way
        return info
    }

    /// The default device: a suitable hardware device if there is one, else a software implementation. `HEARTH_GPU` selects a
    /// device by its number.
    /// - Throws: `GPUError.noLoader`, `.noDevice`, `.unfit`.
    package static func preferred(environment: [String: String]) throws(GPUError) -> GPUDeviceInfo {
        let all = try all(environment: environment)
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
