internal import HearthCoreMLFormat

/// Names that no operation of a program has.
struct ProgramNames {
    private var taken: Set<String> = []

    init(_ program: MILProgram) {
        for function in program.functions {
            taken.formUnion(function.value.inputs.map(\.name))
            for body in function.value.specializations { collect(body.value) }
        }
    }

    private mutating func collect(_ block: MILBlock) {
        taken.formUnion(block.inputs.map(\.name))
        for operation in block.operations {
            taken.formUnion(operation.outputs.map(\.name))
            for nested in operation.blocks { collect(nested) }
        }
    }

    /// A name that is free, which it is no longer.
    mutating func free(_ wanted: String) -> String {
        var (name, number) = (wanted, 1)
        while !taken.insert(name).inserted {
            number += 1
            name = "\(wanted)_\(number)"
        }
        return name
    }
}
