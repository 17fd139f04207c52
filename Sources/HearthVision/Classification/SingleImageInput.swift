/// The one picture that a model takes.
public struct SingleImageInput: Sendable {
    /// The input's name.
    public let name: String
    /// Its size and colours, and how pictures of another shape are made to fit.
    package let image: ImagePreprocessor

    /// - Parameter file: the model's path, for messages.
    /// - Throws: `CoreMLError` for a model that takes something else than one picture, `ImageError` for one that is too large.
    public init(_ model: CoreMLInterface, file: String = "model", crop: CropAndScale) throws {
        guard model.inputs.count == 1, let input = model.inputs.first, let type = input.image else {
            throw CoreMLError.takesNoPicture(
                .init(file: file, field: "inputs"), inputs: model.inputs.map { "\($0.name) \($0.shape)" })
        }
        name = input.name
        image = try ImagePreprocessor(type, crop: crop)
    }

    func tensors(_ picture: OrientedImage) throws -> [String: CoreMLTensor] {
        [name: CoreMLTensor(shape: image.shape, values: try image.values(picture))]
    }
}
