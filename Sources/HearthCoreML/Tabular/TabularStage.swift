internal import Foundation
internal import HearthCoreMLFormat

/// One model of a table's pipeline: computes new features from the present ones.
struct TabularStage: Sendable {
    enum Kind: Sendable {
        case tabular(CoreMLTabular)
        /// A network that takes and gives arrays.
        case network(CoreMLModel)
    }

    let kind: Kind
    let description: CoreMLModelDescription
    /// For errors.
    let file: String
    let place: String

    init(_ package: CoreMLPackage, place: String) throws {
        description = package.model.description
        file = package.path
        self.place = place
        switch package.model.kind {
        case .tabular(let tabular, _): kind = .tabular(tabular)
        case .program, .neuralNetwork: kind = .network(try CoreMLModel(package))
        default:
            throw CoreMLError.unsupportedModel(.init(file: package.path, field: place), kind: package.model.kindName)
        }
    }

    func invalid(_ problem: String) -> CoreMLError { .invalid(.init(file: file, field: place), problem: problem) }

    /// - Parameter scope: the features that are there.
    /// - Returns: the outputs of the stage, by name.
    func run(_ scope: [String: FeatureValue]) throws -> [String: FeatureValue] {
        switch kind {
        case .network(let model): return try Self.run(model, scope, self)
        case .tabular(let tabular): return try run(tabular, scope)
        }
    }

    // MARK: - Inputs

    /// The value of an input. Throws for one that is missing.
    private func value(_ name: String, _ scope: [String: FeatureValue]) throws -> FeatureValue {
        guard let value = scope[name] else { throw CoreMLError.missingInput(name: name) }
        return value
    }

    private func only(_ scope: [String: FeatureValue]) throws -> FeatureValue {
        guard let input = description.inputs.first else { throw invalid("a model without inputs") }
        return try value(input.name, scope)
    }

    /// All inputs one after the other.
    private func row(_ scope: [String: FeatureValue]) throws -> [Double] {
        try description.inputs.flatMap { input -> [Double] in
            let value = try value(input.name, scope)
            guard let numbers = value.numbers(nil) else {
                throw CoreMLError.inputKind(name: input.name, expected: "numbers", found: value.kindName)
            }
            return numbers
        }
    }

    // MARK: - Models

    private func run(_ tabular: CoreMLTabular, _ scope: [String: FeatureValue]) throws -> [String: FeatureValue] {
        switch tabular {
        case .trees(let trees): return try outputs(of: trees.results(try row(scope)), labels: trees.labels)
        case .linear(let linear):
            let row = try row(scope)
            guard linear.weights[0].count == row.count else { throw width(linear.weights[0].count, row) }
            return try outputs(of: linear.results(row), labels: linear.labels)
        case .supportVectors(let machine): return try run(machine, try row(scope))
        case .neighbours(let neighbours):
            let row = try row(scope)
            guard neighbours.dimensions == row.count else { throw width(neighbours.dimensions, row) }
            return try outputs(of: neighbours.shares(row), labels: neighbours.classes)
        case .vectorizer(let columns):
            let parts = try columns.flatMap { column -> [Double] in
                let value = try value(column.name, scope)
                guard let numbers = value.numbers(column.count), numbers.count == column.count else {
                    throw CoreMLError.inputKind(
                        name: column.name, expected: "\(column.count) numbers", found: value.kindName)
                }
                return numbers
            }
            return try output(.array([parts.count], parts))
        case .identity:
            var made: [String: FeatureValue] = [:]
            for (input, output) in zip(description.inputs, description.outputs) {
                made[output.name] = try value(input.name, scope)
            }
            return made
        case .recommender(let recommender): return try run(recommender, scope)
        default: return try output(try prepared(tabular, try only(scope)))
        }
    }

    /// Models that make one feature of one.
    private func prepared(_ tabular: CoreMLTabular, _ input: FeatureValue) throws -> FeatureValue {
        switch tabular {
        case .scaler(let shift, let scale):
            if let values = input.numbers(nil), case .array = input {
                for (name, list) in [("shiftValue", shift), ("scaleValue", scale)]
                where ![0, 1, values.count].contains(list.count) {
                    throw invalid("\(list.count) numbers of '\(name)' for \(values.count) elements")
                }
            }
            return try mapped(input) { index, value in
                (value + (Self.pick(shift, index) ?? 0)) * (Self.pick(scale, index) ?? 1)
            }
        case .normalizer(let norm):
            guard let values = input.numbers(nil) else { throw unfit(input, "numbers") }
            let size: Double =
                switch norm {
                case .greatest: values.map(abs).max() ?? 0
                case .sum: values.reduce(0) { $0 + abs($1) }
                case .root: values.reduce(0) { $0 + $1 * $1 }.squareRoot()
                }
            return try mapped(input) { _, value in size == 0 ? value : value / size }
        case .imputer(let imputer): return try imputed(imputer, input)
        case .oneHot(let categories, let ignoresUnknown):
            let place: Int?
            switch (categories, input) {
            case (.strings(let texts), .string(let text)): place = texts.firstIndex(of: text)
            case (.integers(let integers), _):
                guard let number = input.number else { throw unfit(input, "an integer") }
                place = Int(exactly: number).flatMap(integers.firstIndex)
            default: throw unfit(input, "a text")
            }
            guard place != nil || ignoresUnknown else { throw unfit(input, "one of the model's categories") }
            return .array([categories.count], (0..<categories.count).map { $0 == place ? 1 : 0 })
        case .extractor(let places):
            guard let values = input.numbers(nil) else { throw unfit(input, "an array") }
            guard places.allSatisfy(values.indices.contains) else {
                throw unfit(input, "an array of at least \((places.max() ?? 0) + 1) numbers")
            }
            return .array([places.count], places.map { values[$0] })
        case .dictionaryVectorizer(let keys):
            switch (keys, input) {
            case (.strings(let texts), .texts(let values)): return .array([texts.count], texts.map { values[$0] ?? 0 })
            case (.integers(let integers), .integers(let values)):
                return .array([integers.count], integers.map { values[$0] ?? 0 })
            default: throw unfit(input, "a dictionary with the model's kind of keys")
            }
        case .mapping(let mapping):
            if let integers = mapping.integers {
                guard case .string(let text) = input else { throw unfit(input, "a text") }
                if let value = integers[text] ?? mapping.unknownInteger { return .integer(value) }
            } else {
                // Not by way of a double, which does not hold every integer.
                let key: Int?
                if case .integer(let integer) = input {
                    key = integer
                } else {
                    guard let number = input.number else { throw unfit(input, "an integer") }
                    key = Int(exactly: number)
                }
                if let value = key.flatMap({ mapping.texts[$0] }) ?? mapping.unknownText {
                    return .string(value)
                }
            }
            throw unfit(input, "one of the model's categories")
        default: throw invalid("a model of another kind")
        }
    }

    private func unfit(_ value: FeatureValue, _ expected: String) -> CoreMLError {
        .inputKind(name: description.inputs.first?.name ?? "", expected: expected, found: value.kindName)
    }

    private func width(_ expected: Int, _ row: [Double]) -> CoreMLError {
        .inputKind(
            name: description.inputs.map(\.name).prefix(8).joined(separator: ", "), expected: "\(expected) numbers",
            found: "\(row.count)")
    }

    /// One number for all, or one each.
    private static func pick(_ list: [Double], _ index: Int) -> Double? {
        list.count == 1 ? list[0] : list.indices.contains(index) ? list[index] : nil
    }

    private func mapped(_ input: FeatureValue, _ body: (Int, Double) -> Double) throws -> FeatureValue {
        switch input {
        case .array(let shape, let values):
            return .array(shape, values.enumerated().map { body($0.offset, $0.element) })
        case .double(let value): return .double(body(0, value))
        case .integer(let value): return .double(body(0, Double(value)))
        case .integers(let values):
            return .integers(Dictionary(uniqueKeysWithValues: values.map { ($0.key, body($0.key, $0.value)) }))
        case .string, .texts, .textList, .integerList: throw unfit(input, "numbers")
        }
    }

    private func imputed(_ imputer: CoreMLImputer, _ input: FeatureValue) throws -> FeatureValue {
        if case .string(let filling) = imputer.imputed, input.isMissing { return .string(filling) }
        if case .string(let text) = input {
            guard case .string(let filling) = imputer.imputed else { return input }
            if case .string(let missing)? = imputer.replaced { return .string(text == missing ? filling : text) }
            return .string(text.isEmpty ? filling : text)
        }
        func isMissing(_ value: Double) -> Bool {
            switch imputer.replaced {
            case .double(let missing)?: missing.isNaN ? value.isNaN : value == missing
            case .integer(let missing)?: value == Double(missing)
            default: value.isNaN
            }
        }
        let fillings: [Double] =
            switch imputer.imputed {
            case .double(let value): [value]
            case .integer(let value): [Double(value)]
            case .doubles(let values): values
            case .integers(let values): values.map(Double.init)
            case .string, .texts, .integerKeys: []
            }
        switch (imputer.imputed, input) {
        case (.texts(let fillings), .texts(let values)):
            return .texts(
                values.reduce(into: [:]) { $0[$1.key] = isMissing($1.value) ? fillings[$1.key] ?? $1.value : $1.value })
        case (.integerKeys(let fillings), .integers(let values)):
            return .integers(
                values.reduce(into: [:]) { $0[$1.key] = isMissing($1.value) ? fillings[$1.key] ?? $1.value : $1.value })
        default:
            return try mapped(input) { index, value in isMissing(value) ? Self.pick(fillings, index) ?? value : value }
        }
    }

    // MARK: - Outputs

    private func output(_ value: FeatureValue) throws -> [String: FeatureValue] {
        try named(description.outputs.first, value)
    }

    private func named(_ output: CoreMLFeature?, _ value: FeatureValue) throws -> [String: FeatureValue] {
        guard let output else { throw invalid("a model without outputs") }
        guard let converted = value.converted(to: output.kind) else {
            throw invalid("the output '\(output.name)' is declared as something else than \(value.kindName)")
        }
        return [output.name: converted]
    }

    /// Sums of a regressor, or shares of a classifier's labels.
    private func outputs(of values: [Double], labels: CoreMLTabular.Labels?) throws -> [String: FeatureValue] {
        guard let labels else {
            let name = description.predictedFeatureName
            return try named(
                description.outputs.first { $0.name == name } ?? description.outputs.first,
                values.count == 1 ? .double(values[0]) : .array([values.count], values))
        }
        let best = values.indices.max { values[$0] < values[$1] } ?? 0
        return classified(best, shares: values, labels)
    }

    func classified(_ best: Int, shares: [Double]?, _ labels: CoreMLTabular.Labels) -> [String: FeatureValue] {
        var made: [String: FeatureValue] = [:]
        switch labels {
        case .strings(let texts):
            made[description.predictedFeatureName] = .string(texts[best])
            made[description.predictedProbabilitiesName] = shares.map { .shares(texts, $0) }
        case .integers(let integers):
            made[description.predictedFeatureName] = .integer(integers[best])
            made[description.predictedProbabilitiesName] = shares.map { .shares(integers, $0) }
        }
        made[""] = nil
        return made
    }

    private func run(_ machine: CoreMLSupportVectors, _ row: [Double]) throws -> [String: FeatureValue] {
        guard machine.vectors.allSatisfy({ $0.count <= row.count }) else {
            throw width(machine.vectors.map(\.count).max() ?? 0, row)
        }
        guard let labels = machine.labels else { return try outputs(of: [machine.sum(row)], labels: nil) }
        let decisions = machine.decisions(row)
        if let shares = machine.shares(decisions) { return try outputs(of: shares, labels: labels) }
        return classified(machine.winner(decisions), shares: nil, labels)
    }

    // MARK: - Networks

    private static func run(
        _ model: CoreMLModel, _ scope: [String: FeatureValue], _ stage: TabularStage
    ) throws -> [String: FeatureValue] {
        var tensors: [String: CoreMLTensor] = [:]
        for input in model.inputs {
            guard let value = scope[input.name] else { throw CoreMLError.missingInput(name: input.name) }
            // The network knows what stands for an input that was left out.
            if value.isMissing, input.usual != nil { continue }
            guard let numbers = value.numbers(input.shape.reduce(1, *)), numbers.count == input.shape.reduce(1, *)
            else {
                throw CoreMLError.inputKind(
                    name: input.name, expected: "an array of shape \(input.shape)", found: value.kindName)
            }
            tensors[input.name] = CoreMLTensor(shape: input.shape, values: numbers.map { Float($0) })
        }
        var made: [String: FeatureValue] = [:]
        let results = try model.predict(tensors)
        for output in model.outputs {
            guard let tensor = results[output.name] else { continue }
            switch (output.kind, model.labels) {
            case (.label, let labels?):
                guard let place = model.interface.labelPlace(output, in: results) else { continue }
                if case .integers(let integers) = labels {
                    made[output.name] = .integer(integers[place])
                } else {
                    made[output.name] = .string(labels[place])
                }
            case (.probabilities, .strings(let texts)?):
                made[output.name] = .shares(texts, tensor.values.map(Double.init))
            case (.probabilities, .integers(let integers)?):
                made[output.name] = .shares(integers, tensor.values.map(Double.init))
            default:
                let value = FeatureValue.array(tensor.shape, tensor.values.map(Double.init))
                let feature = stage.description.effectiveOutputs.first { $0.name == output.name }
                made[output.name] = feature.flatMap { value.converted(to: $0.kind) } ?? value
            }
        }
        return made
    }
}
