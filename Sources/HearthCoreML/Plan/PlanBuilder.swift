/// Makes a plan of a graph: chooses a kernel for each group of steps and a layout for each tensor, puts reorders where two
/// layouts meet, and lets tensors share memory.
///
///     let (plan, requests) = try PlanBuilder(graph).build()
package struct PlanBuilder {
    /// A part of another tensor's memory.
    struct View {
        var root: Int
        var delta: Int
    }

    let graph: CoreMLGraph
    var plan = CoreMLPlan()
    var requests: [PackRequest] = []
    var views: [Int: View] = [:]
    /// The plan's tensors of a tensor of the graph, by layout.
    private var placed: [CoreMLGraph.TensorID: [PlanLayout: Int]] = [:]
    /// The tensors that are there as codes, once the plan is begun.
    let rounded: RoundedTensors

    /// - Parameter graph: optimized, or as it was read.
    /// - Throws: `CoreMLError` where a constant cannot be read.
    package init(_ graph: CoreMLGraph) throws {
        self.graph = graph
        rounded = try RoundedTensors(graph)
    }

    /// - Parameter names: of inputs and outputs, by position; nil takes those of the graph's tensors.
    package func build(
        inputNames: [String]? = nil, outputNames: [String]? = nil, isCancelled: () -> Bool = { false }
    ) throws -> (plan: CoreMLPlan, requests: [PackRequest]) {
        var builder = self
        for (index, input) in graph.inputs.enumerated() {
            let tensor = builder.newTensor(input, .plain)
            builder.plan.inputs.append(
                PlanPort(name: inputNames?[index] ?? graph.tensors[input].name, tensor: tensor))
        }
        for group in FusionGroup.groups(of: graph, canFuse: \.hasKernel) {
            if isCancelled() { throw CancellationError() }
            if let result = rounded.endings[group.anchor] {
                try builder.lowerRounding(result)
            } else if !rounded.isInner(group.anchor) {
                try builder.lower(group)
            }
        }
        for (index, output) in graph.outputs.enumerated() {
            let tensor = try builder.tensor(output, .plain)
            builder.plan.outputs.append(
                PlanPort(name: outputNames?[index] ?? graph.tensors[output].name, tensor: tensor))
        }
        builder.assignMemory()
        return (builder.plan, builder.requests)
    }

    // MARK: - Tensors

    func shape(_ id: CoreMLGraph.TensorID) -> [Int] { graph.tensors[id].shape }

    /// A tensor of the plan for one that the graph makes.
    mutating func newTensor(_ id: CoreMLGraph.TensorID, _ layout: PlanLayout) -> Int {
        let tensor = newTensor(graph.tensors[id].name, shape(id), layout)
        placed[id, default: [:]][layout] = tensor
        return tensor
    }

    mutating func newTensor(_ name: String, _ shape: [Int], _ layout: PlanLayout) -> Int {
        plan.tensors.append(PlanTensor(name: name, shape: shape, layout: layout))
        return plan.tensors.count - 1
    }

    /// The same memory under another name, shape or layout.
    mutating func newView(
        of root: Int, delta: Int = 0, _ id: CoreMLGraph.TensorID, _ layout: PlanLayout
    ) -> Int {
        let tensor = newTensor(id, layout)
        if plan.tensors[root].isConstant {
            plan.tensors[tensor].isConstant = true
            plan.tensors[tensor].offset = plan.tensors[root].offset + delta
        } else {
            views[tensor] = View(root: root, delta: delta)
        }
        return tensor
    }

    /// Whether a tensor is there in a layout already.
    ///
    /// Codes of a picture count as blocked.
    func has(_ id: CoreMLGraph.TensorID, _ layout: PlanLayout) -> Bool {
        if placed[id]?[layout] != nil { return true }
        guard layout == .blocked, placed[id]?[.plain] == nil, let codes = codes(of: id) else { return false }
        return plan.tensors[codes].code?.isChannelsLast == false
    }

    /// The codes of a tensor; nil where there are none.
    func codes(of id: CoreMLGraph.TensorID) -> Int? { placed[id]?[.codes] }

    /// A tensor of the graph in a layout; reordered where it is there in the other one.
    mutating func tensor(_ id: CoreMLGraph.TensorID, _ layout: PlanLayout) throws -> Int {
        if let there = placed[id]?[layout] { return there }
        if let other = placed[id]?[layout == .plain ? .blocked : .plain] {
            // One position a channel: both layouts are the same.
            if shape(id).first == 1, shape(id).dropFirst(2).allSatisfy({ $0 == 1 }) {
                return newView(of: other, id, layout)
            }
            let result = newTensor(id, layout)
            add(graph.tensors[id].name, .reorder, [other], [result])
            return result
        }
        if let codes = codes(of: id) {
            let values: PlanLayout = plan.tensors[codes].code?.isChannelsLast == true ? .plain : .blocked
            add(graph.tensors[id].name, .dequantize, [codes], [newTensor(id, values)])
            return try tensor(id, layout)
        }
        guard graph.constants[id] != nil else {
            throw CoreMLError.invalid(
                .init(file: graph.file, field: graph.tensors[id].name), problem: "a tensor is used before it is made")
        }
        let tensor = newTensor(id, .plain)
        let weights = weights(plan.tensors[tensor].storedCount) { .plain(id, $0) }
        plan.tensors[tensor].isConstant = true
        plan.tensors[tensor].offset = weights.offset
        return layout == .plain ? tensor : try self.tensor(id, layout)
    }

    // MARK: - Weights and steps

    /// Room among the weights, and what to put there.
    mutating func weights(_ count: Int, _ form: (PlanWeights) -> PackRequest.Form) -> PlanWeights {
        let target = PlanWeights(offset: plan.weightCount, count: count)
        requests.append(PackRequest(target: target, form: form(target)))
        plan.weightCount += MemoryPlan.aligned(count)
        return target
    }

    mutating func add(_ place: String, _ kernel: PlanKernel, _ inputs: [Int?], _ outputs: [Int], work: Int = 0) {
        plan.steps.append(
            PlanStep(place: place, kernel: kernel, inputs: inputs, outputs: outputs, multiplyAdds: work))
    }

    /// Plain loops over plain tensors.
    mutating func addReference(_ step: GraphStep) throws {
        let inputs = try step.inputs.map { id in try id.map { try tensor($0, .plain) } }
        let outputs = step.outputs.map { newTensor($0, .plain) }
        add(step.place, .reference(step.operation), inputs, outputs)
    }
}

extension PackRequest.Form {
    fileprivate static func plain(_ id: CoreMLGraph.TensorID, _: PlanWeights) -> Self { .plain(id) }
}
