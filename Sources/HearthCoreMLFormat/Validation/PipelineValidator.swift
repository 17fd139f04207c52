import HearthSystem

/// The rules for pipelines: each model's inputs exist when it runs, and one of the models makes the outputs.
struct PipelineValidator {
    private let description: CoreMLModelDescription
    private let pipeline: CoreMLPipeline

    init(_ description: CoreMLModelDescription, _ pipeline: CoreMLPipeline) {
        self.description = description
        self.pipeline = pipeline
    }

    func validate() throws(WireFault) {
        guard !pipeline.models.isEmpty else { throw .missing("models", "every model") }
        var scope = Set(description.inputs.map(\.name))
        for (index, model) in pipeline.models.enumerated() {
            for input in model.description.effectiveInputs where !input.isOptional && !scope.contains(input.name) {
                let name = input.name
                throw WireFault("models[\(index)].description.input") { .undefinedName($0, name: name) }
            }
            scope.formUnion(model.description.effectiveOutputs.map(\.name))
        }
        for output in description.outputs where !scope.contains(output.name) {
            let name = output.name
            throw WireFault("description.output") { .undefinedName($0, name: name) }
        }
    }
}
