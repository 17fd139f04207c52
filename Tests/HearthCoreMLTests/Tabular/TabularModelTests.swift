import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import HearthSystem
import HearthTestSupport
import Testing

/// Models of tables against scikit-learn (`make_tables.py`).
@Suite("models of tables")
struct TabularModelTests {
    struct Case {
        var model: String
        var tolerance: Double
        var rows: [[String: Any]]
        var outputs: [[String: Any]]
    }

    /// Rows hold values of several types, and null.
    private static func cases() throws -> [Case] {
        let data = try VisionFixtures.data("tables.json")
        let items = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return try items.map { item in
            Case(
                model: try #require(item["model"] as? String),
                tolerance: try #require((item["tolerance"] as? NSNumber)?.doubleValue),
                rows: try #require(item["rows"] as? [[String: Any]]),
                outputs: try #require(item["outputs"] as? [[String: Any]]))
        }
    }

    private static func value(_ json: Any) -> FeatureValue? {
        switch json {
        case let text as String: .string(text)
        case let number as NSNumber: .double(number.doubleValue)
        case let texts as [String] where !texts.isEmpty: .textList(texts)
        case let list as [Any]: .array([list.count], list.map { ($0 as? NSNumber)?.doubleValue ?? .nan })
        case let map as [String: Any]: .texts(map.compactMapValues { ($0 as? NSNumber)?.doubleValue })
        default: nil
        }
    }

    private static func isSame(_ found: FeatureValue, _ expected: FeatureValue, _ tolerance: Double) -> Bool {
        func near(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= tolerance * max(1, abs(b)) }
        switch (found, expected) {
        case (.string(let a), .string(let b)): return a == b
        case (.double(let a), .double(let b)): return near(a, b)
        case (.integer(let a), .double(let b)): return Double(a) == b
        case (.textList(let a), .textList(let b)): return a == b
        case (.integerList(let a), .array(_, let b)): return a.map(Double.init) == b
        case (.array(_, let a), .array(_, let b)): return a.count == b.count && zip(a, b).allSatisfy(near)
        case (.texts(let a), .texts(let b)):
            return a.count == b.count && a.allSatisfy { key, value in b[key].map { near(value, $0) } ?? false }
        case (.integers(let a), .texts(let b)):
            return a.count == b.count && a.allSatisfy { key, value in b[String(key)].map { near(value, $0) } ?? false }
        default: return false
        }
    }

    @Test("what scikit-learn predicts")
    func goldens() throws {
        let cases = try Self.cases()
        #expect(cases.count == 32)
        for item in cases {
            let package = try CoreMLPackage(path: VisionFixtures.path("tables/\(item.model).mlmodel"))
            #expect(TabularModel.isTabular(package))
            let model = try TabularModel(package)
            for (row, outputs) in zip(item.rows, item.outputs) {
                let results = try model.predict(row.compactMapValues(Self.value))
                for (name, expected) in outputs {
                    let found = try #require(results.first { $0.name == name }, "\(item.model) \(name)")
                    let value = try #require(Self.value(expected))
                    #expect(
                        Self.isSame(found.value, value, item.tolerance),
                        "\(item.model) \(row) \(name): \(found.value), not \(value)")
                }
            }
        }
    }

    private static func model(_ name: String) throws -> TabularModel {
        try TabularModel(path: VisionFixtures.path("tables/\(name).mlmodel"))
    }

    @Test("recommenders take lists of items, and a number of at least one")
    func recommenderInputs() throws {
        let model = try Self.model("recommender-texts")
        let liked = FeatureValue.texts(["owl": 5])
        #expect(throws: CoreMLError.missingInput(name: "liked")) { try model.predict([:]) }
        for (name, value, expected) in [
            ("k", FeatureValue.double(0), "a number of items, 1 or more"),
            ("k", .integer(-1), "a number of items, 1 or more"),
            ("among", .array([1], [3]), "a list of items"),
        ] {
            let error = #expect(throws: CoreMLError.self) { try model.predict(["liked": liked, name: value]) }
            guard case .inputKind(name, expected, _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let none = try model.predict(["liked": liked, "among": .textList([])])
        #expect(none.first { $0.name == "items" }?.value == .textList([]))
    }

    @Test("rows that do not fit are refused by the name of the input")
    func refusals() throws {
        let model = try Self.model("logistic")
        let row: [String: FeatureValue] = [
            "sepal length": .double(1), "sepal width": .double(2), "petal length": .integer(3),
            "petal width": .double(4),
        ]
        #expect(try model.predict(row).count == 2)
        var other = row
        other["color"] = .double(1)
        #expect(throws: CoreMLError.unknownInput(name: "color", inputs: model.inputs.map(\.name))) {
            try model.predict(other)
        }
        other = row
        other["petal width"] = nil
        #expect(throws: CoreMLError.missingInput(name: "petal width")) { try model.predict(other) }
        other["petal width"] = .string("wide")
        #expect(throws: CoreMLError.inputKind(name: "petal width", expected: "a number", found: "a text")) {
            try model.predict(other)
        }
        #expect(throws: CoreMLError.self) { try Self.model("forest").predict([:]) }
        #expect(throws: CoreMLError.self) { try Self.model("vectors").predict(["row": .array([2], [1, 2])]) }
    }

    @Test("damaged files are refused, whichever byte is wrong")
    func damage() throws {
        let folder = try TemporaryFolder()
        for name in ["forest", "vectors-shares", "prepared", "neighbours", "one-versus-rest"] {
            let whole = [UInt8](try VisionFixtures.data("tables/\(name).mlmodel"))
            for place in stride(from: 0, to: whole.count, by: 3) {
                var bytes = whole
                bytes[place] ^= 0x55
                // A row is predicted, or an error is thrown: nothing else may happen.
                let path = try folder.write(Data(bytes), "damaged.mlmodel")
                guard let model = try? TabularModel(path: path) else { continue }
                var row: [String: FeatureValue] = [:]
                for input in model.inputs {
                    switch input.kind {
                    case .multiArray(let array) where array.shape.reduce(1, *) < 1 << 16:
                        row[input.name] = .array(array.shape, [Double](repeating: 1, count: array.shape.reduce(1, *)))
                    case .string: row[input.name] = .string("red")
                    case .dictionary: row[input.name] = .texts([:])
                    default: row[input.name] = .double(0.5)
                    }
                }
                _ = try? model.predict(row)
            }
        }
    }

    @Test("texts that are one integer are no keys of a dictionary by integers")
    func equalKeys() {
        let kind = CoreMLFeature.Kind.dictionary(keysAreIntegers: true)
        #expect(FeatureValue.texts(["1": 2, "7": 3]).converted(to: kind) == .integers([1: 2, 7: 3]))
        for keys in [["1": 1.0, "01": 2], ["1": 1, "+1": 2], ["1": 1, "one": 2]] {
            #expect(FeatureValue.texts(keys).converted(to: kind) == nil)
        }
    }

    /// A model as protobuf writes it: `x` goes in, `y` comes out.
    private static func model(_ description: [UInt8], _ rest: [UInt8]) throws -> TabularModel {
        let version: [UInt8] = [0x08, 4]
        let bytes = version + [0x12, UInt8(description.count)] + description + rest
        return try TabularModel(CoreMLPackage(MappedFile(copying: bytes)))
    }

    @Test("a dictionary whose keys are no places of an array is refused", arguments: [-5, Int.min, Int.max, 1 << 40])
    func wildKeys(key: Int) throws {
        // Dictionaries by integers, normalized by the root of the sum of squares.
        let model = try Self.model(
            [0x0A, 9, 0x0A, 1, 0x78, 0x1A, 4, 0x32, 2, 0x0A, 0, 0x52, 9, 0x0A, 1, 0x79, 0x1A, 4, 0x32, 2, 0x0A, 0],
            [0xFA, 0x25, 2, 0x08, 2])
        #expect(try model.predict(["x": .integers([1: 3])]).map(\.value) == [.integers([1: 1])])
        #expect(throws: CoreMLError.inputKind(name: "x", expected: "numbers", found: "a dictionary")) {
            try model.predict(["x": .integers([key: 1])])
        }
    }

    @Test("an element that no array has is no feature")
    func wildPlace() {
        // Arrays of three numbers, and the element with the largest index there is.
        let array: [UInt8] = [0x1A, 9, 0x2A, 7, 0x0A, 1, 3, 0x10, 0xC0, 0x80, 4]
        let place = [UInt8](repeating: 0xFF, count: 8) + [0x7F]
        #expect(throws: FileError.self) {
            try Self.model(
                [0x0A, 14, 0x0A, 1, 0x78] + array + [0x52, 14, 0x0A, 1, 0x79] + array,
                [0x8A, 0x26, 11, 0x0A, 9] + place)
        }
    }

    @Test("integer labels that float32 does not hold are told apart")
    func wideLabels() throws {
        let labels = [Int.max, 16_777_217, 16_777_216]
        let probabilities = CoreMLInterface.Output(name: "p", kind: .probabilities, shape: [3], result: 0)
        let label = CoreMLInterface.Output(name: "l", kind: .label, shape: [], result: 0)
        let both = CoreMLInterface(
            inputs: [], outputs: [label, probabilities], labels: .integers(labels), metadata: [:])
        for place in 0..<3 {
            let values = (0..<3).map { Float($0 == place ? 1 : 0) }
            let outputs = try both.named([CoreMLTensor(shape: [3], values: values)], [:], file: "m")
            #expect(both.labelPlace(label, in: outputs) == place)
            #expect(both.labelPlace(probabilities, in: outputs) == nil)
        }
        let alone = CoreMLInterface(inputs: [], outputs: [label], labels: .integers(labels), metadata: [:])
        let outputs = try alone.named([CoreMLTensor(shape: [3], values: [1, 0, 0])], [:], file: "m")
        #expect(alone.labelPlace(label, in: outputs) == 0)
    }
}
