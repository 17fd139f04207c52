/// The one picture that a model takes.
public struct PictureInput: Sendable {
    /// The input's name.
    public let name: String
    /// Its size and colours, and how pictures of another shape are made to fit.
    public let image: ImageInput

    /// - Parameter file: the model's path, for messages.
    /// - Throws: `VisionError` for a model that takes something else than one picture, `PictureError` for one that is too large.
    public init(_ model: VisionInterface, file: String = "model", crop: CropAndScale) throws {
        guard model.inputs.count == 1, let input = model.inputs.first, let type = input.image else {
            throw VisionError.takesNoPicture(
                .init(file: file, field: "inputs"), inputs: model.inputs.map { "\($0.name) \($0.shape)" })
        }
        name = input.name
        image = try ImageInput(type, crop: crop)
    }

    func tensors(_ picture: Picture) throws -> [String: VisionTensor] {
        [name: VisionTensor(shape: image.shape, values: try image.values(picture))]
    }
}
