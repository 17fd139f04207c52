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
        return try GPUDeviceInfo.all(environment: environment).filter { $0.isFit && $0.kind != .software }
    }

    /// Decides. Unless a measurement speaks for a GPU, the GPU's library is not even loaded.
    /// - Parameter conditions: of the device; nil for the current ones.
    package func choose(conditions: DeviceConditions? = nil) -> (device: GPUDeviceInfo?, choice: ProcessorChoice) {
        var (measurement, drift): (ProcessorMeasurement?, String?) = (nil, nil)
        switch file.find(model: version, kernelSet: kernels.key, threads: threads, shaders: GPUShader.digest) {
        case .missing: break
        case .refused(let reason): drift = reason
        case .used(let found): measurement = found
        }
        let (devices, choice) = decide(measurement, drift, conditions)
        let device = devices.first { $0.identity == choice.device }
        var event = ["chosen": device?.computeUnits ?? "cpu", "reason": choice.reason]
        if drift != nil || measurement != nil { event["file"] = file.path }
        Trace.shared.event("compute: auto", event)
        return (device, choice)
    }

    private func decide(
        _ measurement: ProcessorMeasurement?, _ drift: String?, _ conditions: DeviceConditions?
    ) -> (devices: [GPUDeviceInfo], choice: ProcessorChoice) {
        guard let measurement else {
            return ([], .decide(nil, drift: drift, candidates: [], savesEnergy: false))
        }
        let conditions = conditions ?? SystemMonitor.make().current()
        let level = InferenceBudget().level(thermal: conditions.thermal, isLowPower: conditions.isLowPower)
        // If the CPU is better than all that were measured, it does not matter which of them are there.
        let known = measurement.devices.map { ProcessorChoice.Candidate(name: $0.name, identity: $0.identity) }
        let best = ProcessorChoice.decide(measurement, candidates: known, savesEnergy: level > .full)
        guard best.device != nil else { return ([], best) }
        let devices = (try? Self.devices()) ?? []
        let present = devices.map { ProcessorChoice.Candidate(name: $0.name, identity: $0.identity) }
        return (devices, .decide(measurement, candidates: present, savesEnergy: level > .full))
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
