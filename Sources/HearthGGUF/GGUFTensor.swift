/// A tensor of a GGUF file: what it is called, how it is stored and where. Its range was checked against the file.
package struct GGUFTensor: Sendable, Equatable {
    /// The name, such as `blk.0.attn_q.weight`.
    package let name: String
    /// How values are stored.
    package let type: GGUFTensorType
    /// Sizes as in the file, fastest first (ggml's `ne`): `[columns, rows]` for a matrix.
    package let shape: [Int]
    /// Where the data begins, in bytes from the start of the file.
    package let offset: Int
    /// Bytes of data.
    package let byteCount: Int

    /// What is known of a tensor from elsewhere; see `GGUFFile.init(_:table:)`.
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
