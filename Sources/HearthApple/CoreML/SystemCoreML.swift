package import HearthCoreML

/// The system's Core ML, as far as an engine needs it. The adapter of Apple's framework does nothing but pass on; what is
/// decided is decided in ``CoreMLDeviceEngine``, ``SystemFeatures`` and ``SystemCoreMLSession``.
package protocol SystemCoreML: Sendable {
    /// Compiles a package or a bare model for this device.
    /// - Returns: the path of a folder `.mlmodelc`, which belongs to the caller.
    func compile(_ path: String) async throws -> String
    /// Loads what was compiled.
    func load(_ compiled: String, units: SystemComputeUnits) async throws -> any SystemCoreMLModel
}

/// A model that the system has loaded.
package protocol SystemCoreMLModel: Sendable {
    /// What it says of itself.
    var features: SystemFeatures { get }
    /// One inference, in its state where it has one. Ends soon when its task is cancelled.
    func predict(_ inputs: [String: SystemValue]) async throws -> [String: SystemValue]
    /// Begins its state anew; nothing for a model without one.
    func resetState()
}

/// A value that goes into a model of the system or comes out of it.
package enum SystemValue: Sendable, Equatable {
    case array(CoreMLTensor)
    /// Pixels, four bytes each (blue, green, red, alpha) or one (gray).
    case image(SystemPixels)
    /// Probabilities by label.
    case dictionary([String: Double])
    case string(String)
    case integer(Int)
}

/// Pixels as `CVPixelBuffer` holds them, row after row without gaps.
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

    /// Of a tensor of an image input: planes with values from 0 to 255, in the model's order of colours.
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

/// `MLComputeUnits`, by its numbers.
package enum SystemComputeUnits: Int, Sendable, CaseIterable {
    case cpuOnly = 0
    case cpuAndGPU = 1
    case all = 2
    case cpuAndNeuralEngine = 3

    /// What of the device computes. The system has no choice of one thread: it is its processor then.
    package init(_ units: ComputeUnits) {
        switch units {
        case .all: self = .all
        case .cpuOnly, .cpuSingle: self = .cpuOnly
        }
    }

    /// As a profile has it.
    package var name: String {
        switch self {
        case .cpuOnly: "coreml-cpuOnly"
        case .cpuAndGPU: "coreml-cpuAndGPU"
        case .all: "coreml-all"
        case .cpuAndNeuralEngine: "coreml-cpuAndNeuralEngine"
        }
    }
}
