package import HearthCoreMLFormat

/// A rewrite of a graph that holds for every input: the same outputs, in the same order, from fewer, faster or more
/// exact steps.
protocol GraphPass {
    /// - Returns: whether anything changed.
    /// - Throws: `CoreMLError` where a constant cannot be read.
    static func apply(to graph: inout CoreMLGraph) throws -> Bool
}

extension CoreMLGraph {
    /// Tries a rule at every step until it applies nowhere. Steps that nobody needs any more are swept after each
    /// success, so that a rule sees the uses that remain.
    ///
    /// - Parameter rule: handed the graph, its index and a step's place; changes the graph and returns true where it
    ///   applies. It has to make progress each time.
    package mutating func rewrite(_ rule: (inout CoreMLGraph, GraphIndex, Int) throws -> Bool) rethrows -> Bool {
        var changed = false
        var index = GraphIndex(self)
        var place = 0
        // No rule applies more than a few times a step; a rule that undid another would be caught here.
        var budget = 16 * steps.count + 64
        while place < steps.count, budget > 0 {
            if try rule(&self, index, place) {
                changed = true
                budget -= 1
                let before = steps.count
                removeDeadSteps()
                index = GraphIndex(self)
                // What applied may have made something earlier applicable.
                place = max(0, place - 8 - (before - steps.count))
            } else {
                place += 1
            }
        }
        return changed
    }

    /// Puts `new` wherever `old` was used, among the outputs too.
    package mutating func replaceUses(of old: TensorID, with new: TensorID) {
        for index in steps.indices where steps[index].inputs.contains(old) {
            steps[index].inputs = steps[index].inputs.map { $0 == old ? new : $0 }
        }
        outputs = outputs.map { $0 == old ? new : $0 }
    }

    /// Adds a constant.
    package mutating func addConstant(_ name: String, shape: [Int], _ values: [Float]) -> TensorID {
        tensors.append(GraphTensor(name: name, shape: shape, type: .float32))
        constants[tensors.count - 1] = .values(values)
        return tensors.count - 1
    }

    /// Adds a tensor that a step is to make.
    package mutating func addTensor(_ name: String, shape: [Int], type: MILDataType) -> TensorID {
        tensors.append(GraphTensor(name: name, shape: shape, type: type))
        return tensors.count - 1
    }

    /// The value of a constant all of whose elements are the same; nil for anything else.
    package func scalar(_ id: TensorID?) throws -> Float? {
        guard let id, constants[id] != nil, tensors[id].count == 1, let values = try values(of: id) else { return nil }
        return values.first
    }

    /// A constant as one value a channel of a tensor of `rank` dimensions (axis 1); nil where it is none, or varies along
    /// another axis.
    package func channelValues(_ id: TensorID?, of x: TensorID) throws -> [Float]? {
        guard let id, constants[id] != nil, tensors[x].shape.count >= 2 else { return nil }
        let (channels, rank) = (tensors[x].shape[1], tensors[x].shape.count)
        if let value = try scalar(id) { return [Float](repeating: value, count: channels) }
        let shape = tensors[id].shape
        guard shape.count <= rank, shape.reduce(1, *) == channels else { return nil }
        let padded = [Int](repeating: 1, count: rank - shape.count) + shape
        guard padded[1] == channels else { return nil }
        return try values(of: id)
    }
}
