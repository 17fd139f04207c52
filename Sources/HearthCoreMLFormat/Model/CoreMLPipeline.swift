/// Models that run one after the other: each takes features of the pipeline and what earlier models made.
package struct CoreMLPipeline: Sendable, Equatable {
    /// The models, in the order in which they run.
    package var models: [CoreMLSpecification] = [] { didSet { origin.touch() } }
    /// What people call them; empty or as many as the models.
    package private(set) var names: [String] = []
    package var origin = WireOrigin()
    /// The field of the model that holds it: 202, or 200 and 201 for classifiers and regressors, where a message around the
    /// pipeline may have fields that are not known.
    private var field = Self.plain
    private var unknownAround = WireOrigin()

    private static let plain = 202

    /// A name for each model by which its weights are told apart: people's names where each has one of its own, or numbers.
    package var distinctNames: [String] {
        let isNamed = names.count == models.count && Set(names).count == names.count && !names.contains("")
        return isNamed ? names : models.indices.map(String.init)
    }
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
        guard field.number != Self.plain else {
            self = try field.message("pipeline")
            return
        }
        let name = field.number == 200 ? "pipelineClassifier" : "pipelineRegressor"
        let bytes = try field.bytes("pipeline")
        self = try inside(name) { () throws(WireFault) in
            var pipeline: CoreMLPipeline?
            var around = WireOrigin()
            var reader = WireReader(try field.input.child(bytes))
            while let inner = try reader.next() {
                if inner.number == 1 { pipeline = try inner.single("pipeline", pipeline) } else { around.keep(inner) }
            }
            guard var pipeline else { throw .missing("pipeline", "the pipeline itself") }
            pipeline.field = field.number
            pipeline.unknownAround = around
            return pipeline
        }
    }

    package func encode(into writer: inout WireWriter) {
        writer.messages(1, models)
        for name in names { writer.string(2, name, always: true) }
    }

    /// Writes the field of the model that holds the pipeline.
    func encodeField(into writer: inout WireWriter) {
        guard field != Self.plain else { return writer.message(field, self) }
        writer.nested(field) { writer in
            writer.message(1, self)
            for range in unknownAround.unknown { writer.copy(range) }
        }
    }
}
