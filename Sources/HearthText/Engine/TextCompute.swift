internal import Foundation
package import HearthGPU

/// The processor that runs a model.
package enum TextCompute: String, Sendable, CaseIterable {
    /// The CPU kernels of `HearthCompute`.
    case cpu
    /// A GPU, without falling back to the CPU if there is none.
    case gpu
    /// The faster one by measurement: see `ProcessorChooser`.
    case auto

    /// The device that `gpu` selects; nil for the CPU. Loads no model.
    /// - Throws: `GPUError` if there is no device.
    package func device(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GPUError) -> GPUDeviceInfo? {
        self == .gpu ? try .preferred(environment: environment) : nil
    }
}
