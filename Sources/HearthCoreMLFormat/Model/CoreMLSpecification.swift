/// The message of a Core ML model: what it is for, and the model itself.
package struct CoreMLSpecification: Sendable, Equatable {
    /// What kind of model it is.
    package enum Kind: Sendable, Equatable {
        /// A program of tensor operations, with weights in files of their own.
        case program(MILProgram)
        /// A network of layers, the format before programs, with weights in the message.
        case neuralNetwork(NeuralNetwork)
        /// Models that run one after the other.
        case pipeline(CoreMLPipeline)
        /// What keeps the best of boxes that overlap: the end of a detector's pipeline.
        case suppression(CoreMLSuppression)
        /// A model of rows in tables, by the number of its field.
        case tabular(CoreMLTabular, field: Int)
        /// Anything else, by the number of its field; it is kept and not read.
        case other(Int)
    }

    /// Version of the format: 6 for iOS 15 up to 9 for iOS 18 and 10 for iOS 26; networks of layers have 1 to 5.
    package var specificationVersion: Int { didSet { origin.touch() } }
    /// Inputs, outputs, and what people wrote.
    package var description: CoreMLModelDescription { didSet { origin.touch() } }
    /// Whether the model was made to be trained further on the device.
    package var isUpdatable: Bool { didSet { origin.touch() } }
    /// The model itself.
    package var kind: Kind { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// The program, if it is one.
    package var program: MILProgram? { if case .program(let program) = kind { program } else { nil } }

    /// What kind of model it is, in the format's words: `mlProgram`, `neuralNetworkClassifier`.
    package var kindName: String {
        switch kind {
        case .program: "mlProgram"
        case .neuralNetwork(let network): network.role.rawValue
        case .pipeline: "pipeline"
        case .suppression: "nonMaximumSuppression"
        case .tabular(_, let number), .other(let number): Self.fieldName(number) ?? "field \(number)"
        }
    }

    /// Operation sets by version of the format.
    static let opsets = [6: "CoreML5", 7: "CoreML6", 8: "CoreML7", 9: "CoreML8", 10: "CoreML9"]

    /// The operation set that programs of a version are written in; nil for versions without programs.
    package static func operationSet(version: Int) -> String? { opsets[version] }

    /// The model with another one in the place of a model of its pipeline. Models around it get a version that is no older.
    /// - Parameter place: the position in the pipeline, and in pipelines inside it; empty for the model itself.
    package func replacing(_ place: [Int], by model: CoreMLSpecification) -> CoreMLSpecification {
        guard let index = place.first, case .pipeline(var pipeline) = kind, pipeline.models.indices.contains(index)
        else { return model }
        let inner = pipeline.models[index].replacing(Array(place.dropFirst()), by: model)
        pipeline.models[index] = inner
        var copy = self
        copy.specificationVersion = max(specificationVersion, inner.specificationVersion)
        copy.kind = .pipeline(pipeline)
        return copy
    }

    /// The message as bytes. Where nothing was changed since it was read, they are the bytes that were read.
    package var encoded: [UInt8] { WireWriter.file(self).array }
}

extension CoreMLSpecification: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        var version = 0
        var description: CoreMLModelDescription?
        var isUpdatable = false
        var kind: Kind?
        var kept = WireOrigin()
        var reader = WireReader(input, name: Self.fieldName)
        while let field = try reader.next() {
            switch field.number {
            case 1: version = try field.integer("specificationVersion")
            case 2: description = try field.single("description", description)
            case 10: isUpdatable = try field.bool("isUpdatable")
            case 502:
                guard kind == nil else { throw .malformed("mlProgram", "the file holds two models") }
                kind = .program(try field.message("mlProgram"))
            case 303, 403, 500:
                guard kind == nil else { throw .malformed("neuralNetwork", "the file holds two models") }
                kind = .neuralNetwork(try NeuralNetwork(field))
            case 200, 201, 202:
                guard kind == nil else { throw .malformed("pipeline", "the file holds two models") }
                kind = .pipeline(try CoreMLPipeline(field))
            case 610:
                guard kind == nil else { throw .malformed("nonMaximumSuppression", "the file holds two models") }
                kind = .suppression(try field.message("nonMaximumSuppression"))
                kept.keep(field)
            case let number where CoreMLTabular.fields.contains(number):
                guard kind == nil else { throw .malformed(Self.fieldName(number), "the file holds two models") }
                let tabular = try inside(Self.fieldName(number) ?? "model") { () throws(WireFault) in
                    try CoreMLTabular(field)
                }
                kind = .tabular(tabular, field: number)
                kept.keep(field)
            default:
                if field.number >= 200 {
                    guard kind == nil else {
                        throw .malformed(Self.fieldName(field.number), "the file holds two models")
                    }
                    kind = .other(field.number)
                }
                kept.keep(field)
            }
        }
        guard version != 0 else { throw .missing("specificationVersion", "the version") }
        guard let kind else { throw .missing("model", "the model itself") }
        specificationVersion = version
        self.description = description ?? CoreMLModelDescription()
        self.isUpdatable = isUpdatable
        self.kind = kind
        origin = kept
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.integer(1, specificationVersion)
        writer.message(2, description)
        writer.bool(10, isUpdatable)
        switch kind {
        case .program(let program): writer.message(502, program)
        case .neuralNetwork(let network): writer.message(network.role.field, network)
        case .pipeline(let pipeline): pipeline.encodeField(into: &writer)
        // Kept as they were read, among the fields that are not known.
        case .suppression, .tabular, .other: break
        }
    }

    /// Names of the message's fields, as Apple's schema has them.
    static func fieldName(_ number: Int) -> String? { fieldNames[number] }

    private static let fieldNames: [Int: String] = [
        1: "specificationVersion", 2: "description", 10: "isUpdatable", 200: "pipelineClassifier",
        201: "pipelineRegressor", 202: "pipeline", 300: "glmRegressor", 301: "supportVectorRegressor",
        302: "treeEnsembleRegressor", 303: "neuralNetworkRegressor", 304: "bayesianProbitRegressor",
        400: "glmClassifier", 401: "supportVectorClassifier", 402: "treeEnsembleClassifier",
        403: "neuralNetworkClassifier", 404: "kNearestNeighborsClassifier", 500: "neuralNetwork",
        501: "itemSimilarityRecommender", 502: "mlProgram", 555: "customModel", 556: "linkedModel",
        560: "classConfidenceThresholding", 600: "oneHotEncoder", 601: "imputer", 602: "featureVectorizer",
        603: "dictVectorizer", 604: "scaler", 606: "categoricalMapping", 607: "normalizer",
        609: "arrayFeatureExtractor", 610: "nonMaximumSuppression", 900: "identity", 2000: "textClassifier",
        2001: "wordTagger", 2002: "visionFeaturePrint", 2003: "soundAnalysisPreprocessing", 2004: "gazetteer",
        2005: "wordEmbedding", 2006: "audioFeaturePrint", 3000: "serializedModel",
    ]
}
