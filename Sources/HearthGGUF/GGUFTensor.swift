/// A tensor of a GGUF file: name, format and location. Its range has been checked against the file.
package struct GGUFTensor: Sendable, Equatable {
    /// The name, such as `blk.0.attn_q.weight`.
    package let name: String
    /// The storage format.
    package let type: GGUFTensorType
    /// Dimensions as in the file, fastest-varying first (ggml's `ne`): `[columns, rows]` for a matrix.
    package let shape: [Int]
    /// Offset of the data from the start of the file, in bytes.
    package let offset: Int
    /// Size of the data in bytes.
    package let byteCount: Int

    /// Creates a description of a tensor known from elsewhere; see `GGUFFile.init(_:table:)`.
    package init(name: String, type: GGUFTensorType, shape: [Int], offset: Int, byteCount: Int) {
        self.name = name
        self.type = type
        self.shape = shape
        self.offset = offset
        self.byteCount = byteCount
    }

    /// Number of values.
    package var elementCount: Int { shape.reduce(1, *) }
}
