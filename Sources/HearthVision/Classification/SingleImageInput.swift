public import HearthCoreML
public import HearthImages
import HearthSystem

/// The image input of a model that takes exactly one image.
public struct SingleImageInput: Sendable {
    /// The input's name.
    public let name: String
    /// The size and color layout of the input, and how images with a different aspect ratio are fitted.
    package let image: ImagePreprocessor

    /// Creates the input of a model.
    /// - Parameters:
    ///   - model: inputs and outputs of the model.
    ///   - file: the model's path, for messages.
    ///   - crop: how an image with a different aspect ratio is fitted.
    /// - Throws: ``CoreMLError`` if the model does not take exactly one image, ``ImageError`` if its input is too large.
    public init(_ model: CoreMLInterface, file: String = "model", crop: CropAndScale) throws {
        guard model.inputs.count == 1, let input = model.inputs.first, let type = input.image else {
            throw CoreMLError.takesNoPicture(
                .init(file: file, field: "inputs"), inputs: model.inputs.map { "\($0.name) \($0.shape)" })
        }
        name = input.name
        image = try ImagePreprocessor(type, crop: crop)
    }

    /// Reads an image, at reduced resolution if that is sufficient for the model.
    /// - Throws: `ImageError`.
    package func read(_ path: String) async throws -> OrientedImage {
        try await OwnThread.run { [target = image.target] _ in try ImageDecoder().picture(at: path, for: target) }
    }

    /// The model's input with an image in it. Large images take several milliseconds.
    /// - Throws: `ImageError`.
    package func tensors(_ picture: OrientedImage) throws -> [String: CoreMLTensor] {
        [name: CoreMLTensor(shape: image.shape, values: try image.values(picture))]
    }
}
