/// A tensor of a GGUF file: what it is called, how it is stored and where. Its range was checked against the file.
public struct GGUFTensor: Sendable, Equatable {
    /// The name, such as `blk.0.attn_q.weight`.
    public let name: String
    /// How values are stored.
    public let type: GGUFTensorType
    /// Sizes as in the file, fastest first (ggml's `ne`): `[columns, rows]` for a matrix.
    public let shape: [Int]
    /// Where the data begins, in bytes from the start of the file.
    public let offset: Int
    /// Bytes of data.
    public let byteCount: Int

    /// What is known of a tensor from elsewhere; see `GGUFFile.init(_:table:)`.
    public init(name: String, type: GGUFTensorType, shape: [Int], offset: Int, byteCount: Int) {
        self.name = name
        self.type = type
        self.shape = shape
        self.offset = offset
        self.byteCount = byteCount
    }

    /// Number of values.
    public var elementCount: Int { shape.reduce(1, *) }
}
