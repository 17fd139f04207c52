/// Models that run one after the other: each takes features of the pipeline and what earlier models made. Read-only: a copy
/// keeps it as it is.
package struct CoreMLPipeline: Sendable, Equatable {
    /// The models, in the order in which they run.
    package private(set) var models: [CoreMLSpecification] = []
    /// What people call them; empty or as many as the models.
    package private(set) var names: [String] = []
    package var origin = WireOrigin()
}

extension CoreMLPipeline: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init()
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1:
                guard models.count < CoreMLLimits.pipelineModels else {
                    throw .limit("models", models.count + 1, CoreMLLimits.pipelineModels)
                }
                models.append(try field.message("models", models.count))
            case 2: names.append(try field.string("names", names.count))
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    /// The pipeline in a field of a model: 202 holds it, 200 and 201 hold a message whose first field it is.
    init(_ field: WireField) throws(WireFault) {
        guard field.number != 202 else {
            self = try field.message("pipeline")
            return
        }
        let name = field.number == 200 ? "pipelineClassifier" : "pipelineRegressor"
        let bytes = try field.bytes("pipeline")
        self = try inside(name) { () throws(WireFault) in
            var pipeline: CoreMLPipeline?
            var reader = WireReader(try field.input.child(bytes))
            while let inner = try reader.next() {
                if inner.number == 1 { pipeline = try inner.single("pipeline", pipeline) }
            }
            guard let pipeline else { throw .missing("pipeline", "the pipeline itself") }
            return pipeline
        }
    }

    // A pipeline is only ever written as it was read.
    package func encode(into writer: inout WireWriter) {}
}
