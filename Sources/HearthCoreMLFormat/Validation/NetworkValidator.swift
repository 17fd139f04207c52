import HearthSystem

/// The rules for models that are no programs: versions, and names that are defined before they are used.
struct NetworkValidator {
    private let model: CoreMLSpecification

    init(_ model: CoreMLSpecification) { self.model = model }

    func validate() throws(WireFault) {
        let version = model.specificationVersion
        guard (1...10).contains(version) else {
            throw WireFault("specificationVersion") { .unsupported($0, what: "version \(version)") }
        }
        if case .pipeline(let pipeline) = model.kind {
            try inside("pipeline") { () throws(WireFault) in
                try PipelineValidator(model.description, pipeline).validate()
            }
        }
        guard case .neuralNetwork(let network) = model.kind else { return }
        try inside(network.role.rawValue) { () throws(WireFault) in try validate(network) }
    }

    private func validate(_ network: NeuralNetwork) throws(WireFault) {
        guard !network.layers.isEmpty else { throw .missing("layers", "every layer") }
        var scope = Set(model.description.inputs.map(\.name))
        // What a branch or a loop defines stands in its own networks, which are not read.
        var isComplete = true
        for (index, layer) in network.layers.enumerated() {
            for name in layer.inputs where isComplete && !scope.contains(name) {
                throw WireFault("layers[\(index)]('\(layer.name)').input") { .undefinedName($0, name: name) }
            }
            guard !layer.outputs.isEmpty || layer.isControlFlow else {
                throw .missing("layers[\(index)]('\(layer.name)').output", "every output")
            }
            // A layer may overwrite a tensor in this format: the later one is meant from there on.
            scope.formUnion(layer.outputs)
            if layer.isControlFlow { isComplete = false }
        }
        let label = network.role == .classifier ? model.description.predictedFeatureName : ""
        let probabilities = network.role == .classifier ? model.description.predictedProbabilitiesName : ""
        for output in model.description.outputs
        where isComplete && output.name != label && output.name != probabilities && !scope.contains(output.name) {
            throw WireFault("description.output(\(output.name))") { .undefinedName($0, name: output.name) }
        }
        if isComplete, !network.probabilitiesName.isEmpty, !scope.contains(network.probabilitiesName) {
            let name = network.probabilitiesName
            throw WireFault("labelProbabilityLayerName") { .undefinedName($0, name: name) }
        }
        if network.role == .classifier, network.labels?.count ?? 0 == 0 {
            throw .missing("stringClassLabels", "every label")
        }
    }
}
