package import HearthCoreMLFormat

/// A model of rows in tables, alone or as a pipeline of such models and networks.
///
///     let model = try TabularModel(path: "Iris.mlmodel")
///     let result = try model.predict(["sepal length": .double(5.1), …])
package struct TabularModel: Sendable {
    /// What goes in.
    package let inputs: [CoreMLFeature]
    /// What comes out.
    package let outputs: [CoreMLFeature]
    /// The output with a classifier's label; empty where there is none.
    package let labelName: String
    private let stages: [TabularStage]
    private let package: CoreMLPackage

    /// - Throws: `FileError`, `CoreMLError` for models of kinds that are not run.
    package init(path: String) throws { try self.init(CoreMLPackage(path: path)) }

    package init(_ package: CoreMLPackage) throws {
        self.package = package
        inputs = package.model.description.effectiveInputs
        outputs = package.model.description.effectiveOutputs
        labelName = package.model.description.predictedFeatureName
        stages = try Self.stages(package, package.model.kindName)
    }

    private static func stages(_ package: CoreMLPackage, _ place: String) throws -> [TabularStage] {
        guard case .pipeline = package.model.kind else { return [try TabularStage(package, place: place)] }
        return try package.stages.enumerated().flatMap { index, stage in
            try stages(stage, "pipeline.models[\(index)](\(stage.model.kindName))")
        }
    }

    /// Whether a model is one of tables: such a model, or a pipeline that has one.
    package static func isTabular(_ package: CoreMLPackage) -> Bool {
        if case .tabular = package.model.kind { return true }
        return package.stages.contains(where: isTabular)
    }

    /// The outputs for one row.
    ///
    /// Throws `CoreMLError` for inputs that are unknown, missing or of another kind.
    package func predict(_ row: [String: FeatureValue]) throws -> [(name: String, value: FeatureValue)] {
        for name in row.keys.sorted() where !inputs.contains(where: { $0.name == name }) {
            throw CoreMLError.unknownInput(name: name, inputs: inputs.map(\.name))
        }
        var scope: [String: FeatureValue] = [:]
        for input in inputs {
            guard let value = row[input.name] else {
                guard input.isOptional else { throw CoreMLError.missingInput(name: input.name) }
                scope[input.name] = input.missingValue
                continue
            }
            if case .double(let number) = value, number.isNaN {
                scope[input.name] = input.missingValue
                continue
            }
            guard let converted = value.converted(to: input.kind) else {
                throw CoreMLError.inputKind(name: input.name, expected: input.kind.shownKind, found: value.kindName)
            }
            scope[input.name] = converted
        }
        for stage in stages {
            try Task.checkCancellation()
            scope.merge(try stage.run(scope)) { _, made in made }
        }
        try package.checkIntact()
        return try outputs.map { output in
            guard let value = scope[output.name] else {
                throw CoreMLError.invalid(
                    .init(file: package.path, field: "description.output(\(output.name))"),
                    problem: "nothing makes this output")
            }
            return (output.name, value)
        }
    }
}

extension CoreMLFeature {
    /// What stands for an input that is left out: the default that the model states, or NaN, which imputers and trees handle.
    fileprivate var missingValue: FeatureValue {
        guard case .multiArray(let array) = kind else { return .double(.nan) }
        let count = array.shape.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue }
        guard !array.shape.isEmpty, (1...GraphLimits.foldedElements).contains(count) else { return .double(.nan) }
        return .array(array.shape, [Double](repeating: (isOptional ? array.usual : nil) ?? .nan, count: count))
    }
}

extension CoreMLFeature.Kind {
    /// For messages.
    fileprivate var shownKind: String {
        switch self {
        case .int64: "an integer"
        case .double: "a number"
        case .string: "a text"
        case .image: "a picture"
        case .multiArray(let array): "an array of shape \(array.shape)"
        case .dictionary: "a dictionary"
        case .sequence: "a sequence"
        case .state: "a state"
        }
    }
}
