import HearthSystem

/// A model of rows in tables: trees, linear models, support vectors, neighbours, and what prepares their features. Read-only.
///
/// Fields and rules are those of Core ML's `TreeEnsemble.proto`, `GLMClassifier.proto` and their neighbours.
package enum CoreMLTabular: Sendable, Equatable {
    case trees(CoreMLTrees)
    case linear(CoreMLLinear)
    case supportVectors(CoreMLSupportVectors)
    case neighbours(CoreMLNeighbours)
    /// (x + shift) · scale, one number for all or one each.
    case scaler(shift: [Double], scale: [Double])
    case imputer(CoreMLImputer)
    /// Divided by a norm of the row.
    case normalizer(Norm)
    case oneHot(categories: Labels, ignoresUnknown: Bool)
    /// Columns and how many numbers each has, one after the other.
    case vectorizer(columns: [(name: String, count: Int)])
    /// Elements of an array by their places.
    case extractor([Int])
    /// The values of a dictionary in the order of keys.
    case dictionaryVectorizer(Labels)
    case mapping(CoreMLMapping)
    case identity
    case recommender(CoreMLRecommender)

    package typealias Labels = NeuralNetwork.Labels

    /// What a row is divided by.
    package enum Norm: Int, Sendable { case greatest = 0, sum = 1, root = 2 }

    /// Fields of a model that hold one of them.
    static let fields: Set = [300, 301, 302, 400, 401, 402, 404, 501, 600, 601, 602, 603, 604, 606, 607, 609, 900]

    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.trees(let a), .trees(let b)): a == b
        case (.linear(let a), .linear(let b)): a == b
        case (.supportVectors(let a), .supportVectors(let b)): a == b
        case (.neighbours(let a), .neighbours(let b)): a == b
        case (.scaler(let a, let b), .scaler(let c, let d)): a == c && b == d
        case (.imputer(let a), .imputer(let b)): a == b
        case (.normalizer(let a), .normalizer(let b)): a == b
        case (.oneHot(let a, let b), .oneHot(let c, let d)): a == c && b == d
        case (.vectorizer(let a), .vectorizer(let b)): a.elementsEqual(b) { $0 == $1 }
        case (.extractor(let a), .extractor(let b)): a == b
        case (.dictionaryVectorizer(let a), .dictionaryVectorizer(let b)): a == b
        case (.mapping(let a), .mapping(let b)): a == b
        case (.identity, .identity): true
        case (.recommender(let a), .recommender(let b)): a == b
        default: false
        }
    }

    /// The labels of a classifier.
    package var labels: Labels? {
        switch self {
        case .trees(let trees): trees.labels
        case .linear(let linear): linear.labels
        case .supportVectors(let machine): machine.labels
        case .neighbours(let neighbours): neighbours.classes
        default: nil
        }
    }

    /// - Parameter field: one of `fields`.
    init(_ field: WireField) throws(WireFault) {
        let record = try WireRecord(field)
        switch field.number {
        case 302, 402: self = .trees(try CoreMLTrees(record, isClassifier: field.number == 402))
        case 300, 400: self = .linear(try CoreMLLinear(record, isClassifier: field.number == 400))
        case 301, 401: self = .supportVectors(try CoreMLSupportVectors(record, isClassifier: field.number == 401))
        case 404: self = .neighbours(try CoreMLNeighbours(record))
        case 604:
            self = .scaler(shift: try record.doubles(1, "shiftValue"), scale: try record.doubles(2, "scaleValue"))
        case 601: self = .imputer(try CoreMLImputer(record))
        case 607:
            let number = try record.integer(1, "normType")
            guard let norm = Norm(rawValue: number) else {
                throw WireFault("normType") { .outOfRange($0, value: "\(number)") }
            }
            self = .normalizer(norm)
        case 600:
            let handling = try record.integer(11, "handleUnknown")
            self = .oneHot(categories: try Self.keys(record), ignoresUnknown: handling == 1)
        case 602:
            var columns: [(name: String, count: Int)] = []
            for column in try record.records(1) {
                let count = try column.integer(2, "inputDimensions")
                guard (1...CoreMLLimits.elements).contains(count) else {
                    throw WireFault("inputDimensions") { .outOfRange($0, value: "\(count)") }
                }
                columns.append((try column.string(1, "inputColumn"), count))
            }
            self = .vectorizer(columns: columns)
        case 609:
            let places = try record.integers(1, "extractIndex")
            guard !places.isEmpty, places.allSatisfy({ (0..<CoreMLLimits.elements).contains($0) }) else {
                throw .malformed("extractIndex", "\(places.prefix(8)) are not valid indices of an array")
            }
            self = .extractor(places)
        case 603: self = .dictionaryVectorizer(try Self.keys(record))
        case 606: self = .mapping(try CoreMLMapping(record))
        case 501: self = .recommender(try CoreMLRecommender(record))
        default: self = .identity
        }
    }

    /// Keys or categories: texts in field 1, integers in field 2.
    private static func keys(_ record: WireRecord) throws(WireFault) -> Labels {
        if let texts = try record.record(1) { return .strings(try texts.strings(1, "stringCategories")) }
        guard let integers = try record.record(2) else { throw .missing("stringCategories", "every category") }
        return .integers(try integers.integers(1, "int64Categories"))
    }
}

/// What takes the place of missing values.
package struct CoreMLImputer: Sendable, Equatable {
    /// A value, of whatever type the feature has.
    package enum Value: Sendable, Equatable {
        case double(Double)
        case integer(Int)
        case string(String)
        case doubles([Double])
        case integers([Int])
        /// By the keys of a dictionary.
        case texts([String: Double])
        case integerKeys([Int: Double])
    }

    /// The replacement value.
    package let imputed: Value
    /// The value that counts as missing; nil for NaN.
    package let replaced: Value?

    init(_ record: WireRecord) throws(WireFault) {
        switch record.choice([1, 2, 3, 4, 5, 6, 7]) {
        case 1: imputed = .double(try record.double(1, "imputedDoubleValue"))
        case 2: imputed = .integer(try record.integer(2, "imputedInt64Value"))
        case 3: imputed = .string(try record.string(3, "imputedStringValue"))
        case 4: imputed = .doubles(try record.record(4)?.doubles(1, "imputedDoubleArray") ?? [])
        case 5: imputed = .integers(try record.record(5)?.integers(1, "imputedInt64Array") ?? [])
        case 6:
            var values: [String: Double] = [:]
            for entry in try record.record(6)?.records(1) ?? [] {
                values[try entry.string(1, "key")] = try entry.double(2, "value")
            }
            imputed = .texts(values)
        case 7:
            var values: [Int: Double] = [:]
            for entry in try record.record(7)?.records(1) ?? [] {
                values[try entry.integer(1, "key")] = try entry.double(2, "value")
            }
            imputed = .integerKeys(values)
        default: throw .missing("ImputedValue", "the value that is put in")
        }
        switch record.choice([11, 12, 13]) {
        case 11: replaced = .double(try record.double(11, "replaceDoubleValue"))
        case 12: replaced = .integer(try record.integer(12, "replaceInt64Value"))
        case 13: replaced = .string(try record.string(13, "replaceStringValue"))
        default: replaced = nil
        }
    }
}

/// Texts for integers, or integers for texts.
package struct CoreMLMapping: Sendable, Equatable {
    /// Integers by text; nil where texts are by integer.
    package private(set) var integers: [String: Int]?
    /// Texts by integer.
    package private(set) var texts: [Int: String] = [:]
    /// For values that are not listed.
    package private(set) var unknownText: String?
    /// For what is not among them.
    package private(set) var unknownInteger: Int?

    init(_ record: WireRecord) throws(WireFault) {
        if let map = try record.record(1) {
            var integers: [String: Int] = [:]
            for entry in try map.records(1) { integers[try entry.string(1, "key")] = try entry.integer(2, "value") }
            self.integers = integers
        } else if let map = try record.record(2) {
            for entry in try map.records(1) { texts[try entry.integer(1, "key")] = try entry.string(2, "value") }
        } else {
            throw .missing("MappingType", "the map itself")
        }
        if record.has(101) { unknownText = try record.string(101, "strValue") }
        if record.has(102) { unknownInteger = try record.integer(102, "int64Value") }
    }
}

/// Rows that are remembered, and the label of each.
package struct CoreMLNeighbours: Sendable, Equatable {
    /// Numbers of a row.
    package let dimensions: Int
    /// The rows, one after the other.
    package let samples: [Float]
    /// Each label once, in the order of the rows; of a model without rows its default label.
    package let classes: CoreMLTabular.Labels
    /// The class of each row.
    package let rowClasses: [Int]
    /// How many neighbours decide.
    package let neighbours: Int
    /// Whether near ones count more, by the inverse of their distance.
    package let weighsByDistance: Bool

    init(_ record: WireRecord) throws(WireFault) {
        guard let index = try record.record(1) else { throw .missing("nearestNeighborsIndex", "the rows") }
        dimensions = try index.integer(1, "numberOfDimensions")
        var samples: [Float] = []
        for row in try index.records(2) {
            let values = try row.floats(1, "floatSamples")
            guard values.count == dimensions else {
                throw .malformed("floatSamples", "\(values.count) numbers, but \(dimensions) are expected")
            }
            samples += values
        }
        self.samples = samples
        // Models that a device is to train are delivered without rows.
        if samples.isEmpty, try record.labels().map({ $0.count == 0 }) ?? true {
            switch record.choice([110, 111]) {
            case 110: classes = .strings([try record.string(110, "defaultStringLabel")])
            case 111: classes = .integers([try record.integer(111, "defaultInt64Label")])
            default: throw .missing("defaultStringLabel", "the label of a model without rows")
            }
            (rowClasses, neighbours, weighsByDistance) = ([], 0, false)
            return
        }
        guard let labels = try record.labels(), dimensions > 0, labels.count * dimensions == samples.count,
            labels.count > 0
        else { throw .malformed("stringClassLabels", "the number of labels differs from the number of rows") }
        switch labels {
        case .strings(let texts):
            let (classes, places) = Self.classes(texts)
            (self.classes, rowClasses) = (.strings(classes), places)
        case .integers(let integers):
            let (classes, places) = Self.classes(integers)
            (self.classes, rowClasses) = (.integers(classes), places)
        }
        let count = try record.record(3)?.integer(1, "defaultValue") ?? 5
        neighbours = min(max(count, 1), labels.count)
        weighsByDistance = record.has(210)
    }

    private static func classes<Label: Hashable>(_ rows: [Label]) -> (classes: [Label], places: [Int]) {
        var known: [Label: Int] = [:]
        var classes: [Label] = []
        let places = rows.map { label in
            if let place = known[label] { return place }
            classes.append(label)
            known[label] = classes.count - 1
            return classes.count - 1
        }
        return (classes, places)
    }

}
