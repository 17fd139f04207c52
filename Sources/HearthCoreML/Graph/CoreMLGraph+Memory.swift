/// Memory that a graph takes while it runs.
extension CoreMLGraph {
    /// Elements that are alive at once at most while the steps run one after the other: inputs, results that are still
    /// needed, and outputs. Constants do not count.
    package var liveElements: Int {
        var lastUse: [TensorID: Int] = [:]
        for (index, step) in steps.enumerated() {
            for id in step.inputs.compactMap({ $0 }) + step.outputs { lastUse[id] = index }
        }
        for id in outputs { lastUse[id] = steps.count }
        var live = inputs.reduce(0) { $0 + tensors[$1].count }
        var peak = live
        for (index, step) in steps.enumerated() {
            live += step.outputs.reduce(0) { $0 + tensors[$1].count }
            peak = max(peak, live)
            for id in Set(step.inputs.compactMap { $0 } + step.outputs)
            where lastUse[id] == index && constants[id] == nil {
                live -= tensors[id].count
            }
        }
        return peak
    }
}
