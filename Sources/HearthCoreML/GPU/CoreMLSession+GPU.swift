internal import HearthCompute
package import HearthGPU
internal import HearthSystem

extension CoreMLSession {
    /// A GPU in use.
    struct GPUUse {
        let network: GPUNetwork
        /// Called if the device fails and the CPU takes over.
        let onFailure: @Sendable (GPUError) -> Void
    }

    /// Runs the network on a GPU from now on, and what there is no shader for on the CPU.
    ///
    /// If the device fails later, the CPU computes that inference again, and all later ones.
    /// - Parameters:
    ///   - cacheFolder: where compiled pipelines of a model without an artifact are stored for the next start; nil to store none,
    ///     not in the artifact either.
    ///   - onFailure: called with the reason when the CPU takes over.
    /// - Throws: `GPUError` if the device lacks a required feature, memory, or a shader for every step.
    package func useGPU(
        _ info: GPUDeviceInfo, cacheFolder: String?,
        onFailure: @escaping @Sendable (GPUError) -> Void = { _ in }
    ) async throws {
        try await onQueue { [self] _ in
            try GPUPipelineStore.open(info, artifactFolder: owner?.path, cacheFolder: cacheFolder) { device in
                let network = try network(on: device)
                gpu = GPUUse(network: network, onFailure: onFailure)
                Trace.shared.event(
                    "gpu: steps",
                    [
                        "device": "\(network.deviceSteps)", "all": "\(network.allSteps)",
                        "copied": "\(network.weightBytes)",
                    ])
            }
        }
    }

    /// Compiles the network's pipelines and stores them with its artifact, so that the first start on the GPU need not. The CPU still
    /// runs the network.
    ///
    /// - Parameter cacheFolder: where pipelines of a model without an artifact are stored.
    /// - Throws: `GPUError` as ``useGPU(_:cacheFolder:onFailure:)``; `FileFailure` if they cannot be stored.
    package func compilePipelines(for info: GPUDeviceInfo, cacheFolder: String) async throws -> GPUCompilation {
        try await onQueue { [self] _ in
            try GPUPipelineStore(artifactFolder: owner?.path, cacheFolder: cacheFolder).compile(for: info) {
                // With its weights: whether a step has a shader, and the network room, shows when it is prepared.
                _ = try network(on: $0)
            }
        }
    }

    /// Whether a GPU runs the network, and how many of its steps; nil if the CPU does.
    package var gpuSteps: Int? {
        get async { (try? await onQueue { _ in self.gpu?.network.deviceSteps }) ?? nil }
    }

    /// Takes the time that a submission may take from the device, so that it fails: for tests.
    package func failGPU() async {
        try? await onQueue { _ in self.gpu?.network.device.timeoutMS = 0 }
    }

    /// - Throws: `GPUError.notCovered` if no step runs on the device.
    private func network(on device: GPUDevice) throws -> GPUNetwork {
        func range(_ id: Int?) -> Range<Int>? {
            guard let id, plan.tensors.indices.contains(id), !plan.tensors[id].isConstant else { return nil }
            let tensor = plan.tensors[id]
            return tensor.offset..<tensor.offset + tensor.storedCount
        }
        var written: Set<Int> = []
        let all = zip(steps, plan.steps).map { prepared, step in
            // Of a result that several steps write, one may write a part.
            let partly = step.outputs.filter { !written.insert($0).inserted }
            return GPUNetwork.Step(
                prepared: prepared, reads: (step.inputs + partly).compactMap(range),
                writes: step.outputs.compactMap(range), multiplyAdds: step.multiplyAdds)
        }
        let network = try GPUNetwork(
            all, arena: arena, inputs: plan.inputs.compactMap { range($0.tensor) },
            outputs: plan.outputs.compactMap { range($0.tensor) }, on: device, compute: compute)
        guard network.deviceSteps > 0 else {
            throw GPUError.notCovered(what: plan.steps.first?.kernel.name ?? "a model without steps")
        }
        return network
    }
}
