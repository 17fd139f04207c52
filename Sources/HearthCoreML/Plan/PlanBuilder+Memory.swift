/// Lifetimes, and what may be computed in the place of its operand.
extension PlanBuilder {
    /// Gives every tensor its place in the arena.
    mutating func assignMemory() {
        var groups = MemoryGroups(self)
        let last = plan.steps.count
        for (place, step) in plan.steps.enumerated() {
            guard let input = step.inPlaceOperand, let output = step.outputs.first else { continue }
            // Residuals and operands that are used twice by the step would be read after they were written.
            let isTwice =
                step.inputs.filter { $0.map { groups.root(of: $0) == groups.root(of: input) } ?? false }.count > 1
            guard !isTwice, groups.isAlone(input), groups.isAlone(output), !plan.tensors[input].isConstant,
                plan.tensors[input].storedCount == plan.tensors[output].storedCount,
                groups.life(of: input)?.upperBound == place
            else { continue }
            groups.merge(output, into: input)
        }
        var items: [MemoryPlan.Item] = []
        var places: [Int: Int] = [:]
        for tensor in plan.tensors.indices where !plan.tensors[tensor].isConstant {
            let root = groups.root(of: tensor)
            guard root == tensor, let life = groups.life(of: root) else { continue }
            places[root] = items.count
            items.append(
                MemoryPlan.Item(
                    size: MemoryPlan.aligned(plan.tensors[root].storedCount),
                    life: max(life.lowerBound, 0)...min(max(life.upperBound, life.lowerBound), last)))
        }
        let memory = MemoryPlan(items)
        for tensor in plan.tensors.indices where !plan.tensors[tensor].isConstant {
            guard let place = places[groups.root(of: tensor)] else { continue }
            plan.tensors[tensor].offset = memory.offsets[place] + groups.delta(of: tensor)
        }
        plan.arenaCount = memory.total
        plan.arenaLowerBound = memory.lowerBound
    }
}

extension PlanStep {
    /// The operand in whose place the result may be written: each element is read before, and only for, the one that
    /// is written there.
    fileprivate var inPlaceOperand: Int? {
        switch kernel {
        case .unary, .cast, .channelScale, .channelAffine, .slopes, .softmax, .layerNorm, .cumulativeSum: inputs[0]
        case .binary: inputs[0]
        // Products read what is added before the function where they write.
        case .convolution(let convolution): convolution.epilogue.canReplaceResidual ? inputs[1] : nil
        case .linear(let linear): linear.epilogue.canReplaceResidual ? inputs[1] : nil
        default: nil
        }
    }
}

/// Tensors that share memory because they are parts of each other, and when each group is needed.
private struct MemoryGroups {
    private var roots: [Int]
    private var deltas: [Int]
    private var lives: [ClosedRange<Int>?]
    private var sizes: [Int]

    init(_ builder: PlanBuilder) {
        let plan = builder.plan
        roots = Array(plan.tensors.indices)
        deltas = [Int](repeating: 0, count: plan.tensors.count)
        lives = [ClosedRange<Int>?](repeating: nil, count: plan.tensors.count)
        sizes = [Int](repeating: 1, count: plan.tensors.count)
        for tensor in plan.tensors.indices {
            var root = tensor
            var delta = 0
            while let view = builder.views[root] {
                delta += view.delta
                root = view.root
            }
            roots[tensor] = root
            deltas[tensor] = delta
            if root != tensor { sizes[root] += 1 }
        }
        func use(_ tensor: Int, at place: Int) {
            let root = roots[tensor]
            let life = lives[root] ?? place...place
            lives[root] = min(life.lowerBound, place)...max(life.upperBound, place)
        }
        for input in plan.inputs { use(input.tensor, at: 0) }
        for (place, step) in plan.steps.enumerated() {
            for tensor in step.inputs.compactMap(\.self) + step.outputs { use(tensor, at: place) }
        }
        for output in plan.outputs { use(output.tensor, at: plan.steps.count) }
    }

    func root(of tensor: Int) -> Int { roots[tensor] }
    func delta(of tensor: Int) -> Int { deltas[tensor] }
    func life(of tensor: Int) -> ClosedRange<Int>? { lives[roots[tensor]] }

    /// Whether no other tensor is a part of this one's memory, nor this one of another's; results computed in each other's
    /// place are no parts.
    func isAlone(_ tensor: Int) -> Bool { sizes[roots[tensor]] == 1 }

    /// A chain of results in one place counts as one tensor.
    mutating func merge(_ tensor: Int, into other: Int) {
        let target = roots[other]
        roots[tensor] = target
        guard let first = lives[target], let second = lives[tensor] else { return }
        lives[target] = min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
    }
}
