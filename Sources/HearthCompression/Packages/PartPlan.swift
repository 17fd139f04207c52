internal import HearthCoreMLFormat

/// What is to be done with a model that has weights.
enum PartPlan {
    case program(WeightPlan)
    case network(NetworkPlan)

    /// nil for a model of another kind, which is copied.
    init?(_ part: ModelPart, _ compressor: PackageCompressor) throws {
        switch part.package.model.kind {
        case .program(let program):
            try part.package.requireDefinedOperations()
            self = .program(try WeightPlan(program, part, compressor))
        case .neuralNetwork(let network): self = .network(try NetworkPlan(network, part, compressor))
        default: return nil
        }
    }

    var names: Set<String> {
        switch self {
        case .program(let plan): plan.names
        case .network(let plan): plan.names
        }
    }

    var elements: Int {
        switch self {
        case .program(let plan): plan.elements
        case .network(let plan): plan.elements
        }
    }
}
