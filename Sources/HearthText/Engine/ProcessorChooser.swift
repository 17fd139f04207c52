internal import Foundation
package import HearthCompute
package import HearthDelivery
package import HearthGPU
package import HearthRuntime
internal import HearthSystem
internal import Synchronization

/// Decides which processor `--compute auto` takes for a model, by what `hearth units` measured.
package struct ProcessorChooser: Sendable {
    /// The model's file, or all files of a package.
    package var source: SourceIdentity
    /// Hearth's cache folder.
    package var cacheFolder: String
    package var kernels: KernelSet
    package var threads: Int

    package init(source: SourceIdentity, cacheFolder: String, kernels: KernelSet, threads: Int) {
        (self.source, self.cacheFolder) = (source, cacheFolder)
        (self.kernels, self.threads) = (kernels, threads)
    }

    private var version: String { "\(source.bytes)-\(source.modified)-\(source.inode)" }
    private var file: ProcessorMeasurements {
        ProcessorMeasurements(cacheFolder: cacheFolder, modelPath: source.path)
    }

    /// GPUs that are measured, and that can be chosen: those in hardware, or the one that `HEARTH_GPU` names.
    /// - Throws: `GPUError` if there is no device at all.
    package static func devices(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GPUError) -> [GPUDeviceInfo] {
        if environment["HEARTH_GPU"]?.isEmpty == false { return [try .preferred(environment: environment)] }
        return try GPUDeviceInfo.all().filter { $0.isFit && $0.kind != .software }
    }

    /// Decides. Without a measurement, the GPU's library is not even loaded.
    /// - Parameter conditions: of the device; nil for the current ones.
    package func choose(conditions: DeviceConditions? = nil) -> (device: GPUDeviceInfo?, choice: ProcessorChoice) {
        var (measurement, drift): (ProcessorMeasurement?, String?) = (nil, nil)
        switch file.find(model: version, kernelSet: kernels.key, threads: threads, shaders: GPUShader.digest) {
        case .missing: break
        case .refused(let reason): drift = reason
        case .used(let found): measurement = found
        }
        let devices = measurement == nil ? [] : (try? Self.devices()) ?? []
        let conditions = conditions ?? SystemMonitor.make().current()
        let level = InferenceBudget().level(thermal: conditions.thermal, isLowPower: conditions.isLowPower)
        let choice = ProcessorChoice.decide(
            measurement, drift: drift,
            candidates: devices.map { .init(name: $0.name, identity: $0.identity) }, savesEnergy: level > .full)
        let device = devices.first { $0.identity == choice.device }
        Trace.shared.event("compute: auto", ["chosen": device?.computeUnits ?? "cpu", "reason": choice.reason])
        return (device, choice)
    }

    /// Stores what was measured.
    /// - Throws: `FileFailure`, or an error of the encoder.
    package func keep(cpu: ProcessorFigures, devices: [ProcessorMeasurement.Device]) throws {
        try file.keep(
            ProcessorMeasurement(
                model: version, kernelSet: kernels.key, threads: threads, shaders: GPUShader.digest, cpu: cpu,
                devices: devices))
    }
}

/// The processor that an engine chose at its last load; shared by the copies of the engine.
final class ChosenProcessor: Sendable {
    private let state = Mutex<(device: GPUDeviceInfo?, ground: String?)?>(nil)

    /// The choice; nil before the first one.
    var current: (device: GPUDeviceInfo?, ground: String?)? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
