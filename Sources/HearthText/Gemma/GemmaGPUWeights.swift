internal import HearthCompute
internal import HearthGPU
internal import HearthSystem

/// A model's weights in GPU memory, in the formats of their file.
struct GemmaGPUWeights {
    struct Layer {
        let attentionNorm: GPUPlace
        /// Queries, keys and values; their outputs are concatenated.
        let queryKeyValue: [GPUMatrix]
        let queryNorm: GPUPlace?
        let keyNorm: GPUPlace?
        let attentionOutput: [GPUMatrix]
        let postAttentionNorm: GPUPlace?
        let feedForwardNorm: GPUPlace
        let gateUp: [GPUMatrix]
        let down: [GPUMatrix]
        let postFeedForwardNorm: GPUPlace?
    }

    let embedding: GPUMatrix
    let layers: [Layer]
    let outputNorm: GPUPlace
    let head: [GPUMatrix]

    /// Copies the weights to the device. They also stay mapped, as the CPU takes over if the device fails.
    /// - Throws: `GPUError`; `FileError.changed` if the file was changed during the copy.
    init(_ weights: GemmaWeights, on device: GPUDevice) throws {
        let memory = GPUWeightMemory(device)
        func place(_ rows: Rows) throws -> GPUPlace {
            try rows.row(0).withUnsafeBytes { try memory.keep($0) }
        }
        func matrix(_ matrix: WeightMatrix) throws -> GPUMatrix {
            guard let format = GPUMatrix.Format(rawValue: matrix.format.rawValue) else {
                throw GPUError.notCovered(what: "weights in \(matrix.format)")
            }
            return GPUMatrix(
                format: format, rows: matrix.rows, columns: matrix.columns, rowBytes: matrix.rowBytes,
                at: try matrix.withBytes { try memory.keep($0) })
        }
        func group(_ group: MatrixGroup) throws -> [GPUMatrix] { try group.matrices.map(matrix) }

        let embedding = try matrix(weights.embedding)
        self.embedding = embedding
        outputNorm = try place(weights.outputNorm)
        // If the head is the embedding, copy it only once.
        head = try weights.head.matrices.map { try $0.isSame(as: weights.embedding) ? embedding : matrix($0) }
        layers = try weights.layers.map { layer in
            Layer(
                attentionNorm: try place(layer.attentionNorm), queryKeyValue: try group(layer.queryKeyValue),
                queryNorm: try layer.queryNorm.map(place), keyNorm: try layer.keyNorm.map(place),
                attentionOutput: try group(layer.attentionOutput),
                postAttentionNorm: try layer.postAttentionNorm.map(place),
                feedForwardNorm: try place(layer.feedForwardNorm), gateUp: try group(layer.gateUp),
                down: try group(layer.down), postFeedForwardNorm: try layer.postFeedForwardNorm.map(place))
        }
        try weights.file.checkIntact()
    }

    /// Checks that there are shaders for everything in the model, before anything is opened or copied.
    /// - Throws: `GPUError.notCovered`.
    static func check(_ c: GemmaConfiguration, _ weights: GemmaWeights, _ cacheFormat: KVCacheFormat) throws(GPUError) {
        let architecture = c.architecture
        guard [.gemma1, .gemma2, .gemma3].contains(architecture) else {
            throw .notCovered(what: "models of the architecture \(architecture.rawValue)")
        }
        guard cacheFormat != .int8, cacheFormat != .int4 else {
            throw .notCovered(what: "keys and values in \(cacheFormat.rawValue)")
        }
        for layer in c.layers {
            guard layer.headWidth <= 512, layer.headWidth % 2 == 0 else {
                throw .notCovered(what: "heads of \(layer.headWidth) values")
            }
        }
        func check(_ matrices: [WeightMatrix]) throws(GPUError) {
            for matrix in matrices {
                if GPUMatrix.Format(rawValue: matrix.format.rawValue) == nil {
                    throw .notCovered(what: "weights in \(matrix.format)")
                }
                let problem = GPUMatrix.obstacle(columns: matrix.columns, rowBytes: matrix.rowBytes, rows: matrix.rows)
                if let problem { throw .notCovered(what: problem) }
            }
        }
        try check([weights.embedding])
        for group in products(weights) { try check(group.matrices) }
    }

    /// The formats of all matrix products, which determine the pipelines.
    static func formats(_ weights: GemmaWeights) -> Set<GPUMatrix.Format> {
        Set(products(weights).flatMap(\.matrices).compactMap { GPUMatrix.Format(rawValue: $0.format.rawValue) })
    }

    /// Size of all matrices on the device in bytes.
    static func byteCount(_ weights: GemmaWeights) -> Int {
        let isTied = weights.head.matrices.contains { $0.isSame(as: weights.embedding) }
        let matrices = products(weights).flatMap(\.matrices) + (isTied ? [] : [weights.embedding])
        return matrices.reduce(0) { $0 + $1.rows * $1.rowBytes }
    }

    /// All groups of matrices that are multiplied.
    private static func products(_ weights: GemmaWeights) -> [MatrixGroup] {
        [weights.head]
            + weights.layers.flatMap { [$0.queryKeyValue, $0.attentionOutput, $0.gateUp, $0.down] }
    }
}
