internal import Foundation
package import HearthCoreML
package import HearthImages
internal import HearthSystem

/// Representative inputs of a model, from images or files of numbers in a folder.
///
/// If a folder contains more files than are used, they are selected at even intervals in name order, which is reproducible.
package struct CalibrationInputs: Sendable {
    /// The names of the files used.
    package let names: [String]
    /// The number of suitable files that are not used.
    package let unused: Int
    let tensors: [[String: CoreMLTensor]]

    /// The maximum number of inputs.
    package static let most = 128
    /// The maximum number of elements of all inputs together, half a gigabyte.
    private static let mostElements = 1 << 27

    /// The number of inputs.
    package var count: Int { tensors.count }

    /// Reads a folder: JPEG and PNG files for a model with an image input, `.f32` files (little-endian float32, row-major) for
    /// one with a tensor input. Other files are ignored.
    /// - Parameters:
    ///   - most: the maximum number of files used.
    ///   - progress: called with the number of files read, and their total.
    ///   - isCancelled: checked before each file.
    /// - Throws: `CalibrationError`, `ImageError` with the file's name, `CancellationError`.
    package init(
        folder: String, for model: CoreMLModel, crop: CropAndScale = .centerCrop, most: Int = CalibrationInputs.most,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }, isCancelled: () -> Bool = { false }
    ) throws {
        guard model.inputs.count == 1, let input = model.inputs.first else {
            throw CalibrationError.unsupportedInputs(file: model.path, inputs: model.inputs.map(\.name))
        }
        let all: [String]
        do throws(FileFailure) {
            all = try SystemFiles().list(folder)
        } catch {
            throw CalibrationError.unreadable(folder: folder, reason: error.reason)
        }
        let isImage = input.image != nil
        let fitting = all.filter { name in
            !name.hasPrefix(".")
                && (isImage ? ImageFormat.isNamed(by: name) : (name as NSString).pathExtension.lowercased() == "f32")
        }.sorted()
        guard !fitting.isEmpty else {
            throw CalibrationError.nothingToCalibrate(
                folder: folder, expected: input.image == nil ? ".f32 files" : "images")
        }
        let elements = input.shape.reduce(1, *)
        let count = min(fitting.count, most, max(1, Self.mostElements / max(elements, 1)))
        names = (0..<count).map { fitting[$0 * fitting.count / count] }
        unused = fitting.count - count
        let picture = try input.image.map { try ImagePreprocessor($0, crop: crop) }
        var tensors: [[String: CoreMLTensor]] = []
        for name in names {
            if isCancelled() { throw CancellationError() }
            let path = "\(folder)/\(name)"
            let values =
                if let picture {
                    try picture.values(ImageDecoder().picture(at: path, for: picture.target))
                } else {
                    try Self.floats(path, count: elements)
                }
            tensors.append([input.name: CoreMLTensor(shape: input.shape, values: values)])
            progress(tensors.count, count)
        }
        self.tensors = tensors
    }

    private static func floats(_ path: String, count: Int) throws -> [Float] {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try WholeFile.read(path, limit: max(4 * count, 1 << 20))
        } catch {
            throw CalibrationError.unreadable(folder: path, reason: error.reason)
        }
        guard bytes.count == 4 * count else {
            throw CalibrationError.wrongSize(file: path, bytes: bytes.count, expected: 4 * count)
        }
        let values = (0..<count).map { index in
            var bits: UInt32 = 0
            for byte in 0..<4 { bits |= UInt32(bytes[4 * index + byte]) << UInt32(8 * byte) }
            return Float(bitPattern: bits)
        }
        if let index = values.firstIndex(where: { !$0.isFinite }) {
            throw CalibrationError.notFinite(file: path, index: index)
        }
        return values
    }
}
