/// Operations of a block and of the blocks inside them.
///
/// The path of an operation is its position; that of one further inside begins with the path of the operation around it and the
/// number of the block of that one.
extension MILBlock {
    /// All operations with their paths, in the file's order: what is inside an operation comes behind it.
    package var pathedOperations: [(path: [Int], operation: MILOperation)] {
        var found: [(path: [Int], operation: MILOperation)] = []
        collect([], &found)
        return found
    }

    private func collect(_ outer: [Int], _ found: inout [(path: [Int], operation: MILOperation)]) {
        for (index, operation) in operations.enumerated() {
            found.append((outer + [index], operation))
            for (number, block) in operation.blocks.enumerated() { block.collect(outer + [index, number], &found) }
        }
    }

    /// The operation of a path that `pathedOperations` gave.
    package subscript(path: [Int]) -> MILOperation {
        let operation = operations[path[0]]
        return path.count == 1 ? operation : operation.blocks[path[1]][Array(path[2...])]
    }

    /// The block with other operations in the places of some; operations with blocks stay, and those inside can be replaced.
    package func replacing(_ new: [[Int]: [MILOperation]]) -> MILBlock {
        var here: [Int: [MILOperation]] = [:]
        var inside: [Int: [Int: [[Int]: [MILOperation]]]] = [:]
        for (path, operations) in new {
            if path.count == 1 {
                here[path[0]] = operations
            } else {
                inside[path[0], default: [:]][path[1], default: [:]][Array(path[2...])] = operations
            }
        }
        var copy = self
        copy.operations = operations.enumerated().flatMap { index, operation in
            guard let blocks = inside[index] else { return here[index] ?? [operation] }
            var outer = operation
            for (number, operations) in blocks { outer.blocks[number] = outer.blocks[number].replacing(operations) }
            return [outer]
        }
        return copy
    }
}
