internal import Foundation
package import HearthSystem

/// An error of calibrating or evaluating a model with images. Problems of an image are reported as `ImageError`.
package enum CalibrationError: Error, Equatable, Sendable {
    /// The folder, or a file in it, cannot be read.
    case unreadable(folder: String, reason: String)
    /// The folder contains no calibration data.
    case nothingToCalibrate(folder: String, expected: String)
    /// The number of values in the file does not match the model's input.
    case wrongSize(file: String, bytes: Int, expected: Int)
    /// The file contains a value that is not finite.
    case notFinite(file: String, index: Int)
    /// The model's inputs cannot be filled from one file each.
    case unsupportedInputs(file: String, inputs: [String])
    /// A line of the label list has a class that the model does not have.
    case unknownLabel(file: String, line: Int, label: String)
    /// An image has no class.
    case unlabelled(file: String, image: String)
    /// Images of the list are missing: the first of them, its row if the list has rows, and the number of others.
    case missingImages(file: String, row: Int?, path: String, others: Int, total: Int)
    /// An image cannot be read; `message` explains why in one line.
    case unreadableImage(message: String)
    /// The models of an evaluation have different classes.
    case differentClasses(model: String, count: Int, reference: String, referenceCount: Int)
    /// The models of an evaluation are not all classifiers, or have different outputs.
    case otherKind(model: String)
    /// A category of the annotations is no class of a detector.
    case unknownCategory(file: String, name: String, model: String, classes: [String])
    /// An image has another size than the annotations say.
    case otherSize(file: String, found: String, expected: String)
    /// The model computes a value that is not finite.
    case nonFiniteOutput(model: String, image: String, output: String)
    /// No weight could be calibrated.
    case noLayers(file: String)
    /// No activation could be quantized.
    case noActivations(file: String)
    /// The budget is smaller than the smallest variant.
    case budgetTooSmall(budget: Int, least: Int)
    /// No variant meets the limit on the loss of accuracy.
    case dropTooLarge(allowed: Double, found: Double)
    /// A setting is out of range.
    case invalidSetting(name: String, problem: String)
}

extension CalibrationError: LocalizedError {
    /// The problem, its location, and what to do.
    package var errorDescription: String? {
        switch self {
        case .unreadable(let folder, let reason):
            "cannot read the calibration data: \(reason) (\(folder)). Check the path and its permissions."
        case .nothingToCalibrate(let folder, let expected):
            "no calibration data was found (\(folder)). Pass a folder with \(expected)."
        case .wrongSize(let file, let bytes, let expected):
            "\(bytes) bytes, but the model's input takes \(expected) (\(file)). Write little-endian float32, row-major."
        case .notFinite(let file, let index):
            "a value is not a finite number (\(file): element \(index)). Remove the file, or write it again."
        case .unsupportedInputs(let file, let inputs):
            "a model with \(inputs.count) inputs cannot be calibrated from files (\(file): \(inputs.joined(separator: ", "))). "
                + "Compress it without --calibrate."
        case .unknownLabel(let file, let line, let label):
            "'\(label)' is not a label of the model (\(file): line \(line)). Write lines 'file,label'."
        case .unlabelled(let file, let image):
            "the image '\(image)' has no label (\(file)). Add a line '\(image),LABEL'."
        case .missingImages(let file, let row, let path, let others, let total):
            "there is no such image: \(path)\(others == 0 ? "" : "; \(others) more of \(total) are missing") (\(file)\(row.map { ": row \($0)" } ?? "")). "
                + "Check --images, or skip unreadable images with --skip-unreadable."
        case .unreadableImage(let message):
            "\(message) Or skip unreadable images with --skip-unreadable."
        case .differentClasses(let model, let count, let reference, let referenceCount):
            "the models have different classes: this one has \(count), \(reference) has \(referenceCount)"
                + (count == referenceCount ? " of other names or in another order" : "")
                + " (\(model)). Evaluate variants of one model."
        case .otherKind(let model):
            "the model has other outputs than the first (\(model)). Evaluate variants of one model."
        case .unknownCategory(let file, let name, let model, let classes):
            "the category '\(name)' is not a class of the detector \(model), whose classes are "
                + (classes.isEmpty ? "not named" : classes.prefix(12).joined(separator: ", "))
                + "\(classes.count > 12 ? ", …" : "") (\(file)). Rename the category as the model does."
        case .otherSize(let file, let found, let expected):
            "the image has \(found) pixels, but its boxes are for \(expected) (\(file)). Label the images as they are; the EXIF "
                + "orientation counts."
        case .nonFiniteOutput(let model, let image, let output):
            "a result is not a finite number (output \(output)) (\(model): \(image)). Exclude this model: its weights are damaged, "
                + "or it was compressed too far."
        case .noLayers(let file):
            "no weight can be calibrated: convolutions and dense layers with weights of their own that are not compressed "
                + "yet (\(file)). Start from the original model, or compress without --calibrate."
        case .noActivations(let file):
            "no activation can be quantized: the model has no convolutions and no dense layers, or its activations are "
                + "quantized already (\(file)). Compress its weights alone, without --activations."
        case .budgetTooSmall(let budget, let least):
            "\(budget) bytes are less than the smallest variant needs, about \(least) (--budget). Raise the budget."
        case .dropTooLarge(let allowed, let found):
            "even the largest palettes lose \(Self.percent(found)), more than \(Self.percent(allowed)) (--max-drop). "
                + "Raise the limit, or use int8 or float16."
        case .invalidSetting(let name, let problem):
            "\(problem) (\(name)). See 'hearth help compress'."
        }
    }

    private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}

extension CalibrationError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .budgetTooSmall, .dropTooLarge, .nonFiniteOutput: .failed
        case .invalidSetting: .invalidOption
        default: .invalidInput
        }
    }
}
