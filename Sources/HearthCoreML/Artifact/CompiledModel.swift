package import HearthCompute
import HearthCoreMLFormat

/// A model as it runs, in memory: what an artifact keeps.
package struct CompiledModel {
    package private(set) var file: PlanFile
    package let weights: PackedWeights
    /// What a compact weights file holds; nil for one that is mapped.
    private(set) var compact: [UInt8]?

    /// - Parameters:
    ///   - kernels: verify the decoded values of a compact file.
    ///   - isCancelled: asked between steps and between weights.
    /// - Throws: `CoreMLError`, `CancellationError`, `ComputeError.outOfMemory`.
    package init(
        _ model: CoreMLModel, storage: WeightStorage = .mapped, kernels: KernelSet? = nil,
        isCancelled: () -> Bool = { false }
    ) throws {
        let graph = try GraphOptimizer.optimized(model.graph, isCancelled: isCancelled)
        let (plan, requests) = try PlanBuilder(graph).build(
            inputNames: model.inputs.map(\.name) + model.interface.states.map(\.name), isCancelled: isCancelled)
        if let problem = plan.problem() {
            throw CoreMLError.unsupported(.init(file: model.path, field: "plan"), what: "a model of which \(problem)")
        }
        weights = try PackedWeights(plan, requests, graph, isCancelled: isCancelled)
        file = PlanFile(plan: plan, interface: model.interface)
        if storage == .compact {
            let (segments, bytes) = try weights.compacted(
                requests, graph, kernels: kernels ?? KernelSet.selected(by: nil), isCancelled: isCancelled)
            file.segments = segments
            compact = bytes
        }
        // All weights were read by now.
        try model.checkIntact()
    }

    /// The bytes of the weights file.
    func withWeightBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        if let compact { return try compact.withUnsafeBytes(body) }
        return try weights.withValues { try body(UnsafeRawBufferPointer($0)) }
    }
}

extension CoreMLModel {
    /// How most weights are stored, for profiles: `fp16`, `palette4`, `affine8`.
    ///
    /// Decides whether an artifact's weights are compact (`WeightStorage.automatic`).
    var weightFormat: String {
        var counts: [String: Int] = [:]
        for (id, constant) in graph.constants where graph.tensors[id].shape.count > 1 {
            let name: String
            switch constant {
            case .values: name = "fp32"
            case .tensor(let tensor): name = tensor.type.name
            case .expression(let expression, _): name = "\(expression.kind)\(expression.bits ?? 0)"
            case .layerWeights(let weights):
                switch weights.encoding {
                case .float32: name = "fp32"
                case .float16: name = "fp16"
                case .linear(let bits): name = "affine\(bits)"
                case .palette(let bits): name = "palette\(bits)"
                case .raw: name = "layers"
                }
            }
            counts[name, default: 0] += graph.tensors[id].count
        }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    }
}
