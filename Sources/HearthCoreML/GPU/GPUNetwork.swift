internal import HearthCompute
internal import HearthGPU

/// A network on a GPU: its tensors are in one block of the device's memory, its weights beside it. Steps for which there is no
/// shader run on the CPU in between, with what they need copied there and back.
final class GPUNetwork {
    /// What one processor does before the other one takes over.
    private struct Part {
        enum Work {
            case device([GPUStep])
            case host([PreparedStep])
        }

        var work: Work
        /// Stretches of the tensors' memory that are copied to this processor first.
        var brings: [Range<Int>]
    }

    /// A step with the stretches that it reads and writes.
    struct Step {
        var prepared: PreparedStep
        var reads: [Range<Int>]
        var writes: [Range<Int>]
        var multiplyAdds: Int
    }

    let device: GPUDevice
    private let arena: FloatRegion
    private let block: GPUBuffer
    private var parts: [Part] = []
    /// Stretches with the results.
    private var results: [Range<Int>] = []
    /// Number of steps that run on the device, and of all.
    private(set) var deviceSteps = 0
    let allSteps: Int
    /// Bytes of the weights on the device.
    private(set) var weightBytes = 0

    /// More products than these are not in one submission, which cannot be cancelled.
    private static let mostProducts = 1 << 30
    /// Shaders count in 32 bits.
    private static let mostValues = 1 << 30

    /// - Parameters:
    ///   - arena: the tensors' memory on the CPU.
    ///   - inputs: where the caller puts the inputs.
    ///   - outputs: where the caller finds the results.
    ///   - compute: expands codes.
    /// - Throws: `GPUError`; `ComputeError` without memory.
    init(
        _ steps: [Step], arena: FloatRegion, inputs: [Range<Int>], outputs: [Range<Int>], on device: GPUDevice,
        compute: Compute
    ) throws {
        guard arena.count < Self.mostValues else { throw GPUError.notCovered(what: "\(arena.count) values of tensors") }
        self.device = device
        self.arena = arena
        try device.require(bytes: arena.count * MemoryLayout<Float>.stride)
        let block = try GPUBuffer(device, byteCount: arena.count * MemoryLayout<Float>.stride)
        // The last lanes of blocks are read, and must be numbers.
        try FloatRegion(count: arena.count).withBytes { try block.upload($0) }
        try device.prepare(GPUCommands.networkPipelines)
        self.block = block
        allSteps = steps.count

        var preparation = GPUStepPreparation(arena: arena, block: block, on: device, compute: compute)
        var fresh = FreshRanges()
        for range in inputs { fresh.write(range, on: .host) }
        var products = 0
        for step in steps {
            let commands = try preparation.step(step.prepared)
            let side: FreshRanges.Side = commands == nil ? .host : .device
            let brings = step.reads.flatMap { fresh.bring($0, to: side) }
            for range in step.writes { fresh.write(range, on: side) }
            if let commands {
                deviceSteps += 1
                products += step.multiplyAdds
                if brings.isEmpty, products < Self.mostProducts, case .device(let earlier)? = parts.last?.work {
                    parts[parts.count - 1].work = .device(earlier + [commands])
                } else {
                    products = step.multiplyAdds
                    parts.append(Part(work: .device([commands]), brings: brings))
                }
            } else if brings.isEmpty, case .host(let earlier)? = parts.last?.work {
                parts[parts.count - 1].work = .host(earlier + [step.prepared])
            } else {
                parts.append(Part(work: .host([step.prepared]), brings: brings))
            }
        }
        weightBytes = preparation.weightBytes
        results = outputs.flatMap { fresh.bring($0, to: .host) }
    }

    /// Computes the network, from inputs in the CPU's memory to results there.
    /// - Throws: `GPUError`; what steps on the CPU throw; `CancellationError`.
    func run(_ compute: Compute, scratch: FloatRegion, isCancelled: () -> Bool) throws {
        for part in parts {
            if isCancelled() { throw CancellationError() }
            switch part.work {
            case .device(let steps):
                for range in part.brings { try copy(range, toDevice: true) }
                try device.submit { commands throws(GPUError) in
                    for step in steps {
                        for command in step.commands { try command(commands) }
                    }
                }
            case .host(let steps):
                for range in part.brings { try copy(range, toDevice: false) }
                for step in steps {
                    if isCancelled() { throw CancellationError() }
                    try step.run(compute, scratch: scratch)
                }
            }
        }
        for range in results { try copy(range, toDevice: false) }
    }

    private func copy(_ range: Range<Int>, toDevice: Bool) throws {
        let region = try arena.part(range.lowerBound, range.count)
        let offset = range.lowerBound * MemoryLayout<Float>.stride
        if toDevice {
            try region.withBytes { try block.upload($0, at: offset) }
        } else {
            try region.withMutableBytes { try block.download(into: $0, at: offset) }
        }
    }
}
