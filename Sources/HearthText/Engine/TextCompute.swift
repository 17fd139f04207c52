internal import Foundation
package import HearthGPU

/// Which processor runs a model.
package enum TextCompute: String, Sendable, CaseIterable {
    /// The kernels of `HearthCompute`.
    case cpu
    /// A GPU, or nothing.
    case gpu
    /// What was measured as faster on this device. As long as no measurement says otherwise, that is the CPU.
    case auto

    /// The device that `gpu` means; nil where the processor computes. Loads no model.
    /// - Throws: `GPUError` where there is none.
    package func device(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(GPUError) -> GPUDeviceInfo? {
        self == .gpu ? try .preferred(environment: environment) : nil
    }
}
