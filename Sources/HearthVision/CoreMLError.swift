public import Foundation
internal import HearthFormats

/// What can be wrong with a model for pictures that is a valid file, or with what is given to it. What is wrong with the
/// file itself is a `FormatError`.
public enum CoreMLError: Error, Equatable, Sendable {
    /// A place in a model.
    public struct Place: Equatable, Sendable {
        /// Path of the model, as it was given.
        public let file: String
        /// The operation, layer or feature.
        public let field: String

        /// A place in `file`.
        public init(file: String, field: String) {
            self.file = file
            self.field = field
        }
    }

    // The model

    /// A model that is neither a program nor a network of layers.
    case unsupportedModel(Place, kind: String)
    /// Operations or layers that exist and are not computed here: each by its type and place.
    case unsupportedOperations(Place, operations: [String])
    /// A form of an operation that is not computed here.
    case unsupported(Place, what: String)
    /// A parameter that is missing, of the wrong kind or impossible, or tensors that do not fit each other.
    case invalid(Place, problem: String)
    /// The shape that a tensor has is not the one that the file declares.
    case wrongShape(Place, computed: [Int], declared: String)
    /// A tensor, or work, beyond what is computed here.
    case tooLarge(Place, what: String, claimed: Int, limit: Int)

    // What goes in and comes out

    /// An input that the model does not have.
    case unknownInput(name: String, inputs: [String])
    /// An input that was not given.
    case missingInput(name: String)
    /// An input of the wrong size; −1 stands for a dimension that may be any.
    case inputShape(name: String, expected: [Int], found: [Int])
    /// An input of a shape outside those that the model lists, or its ranges.
    case shapeNotAllowed(name: String, found: [Int], allowed: String)
    /// An input that holds a value that is not a number or infinite.
    case nonFiniteInput(name: String, index: Int)
    /// A threshold that is not between 0 and 1.
    case thresholdOutOfRange(name: String, value: Float)
    /// A result that is not a number or infinite.
    case nonFiniteOutput(name: String, index: Int)
    /// The first step of a prediction whose result is not a number or infinite, and the least and greatest of what went
    /// into it.
    case nonFiniteStep(Place, output: String, input: ClosedRange<Float>)

    // What is made of it

    /// A model that takes no picture, or more than a picture.
    case takesNoPicture(Place, inputs: [String])
    /// A model without labels for what it tells apart.
    case notAClassifier(Place)
    /// A model whose outputs are not boxes.
    case notADetector(Place, outputs: [String])
    /// As many labels as results there are not.
    case labelCount(labels: Int, results: Int)
}

extension CoreMLError: LocalizedError {
    /// `WHAT (WHERE). WHAT TO DO.`
    public var errorDescription: String? {
        switch self {
        case .unsupportedModel(let at, let kind):
            "a model of the kind '\(kind)' is not run (\(at)). Use an ML Program or a neural network."
        case .unsupportedOperations(let at, let operations):
            "operations that this version does not run: \(Self.list(operations)) (\(at)). "
                + "Convert the model without them."
        case .unsupported(let at, let what):
            "\(what) is not run by this version (\(at)). Convert the model without it."
        case .invalid(let at, let problem):
            "\(problem) (\(at)). The model is malformed: use another copy or another converter."
        case .wrongShape(let at, let computed, let declared):
            "a tensor of shape \(computed) is declared as \(declared) (\(at)). "
                + "The model is malformed: use another copy or another converter."
        case .tooLarge(let at, let what, let claimed, let limit):
            "\(what): \(claimed), over the limit of \(limit) (\(at)). Use a smaller model or smaller inputs."
        case .unknownInput(let name, let inputs):
            "the model has no such input (input \(name)). Its inputs are: \(Self.list(inputs))."
        case .missingInput(let name):
            "an input is missing (input \(name)). Pass a value for it."
        case .inputShape(let name, let expected, let found):
            "an input of shape \(found) does not fit (input \(name)). The model takes "
                + "[\(expected.map { $0 < 0 ? "any" : "\($0)" }.joined(separator: ", "))]."
        case .shapeNotAllowed(let name, let found, let allowed):
            "an input of shape \(found) is outside what the model allows (input \(name)). Pass one of \(allowed)."
        case .nonFiniteInput(let name, let index):
            "element \(index) is not a finite number (input \(name)). Check how the input was made."
        case .thresholdOutOfRange(let name, let value):
            "\(value) is not between 0 and 1 (input \(name)). Pass a share, such as 0.45."
        case .nonFiniteOutput(let name, let index):
            "element \(index) of a result is not a finite number (output \(name)). "
                + "The weights are damaged, or the input is far from what the model knows."
        case .nonFiniteStep(let at, let output, let input):
            "the output '\(output)' is not finite, because this operation made a number infinite or none, out of "
                + "values from \(input.lowerBound) to \(input.upperBound) (\(at)). "
                + "The weights are damaged, or the input is far from what the model knows."
        case .takesNoPicture(let at, let inputs):
            "the model does not take one picture and nothing else: its inputs are \(Self.list(inputs)) (\(at)). "
                + "Convert it with an image input, or use 'hearth predict'."
        case .notAClassifier(let at):
            "the model has no labels (\(at)). Convert it with a ClassifierConfig, or use 'hearth predict'."
        case .notADetector(let at, let outputs):
            "no boxes and scores among the outputs: \(Self.list(outputs)) (\(at)). "
                + "Use a detector with the outputs 'confidence' and 'coordinates', or 'hearth predict'."
        case .labelCount(let labels, let results):
            "\(labels) labels for \(results) results (labels). The model is malformed: convert it again."
        }
    }

    private static func list(_ items: [String]) -> String {
        let shown = items.prefix(64).map { $0.count > 120 ? "\($0.prefix(119))…" : $0 }
        return shown.joined(separator: ", ") + (items.count > 64 ? " and \(items.count - 64) more" : "")
    }
}

extension CoreMLError {
    /// - Throws: `shapeNotAllowed` for a shape outside the limits that a model states for an input.
    static func requireAllowed(_ shape: [Int], _ feature: CoreMLFeature) throws {
        guard let allowed = feature.allowedShapes, !allowed.allows(shape) else { return }
        throw shapeNotAllowed(name: feature.name, found: shape, allowed: allowed.description)
    }
}

extension CoreMLError.Place: CustomStringConvertible {
    /// `FILE: FIELD`
    public var description: String { "\(file): \(field)" }
}
