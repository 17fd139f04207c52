internal import HearthCompute
internal import HearthGPU
internal import HearthTokenizer

/// The embeddings of a step's tokens while the table, often the largest matrix, is still on its way to the device: rows of the
/// mapped table as they are, which the same shader decodes.
struct GemmaGPUTokenRows {
    private let table: WeightMatrix
    /// The rows of the step's tokens.
    let matrix: GPUMatrix
    private let buffer: GPUBuffer

    /// - Parameter copy: the table on the device.
    /// - Throws: `GPUError`.
    init(_ table: WeightMatrix, like copy: GPUMatrix, on device: GPUDevice, maximumStep step: Int) throws(GPUError) {
        self.table = table
        // Shaders read whole words at the end.
        buffer = try GPUBuffer(device, byteCount: step * table.rowBytes + 4, .shared)
        matrix = GPUMatrix(
            format: copy.format, rows: step, columns: table.columns, rowBytes: table.rowBytes, at: buffer.place)
    }

    /// Uploads the tokens' rows.
    /// - Returns: what to look up in place of the tokens.
    /// - Throws: `GPUError`.
    func upload(_ tokens: ArraySlice<TokenID>) throws(GPUError) -> [TokenID] {
        for (row, token) in tokens.enumerated() {
            // As the shader does with an id beyond the table.
            let index = (0..<table.rows).contains(Int(token)) ? Int(token) : 0
            try buffer.upload(table.bytes(ofRow: index), at: row * table.rowBytes)
        }
        return (0..<tokens.count).map(TokenID.init)
    }
}
