import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthReports
import HearthServer
import HearthSystem

/// `hearth predict` for rows of a table: JSON objects, or lines of a CSV file.
struct TabularRun {
    /// A prediction as JSON.
    private struct Result: Encodable {
        struct Output: Encodable {
            var name: String
            /// Shape of an array; empty for a number, a text or a dictionary.
            var shape: [Int]
            /// A classifier's label.
            var label: String?
            var value: Value
        }

        var outputs: [Output]
        var ms: Double
    }

    /// A feature as JSON: a number, a string, an array in row-major order, or an object.
    private struct Value: Encodable {
        var value: FeatureValue

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .double(let number): try container.encode(number)
            case .integer(let number): try container.encode(number)
            case .string(let text): try container.encode(text)
            case .array(_, let numbers): try container.encode(numbers)
            case .textList(let texts): try container.encode(texts)
            case .integerList(let integers): try container.encode(integers)
            case .texts(let numbers): try container.encode(numbers)
            case .integers(let numbers):
                try container.encode(Dictionary(uniqueKeysWithValues: numbers.map { (String($0.key), $0.value) }))
            }
        }
    }

    private let model: TabularModel
    private let isJSON: Bool
    private var hasHeader = false

    init(_ path: String, function: String?, isJSON: Bool) throws {
        guard !CoreMLArtifact.isArtifact(path) else {
            throw CommandFailure(
                .invalidInput, "a compiled model takes no rows", at: path, todo: "Pass its package, or use --input.")
        }
        var package = try CoreMLPackage(path: path)
        if let function { package = try package.running(function) }
        model = try TabularModel(package)
        self.isJSON = isJSON
    }

    // MARK: - JSON

    /// - Parameter number: of the row on the command line, from 1; nil if it is the only one.
    func predict(json text: String, number: Int?) throws {
        let place = "--row" + (number.map { " number \($0)" } ?? "")
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
            case .object(let fields) = value
        else {
            throw CommandFailure(
                .invalidInput, "the row is not a JSON object", at: place, todo: #"Pass one such as {"age": 31}."#)
        }
        // Integers as they are written: a double does not hold all of them.
        let integers = (try? JSONDecoder().decode(IntegerFields.self, from: Data(text.utf8)))?.values ?? [:]
        var row: [String: FeatureValue] = [:]
        for (name, field) in fields {
            if let integer = integers[name] {
                row[name] = .integer(integer)
                continue
            }
            guard let value = Self.feature(field) else {
                throw CommandFailure(
                    .invalidInput, "the value of '\(name.prefix(80))' is \(field.kind), which no feature can be",
                    at: place,
                    todo: "Pass a number, a text, an array of numbers or texts, a dictionary of numbers, or null.")
            }
            row[name] = value
        }
        let result = try result(row, at: place)
        if isJSON { return try Output.standard.writeJSON(result) }
        for output in result.outputs {
            Output.standard.writeLine("\(output.name.withVisibleControls): \(Self.text(output.value.value))")
        }
    }

    /// The fields of an object that are integers.
    private struct IntegerFields: Decodable {
        var values: [String: Int] = [:]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: JSONValue.Name.self)
            for key in container.allKeys {
                if let value = try? container.decode(Int.self, forKey: key) { values[key.stringValue] = value }
            }
        }
    }

    /// A JSON value as a feature; nil if it cannot be one.
    private static func feature(_ value: JSONValue) -> FeatureValue? {
        switch value {
        case .null: return .double(.nan)
        case .bool(let flag): return .integer(flag ? 1 : 0)
        case .number(let number): return number.isFinite ? .double(number) : nil
        case .string(let text): return .string(text)
        case .array(let parts):
            let texts = parts.compactMap { part in if case .string(let text) = part { text } else { nil as String? } }
            if !parts.isEmpty, texts.count == parts.count { return .textList(texts) }
            return array(value).map { .array($0.shape, $0.values) }
        case .object(let fields):
            var numbers: [String: Double] = [:]
            for (name, field) in fields {
                switch field {
                case .number(let number): numbers[name] = number
                case .null: numbers[name] = .nan
                default: return nil
                }
            }
            return .texts(numbers)
        }
    }

    /// Nested arrays of equal shapes, in row-major order.
    private static func array(_ value: JSONValue) -> (shape: [Int], values: [Double])? {
        switch value {
        case .number(let number): return ([], [number])
        case .null: return ([], [.nan])
        case .array(let parts):
            let inner = parts.compactMap(array)
            guard let first = inner.first, inner.count == parts.count, inner.allSatisfy({ $0.shape == first.shape })
            else { return nil }
            return ([parts.count] + first.shape, inner.flatMap(\.values))
        case .bool, .string, .object: return nil
        }
    }

    // MARK: - CSV

    mutating func predict(csv path: String) throws {
        let bytes = try InputFile.bytes(path, option: "--csv")
        let table: CSVText
        do {
            table = try CSVText(bytes)
        } catch {
            throw CommandFailure(
                .invalidInput, "\(error.problem)", at: "\(path): line \(error.line)", todo: "Correct the file.")
        }
        guard let header = table.rows.first else {
            throw CommandFailure(
                .invalidInput, "the table is empty", at: path, todo: "Pass one whose first line has names.")
        }
        for line in table.rows.dropFirst() {
            guard line.cells.count == header.cells.count else {
                throw CommandFailure(
                    .invalidInput, "\(line.cells.count) cells, but the first line has \(header.cells.count)",
                    at: "\(path): line \(line.line)", todo: "Correct the file.")
            }
            var row: [String: FeatureValue] = [:]
            // Columns that the model does not use are ignored, since tables often have others.
            for (name, cell) in zip(header.cells, line.cells) {
                guard let input = model.inputs.first(where: { $0.name == name }) else { continue }
                guard let value = Self.cell(cell, input.kind) else {
                    throw CommandFailure(
                        .invalidInput, "'\(cell.prefix(40))' is not a value of '\(name)'",
                        at: "\(path): line \(line.line)",
                        todo: "Correct the file.")
                }
                row[name] = value
            }
            let result = try result(row, at: "\(path): line \(line.line)")
            if isJSON { try Output.standard.writeJSON(result) } else { writeLine(result) }
        }
    }

    /// A cell as a feature; an empty cell is a missing value.
    private static func cell(_ text: String, _ kind: CoreMLFeature.Kind) -> FeatureValue? {
        if case .string = kind { return .string(text) }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        if trimmed.isEmpty { return .double(.nan) }
        if let integer = Int(trimmed) { return .integer(integer) }
        if let number = Double(trimmed) { return .double(number) }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(trimmed.utf8)) else { return nil }
        return feature(value)
    }

    /// Writes a column for each output, or for each key of a dictionary.
    private mutating func writeLine(_ result: Result) {
        var names: [String] = []
        var cells: [String] = []
        for output in result.outputs {
            if let entries = Self.entries(output.value.value) {
                names += entries.map { "\(output.name)[\($0.key)]" }
                cells += entries.map { Self.number($0.number) }
            } else {
                names.append(output.name)
                cells.append(Self.text(output.value.value))
            }
        }
        if !hasHeader { Output.standard.writeLine(names.map(CSVText.quoted).joined(separator: ",")) }
        hasHeader = true
        Output.standard.writeLine(cells.map(CSVText.quoted).joined(separator: ","))
    }

    // MARK: - Common

    /// - Parameter place: of the row, for messages.
    private func result(_ row: [String: FeatureValue], at place: String) throws -> Result {
        let start = ContinuousClock.now
        let made: [(name: String, value: FeatureValue)]
        do {
            made = try model.predict(row)
        } catch let error as CoreMLError {
            throw Self.located(error, at: place)
        }
        let elapsed = start.duration(to: .now)
        // As for tensors, results that are no numbers are an error; JSON could not hold them either.
        for (name, value) in made {
            guard let part = Self.nonFinitePart(value) else { continue }
            throw CommandFailure(
                .failure, "a result is not a finite number", at: "\(place), output \(name)\(part)",
                todo: "The weights are damaged, or the row is far from the training data or lacks a value.")
        }
        let outputs = made.map { name, value -> Result.Output in
            var shape: [Int] = []
            if case .array(let sizes, _) = value { shape = sizes }
            let label = name == model.labelName ? Self.text(value) : nil
            return Result.Output(name: name, shape: shape, label: label, value: Value(value: value))
        }
        return Result(outputs: outputs, ms: elapsed.milliseconds)
    }

    /// What is wrong with a row, of which the model does not know where it is from; any other error stays as it is.
    private static func located(_ error: CoreMLError, at place: String) -> any Error {
        func failure(_ what: String, _ name: String, todo: String) -> CommandFailure {
            CommandFailure(.invalidInput, what, at: "\(place), input \(name)", todo: todo)
        }
        switch error {
        case .missingInput(let name): return failure("an input is missing", name, todo: "Pass a value for it.")
        case .unknownInput(let name, let inputs):
            let known = inputs.prefix(20).joined(separator: ", ")
            return failure("the model has no such input", name, todo: "Its inputs are: \(known).")
        case .inputKind(let name, let expected, let found):
            return failure("\(found) does not fit", name, todo: "Pass \(expected).")
        default: return error
        }
    }

    /// Where a value has a number that is not finite, such as `[2]`; nil if all are finite.
    private static func nonFinitePart(_ value: FeatureValue) -> String? {
        switch value {
        case .double(let number): number.isFinite ? nil : ""
        case .integer, .string, .textList, .integerList: nil
        case .array(_, let numbers): numbers.firstIndex { !$0.isFinite }.map { "[\($0)]" }
        case .texts, .integers: entries(value)?.first { !$0.number.isFinite }.map { "[\($0.key)]" }
        }
    }

    /// The entries of a dictionary, sorted by key; nil for anything else.
    private static func entries(_ value: FeatureValue) -> [(key: String, number: Double)]? {
        switch value {
        case .texts(let numbers): numbers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .integers(let numbers): numbers.sorted { $0.key < $1.key }.map { (String($0.key), $0.value) }
        case .double, .integer, .string, .array, .textList, .integerList: nil
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    private static func text(_ value: FeatureValue) -> String {
        switch value {
        case .double(let value): number(value)
        case .integer(let value): String(value)
        case .string(let text): text.withVisibleControls
        case .array(_, let values): "[" + values.map(number).joined(separator: ", ") + "]"
        case .textList(let texts): "[" + texts.map(\.withVisibleControls).joined(separator: ", ") + "]"
        case .integerList(let integers): "[" + integers.map(String.init).joined(separator: ", ") + "]"
        case .texts, .integers:
            // Sorted by value in descending order; among equals by key.
            (entries(value) ?? []).enumerated().sorted {
                ($1.element.number, $0.offset) < ($0.element.number, $1.offset)
            }.map { "\($0.element.key.withVisibleControls) \(number($0.element.number))" }.joined(separator: ", ")
        }
    }
}
