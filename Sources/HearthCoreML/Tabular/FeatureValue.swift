package import HearthCoreMLFormat

/// The value of a feature, other than a picture.
package enum FeatureValue: Sendable, Equatable {
    case double(Double)
    case integer(Int)
    case string(String)
    /// Dimensions, slowest first, and the elements.
    case array([Int], [Double])
    /// Numbers by text or by integer.
    case texts([String: Double])
    case integers([Int: Double])
    /// A sequence of texts, or of integers.
    case textList([String])
    case integerList([Int])

    /// A number for each label; of equal labels the first counts.
    static func shares(_ labels: [String], _ values: [Double]) -> FeatureValue {
        .texts(Dictionary(zip(labels, values)) { first, _ in first })
    }

    static func shares(_ labels: [Int], _ values: [Double]) -> FeatureValue {
        .integers(Dictionary(zip(labels, values)) { first, _ in first })
    }

    /// Whether it stands for a value that is not there.
    var isMissing: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .array(_, let values): !values.isEmpty && values.allSatisfy(\.isNaN)
        case .integer, .string, .texts, .integers, .textList, .integerList: false
        }
    }

    /// One number; nil for anything else.
    package var number: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(value)
        case .array(_, let values): values.count == 1 ? values[0] : nil
        case .string, .texts, .integers, .textList, .integerList: nil
        }
    }

    /// All numbers of it, in order; nil for what has none. A dictionary of places is an array with zeros between.
    /// - Parameter count: how many are wanted, where that is known.
    func numbers(_ count: Int?) -> [Double]? {
        switch self {
        case .double(let value): return [value]
        case .integer(let value): return [Double(value)]
        case .array(_, let values): return values
        case .integers(let values):
            // Keys are any integers: they are judged before anything is computed with them.
            guard values.keys.allSatisfy({ (0..<GraphLimits.foldedElements).contains($0) }) else { return nil }
            let size = count ?? (values.keys.max() ?? -1) + 1
            guard size <= GraphLimits.foldedElements, values.keys.allSatisfy({ $0 < size }) else { return nil }
            return (0..<size).map { values[$0] ?? 0 }
        case .string, .texts, .textList, .integerList: return nil
        }
    }

    /// Its name in messages.
    package var kindName: String {
        switch self {
        case .double(let value): value.isNaN ? "a missing value" : "a number"
        case .integer: "an integer"
        case .string: "a text"
        case .array(let shape, _): "an array of shape \(shape)"
        case .texts, .integers: "a dictionary"
        case .textList, .integerList: "a list"
        }
    }

    /// The same as a feature of a model is declared; nil where it cannot be that.
    package func converted(to kind: CoreMLFeature.Kind) -> FeatureValue? {
        switch kind {
        case .double: return number.map { .double($0) }
        case .int64:
            if case .integer = self { return self }
            guard let value = number, let integer = Int(exactly: value) else { return nil }
            return .integer(integer)
        case .string: if case .string = self { return self }
        case .multiArray(let array):
            guard let values = numbers(nil) else { return nil }
            if case .array(let shape, _) = self, shape.count == array.shape.count || array.shape.isEmpty {
                return self
            }
            let shape = array.shape.reduce(1, *) == values.count && !array.shape.isEmpty ? array.shape : [values.count]
            return .array(shape, values)
        case .dictionary(let keysAreIntegers):
            if case .integers = self, keysAreIntegers { return self }
            if case .texts(let values) = self {
                guard keysAreIntegers else { return self }
                // "1" and "01" are one integer.
                let numbers = Dictionary(values.compactMap { key, value in Int(key).map { ($0, value) } }) { $1 }
                return numbers.count == values.count ? .integers(numbers) : nil
            }
            if keysAreIntegers, case .array(_, let values) = self {
                let pairs = values.enumerated().filter { $0.element != 0 }.map { ($0.offset, $0.element) }
                return .integers(Dictionary(uniqueKeysWithValues: pairs))
            }
        case .sequence:
            switch self {
            case .textList, .integerList: return self
            case .array(let shape, let values):
                let integers = values.compactMap { Int(exactly: $0) }
                return shape.count == 1 && integers.count == values.count ? .integerList(integers) : nil
            default: break
            }
        case .image, .state: break
        }
        return nil
    }
}
