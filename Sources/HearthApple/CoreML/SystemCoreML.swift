package import HearthCoreML

/// The part of the system's Core ML that an engine needs. The adapter of Apple's framework contains no logic; decisions are
/// made in ``CoreMLDeviceEngine``, ``SystemFeatures`` and ``SystemCoreMLSession``.
package protocol SystemCoreML: Sendable {
    /// Compiles a package or a bare model for this device.
    /// - Returns: the path of an `.mlmodelc` folder, which the caller owns.
    func compile(_ path: String) async throws -> String
    /// Loads a compiled model.
    func load(_ compiled: String, units: SystemComputeUnits) async throws -> any SystemCoreMLModel
}

/// A model loaded by the system.
package protocol SystemCoreMLModel: Sendable {
    /// The model's description.
    var features: SystemFeatures { get }
    /// Runs one inference, with the model's state if it has one. Ends soon after its task is cancelled.
    func predict(_ inputs: [String: SystemValue]) async throws -> [String: SystemValue]
    /// Resets the model's state; does nothing for a stateless model.
    func resetState()
}

/// An input or output value of a system model.
package enum SystemValue: Sendable, Equatable {
    case array(CoreMLTensor)
    /// Pixels of four bytes (blue, green, red, alpha) or one byte (gray).
    case image(SystemPixels)
    /// Probabilities by label.
    case dictionary([String: Double])
    case string(String)
    case integer(Int)
}

/// Pixels as `CVPixelBuffer` stores them, rows without padding.
package struct SystemPixels: Sendable, Equatable {
    package var width: Int
    package var height: Int
    /// Whether each pixel is one byte.
    package var isGray: Bool
    package var bytes: [UInt8]

    package init(width: Int, height: Int, isGray: Bool, bytes: [UInt8]) {
        self.width = width
        self.height = height
        self.isGray = isGray
        self.bytes = bytes
    }

    /// Converts the tensor of an image input: planes with values from 0 to 255, in the model's color order.
    package init(_ tensor: CoreMLTensor, isBGR: Bool) {
        let (height, width) = (tensor.shape[tensor.shape.count - 2], tensor.shape[tensor.shape.count - 1])
        let count = width * height
        func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
        guard tensor.values.count == 3 * count else {
            self.init(width: width, height: height, isGray: true, bytes: tensor.values.map(byte))
            return
        }
        var bytes = [UInt8](repeating: 255, count: 4 * count)
        let (blue, red) = isBGR ? (0, 2) : (2, 0)
        for pixel in 0..<count {
            bytes[4 * pixel] = byte(tensor.values[blue * count + pixel])
            bytes[4 * pixel + 1] = byte(tensor.values[count + pixel])
            bytes[4 * pixel + 2] = byte(tensor.values[red * count + pixel])
        }
        self.init(width: width, height: height, isGray: false, bytes: bytes)
    }
}

/// `MLComputeUnits`, by raw value.
package enum SystemComputeUnits: Int, Sendable, CaseIterable {
    case cpuOnly = 0
    case cpuAndGPU = 1
    case all = 2
    case cpuAndNeuralEngine = 3

    /// Converts compute units. The system has no single-threaded mode, so `cpuSingle` maps to the CPU.
    package init(_ units: ComputeUnits) {
        switch units {
        case .all: self = .all
        case .cpuOnly, .cpuSingle: self = .cpuOnly
        }
    }

    /// The name used in profiles.
    package var name: String {
        switch self {
        case .cpuOnly: "coreml-cpuOnly"
        case .cpuAndGPU: "coreml-cpuAndGPU"
        case .all: "coreml-all"
        case .cpuAndNeuralEngine: "coreml-cpuAndNeuralEngine"
        }
    }
}
