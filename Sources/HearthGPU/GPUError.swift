internal import Foundation
package import HearthSystem

/// An error of the GPU engine.
package enum GPUError: Error, LocalizedError, Equatable, Sendable {
    /// There is no Vulkan loader on this machine.
    case noLoader
    /// Vulkan lists no device.
    case noDevice
    /// The device, or its driver, lacks features that the shaders need.
    case unfit(device: String)
    /// There is no shader for something in the model or the options.
    case notCovered(what: String)
    /// The device or the system is out of memory; with the number of bytes requested.
    case outOfMemory(bytes: Int)
    /// The device was lost: it was reset, unplugged, or its driver failed.
    case deviceLost
    /// A submission did not finish in time.
    case timedOut(milliseconds: Int)
    /// Any other error of the driver; code 0 if it has none.
    case failed(call: String, code: Int)

    /// What happened, where, and what to do about it.
    package var errorDescription: String? {
        switch self {
        case .noLoader:
            "there is no GPU: no Vulkan loader on this machine (libvulkan.so.1). Install the driver of the GPU and its Vulkan loader, or use the CPU."
        case .noDevice:
            "there is no GPU (\(GPUDriver.interface) lists no device). Install the driver of the GPU, or use the CPU."
        case .unfit(let device):
            "the GPU lacks \(GPUDriver.needs) (\(device)). Update its driver, or use the CPU."
        case .notCovered(let what):
            "the GPU engine does not support this (\(what)). Use the CPU."
        case .outOfMemory(let bytes):
            "the GPU does not have enough memory (\(ByteSize.binary(bytes)) needed). Use a shorter context, a smaller model, or the CPU."
        case .deviceLost: "the GPU was lost (its driver or device was reset). Try again, or use the CPU."
        case .timedOut(let milliseconds):
            "the GPU did not finish in time (\(milliseconds) ms). Try again, or use the CPU."
        case .failed(let call, let code):
            "the GPU's driver failed (\(code == 0 ? call : "\(call): \(code)")). Use the CPU."
        }
    }
}

extension GPUError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .noLoader, .noDevice, .unfit, .notCovered, .outOfMemory: .unavailable
        case .deviceLost, .timedOut, .failed: .failed
        }
    }
}
