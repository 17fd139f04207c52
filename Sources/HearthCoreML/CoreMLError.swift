public import Foundation
internal import HearthCoreMLFormat
package import HearthSystem

/// An error in a Core ML model whose file is valid, or in its inputs. Errors in the file itself are ``FileError``.
public enum CoreMLError: Error, Equatable, Sendable {
    /// A location in a model.
    public struct Place: Equatable, Sendable {
        /// Path of the model, as it was given.
        public let file: String
        /// The operation, layer or feature.
        public let field: String

        /// A location in `file`.
        package init(file: String, field: String) {
            self.file = file
            self.field = field
        }
    }

    // The model

    /// The model is neither an ML Program nor a neural network.
    case unsupportedModel(Place, kind: String)
    /// Operations or layers that Hearth does not implement, each with its type and place.
    case unsupportedOperations(Place, operations: [String])
    /// A form of an operation that Hearth does not implement.
    case unsupported(Place, what: String)
    /// A parameter that is missing or not valid, or tensors that do not fit each other.
    case invalid(Place, problem: String)
    /// The shape of a tensor differs from the declared one.
    case wrongShape(Place, computed: [Int], declared: String)
    /// A tensor or an amount of work above the limit.
    case tooLarge(Place, what: String, claimed: Int, limit: Int)

    // What goes in and comes out

    /// An input that the model does not have.
    case unknownInput(name: String, inputs: [String])
    /// An input is missing.
    case missingInput(name: String)
    /// An input of the wrong shape; −1 stands for any size.
    case inputShape(name: String, expected: [Int], found: [Int])
    /// An input of another kind, such as a text for a number.
    case inputKind(name: String, expected: String, found: String)
    /// An input whose shape the model does not allow.
    case shapeNotAllowed(name: String, found: [Int], allowed: String)
    /// An input contains NaN or infinity.
    case nonFiniteInput(name: String, index: Int)
    /// A threshold that is not between 0 and 1.
    case thresholdOutOfRange(name: String, value: Float)
    /// An output contains NaN or infinity.
    case nonFiniteOutput(Place, index: Int)
    /// The first operation whose result contains NaN or infinity, and the range of its inputs.
    case nonFiniteStep(Place, output: String, input: ClosedRange<Float>)

    // What is made of it

    /// The model does not take exactly one image.
    case takesNoPicture(Place, inputs: [String])
    /// The model has no class labels.
    case notAClassifier(Place)
    /// The model's outputs are not boxes.
    case notADetector(Place, outputs: [String])
    /// The number of labels differs from the number of results.
    case labelCount(Place, labels: Int, results: Int)
}

extension CoreMLError: LocalizedError {
    /// `WHAT (WHERE). WHAT TO DO.`
    public var errorDescription: String? {
        switch self {
        case .unsupportedModel(let at, let kind):
            "a model of kind '\(kind)' is not supported (\(at)). Use an ML Program or a neural network."
        case .unsupportedOperations(let at, let operations):
            "operations that this version does not support: \(Self.list(operations)) (\(at)). "
                + "Convert the model without them."
        case .unsupported(let at, let what):
            "\(what) is not supported by this version (\(at)). Convert the model without it."
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
        case .inputKind(let name, let expected, let found):
            "\(found) does not fit (input \(name)). Pass \(expected)."
        case .shapeNotAllowed(let name, let found, let allowed):
            "an input of shape \(found) is outside what the model allows (input \(name)). Pass one of \(allowed)."
        case .nonFiniteInput(let name, let index):
            "element \(index) is not a finite number (input \(name)). Check how the input was made."
        case .thresholdOutOfRange(let name, let value):
            "\(value) is not between 0 and 1 (input \(name)). Pass a fraction, such as 0.45."
        case .nonFiniteOutput(let at, let index):
            "element \(index) of an output is not a finite number (\(at)). "
                + "The weights are damaged, or the input is far from the training data."
        case .nonFiniteStep(let at, let output, let input):
            "the output '\(output)' is not finite, because this operation produced infinity or NaN from "
                + "values in \(input.lowerBound) to \(input.upperBound) (\(at)). "
                + "The weights are damaged, the input is far from the training data, or the conversion to float16 "
                + "made a mask's lowest number infinite (convert with float32, or with -1e4 in its place)."
        case .takesNoPicture(let at, let inputs):
            "the model does not take exactly one image: its inputs are \(Self.list(inputs)) (\(at)). "
                + "Convert it with an image input, or pass its inputs as tensors."
        case .notAClassifier(let at):
            "the model has no labels (\(at)). Convert it with a ClassifierConfig, or use its outputs as they are."
        case .notADetector(let at, let outputs):
            "no boxes and scores among the outputs: \(Self.list(outputs)) (\(at)). "
                + "Use a detector with the outputs 'confidence' and 'coordinates', or the outputs as they are."
        case .labelCount(let at, let labels, let results):
            "\(labels) labels for \(results) results (\(at)). The model is malformed: convert it again."
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

extension CoreMLError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .nonFiniteOutput, .nonFiniteStep: .failed
        default: .invalidInput
        }
    }
}
