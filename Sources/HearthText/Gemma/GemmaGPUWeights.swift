internal import HearthCompute
internal import HearthGPU
internal import HearthSystem

/// A model's weights in GPU memory, in the formats of their file.
struct GemmaGPUWeights {
    struct Layer {
        let attentionNorm: GPUPlace
        /// Queries, keys and values; their outputs are concatenated.
        let queryKeyValue: [GPUMatrix]
        let hasValues: Bool
        let queryNorm: GPUPlace?
        let keyNorm: GPUPlace?
        let attentionOutput: [GPUMatrix]
        let postAttentionNorm: GPUPlace?
        let feedForwardNorm: GPUPlace
        let gateUp: [GPUMatrix]
        let down: [GPUMatrix]
        let postFeedForwardNorm: GPUPlace?
        let perLayer: GemmaGPUPerLayerInput.Layer?
        let streams: GemmaGPUStreams.Layer?
        let lowRank: LowRank?
        let outputScale: Float?
    }

    /// The matrices of `LaurelBlock`.
    struct LowRank {
        let left: [GPUMatrix]
        let right: [GPUMatrix]
        let norm: GPUPlace
    }

    let embedding: GPUMatrix
    let layers: [Layer]
    let outputNorm: GPUPlace
    let head: [GPUMatrix]
    let perLayer: GemmaGPUPerLayerInput.Table?
    let streams: GemmaGPUStreams.Projections?
    /// All matrices, by the address of the mapped ones (`WeightMatrix.address`).
    let matrices: [UInt: GPUMatrix]
    /// Maximum number of matrices that are multiplied together.
    let mostTogether: Int

    /// Bytes of the matrices that the device reads in place in the mapped file, and of those that are copied.
    let importedBytes: Int
    let copiedBytes: Int
    /// Copies what is not imported.
    let stream: GPUWeightStream
    let parts: Parts

    /// The parts of the stream, in the order in which the first step needs them. It looks up embeddings without the table, which
    /// therefore comes last, or with the head that it is.
    struct Parts {
        /// Each layer; the first one with all that comes before it.
        let layers: [Int]
        /// What comes after the last layer.
        let end: Int
        let head: Int
        /// nil if the table is imported.
        let embedding: Int?
    }

    /// Imports the weights, or allocates memory and begins to copy them. They also stay mapped, as the CPU takes over if the device
    /// fails.
    /// - Parameters:
    ///   - kernels: decode what is not used in the format of the file.
    ///   - beforePart: called on the copying thread before it copies a part, for tests.
    /// - Throws: `GPUError`; `FileError.changed`. Later changes of the file are found after the step that copied it.
    init(
        _ weights: GemmaWeights, on device: GPUDevice, kernels: KernelSet, way: GPUWeightWay,
        beforePart: @escaping @Sendable (Int) -> Void
    ) throws {
        let stream = GPUWeightStream(device, way, beforePart: beforePart)
        let imported = way == .imported ? try Self.imported(weights, on: device) : nil
        var importedBytes = 0
        var uploaded: [UInt: GPUMatrix] = [:]
        func place(_ rows: Rows) throws -> GPUPlace { try stream.add(rows.row(0)) }
        func matrix(_ matrix: WeightMatrix) throws -> GPUMatrix {
            guard let format = GPUMatrix.Format(rawValue: matrix.format.rawValue) else {
                throw GPUError.notCovered(what: "weights in \(matrix.format)")
            }
            let place = try matrix.withBytes { bytes in
                guard let place = imported?.place(of: bytes) else { return try stream.add(bytes, owner: matrix) }
                importedBytes += bytes.count
                return place
            }
            let made = GPUMatrix(
                format: format, rows: matrix.rows, columns: matrix.columns, rowBytes: matrix.rowBytes, at: place)
            uploaded[matrix.address] = made
            return made
        }
        func group(_ group: MatrixGroup) throws -> [GPUMatrix] { try group.matrices.map(matrix) }
        /// All values of a small matrix as float32.
        func values(_ group: MatrixGroup) throws -> GPUPlace {
            try stream.add(
                group.matrices.flatMap { matrix in (0..<matrix.rows).flatMap { matrix.row($0, kernels: kernels) } })
        }
        func perLayer(_ layer: PerLayerInput.Layer) throws -> GemmaGPUPerLayerInput.Layer {
            .init(gate: try group(layer.gate), output: try group(layer.output), norm: try place(layer.norm))
        }
        func streams(_ layer: AltUp.Layer) throws -> GemmaGPUStreams.Layer {
            .init(
                router: try group(layer.router), routerNorm: try place(layer.routerNorm),
                predict: try values(layer.predict), correct: try values(layer.correct),
                correctScale: try place(layer.correctScale))
        }
        func lowRank(_ layer: LaurelBlock.Layer) throws -> LowRank {
            LowRank(left: try group(layer.left), right: try group(layer.right), norm: try place(layer.norm))
        }

        var layerParts: [Int] = []
        self.perLayer = try weights.perLayer.map {
            .init(table: $0.table, projection: try matrix($0.projection), norm: try place($0.norm))
        }
        let projection = try weights.streams.map { try group($0.projection) }
        layers = try weights.layers.map { layer in
            defer { layerParts.append(stream.endPart()) }
            return Layer(
                attentionNorm: try place(layer.attentionNorm), queryKeyValue: try group(layer.queryKeyValue),
                hasValues: layer.hasValues, queryNorm: try layer.queryNorm.map(place),
                keyNorm: try layer.keyNorm.map(place),
                attentionOutput: try group(layer.attentionOutput),
                postAttentionNorm: try layer.postAttentionNorm.map(place),
                feedForwardNorm: try place(layer.feedForwardNorm), gateUp: try group(layer.gateUp),
                down: try group(layer.down), postFeedForwardNorm: try layer.postFeedForwardNorm.map(place),
                perLayer: try layer.perLayer.map(perLayer), streams: try layer.streams.map(streams),
                lowRank: try layer.lowRank.map(lowRank), outputScale: layer.outputScale)
        }
        let unembedding = try weights.streams.map { try $0.unembedding.map(group) }
        self.streams = projection.map { .init(projection: $0, unembedding: unembedding ?? []) }
        let end = stream.endPart()
        outputNorm = try place(weights.outputNorm)
        head = try weights.head.matrices.map(matrix)
        let headPart = stream.endPart()
        // If it is the head, it is copied only once.
        let tied = weights.head.matrices.first { $0.isSame(as: weights.embedding) }
        embedding = try tied.flatMap { uploaded[$0.address] } ?? matrix(weights.embedding)
        let last = stream.endPart()
        let isImported = weights.embedding.withBytes { imported?.place(of: $0) } != nil
        parts = Parts(layers: layerParts, end: end, head: headPart, embedding: isImported ? nil : last)
        self.stream = stream
        matrices = uploaded
        mostTogether = Self.groups(weights).map(\.matrices.count).max() ?? 1
        self.importedBytes = importedBytes
        copiedBytes = Self.byteCount(weights) - importedBytes
        try weights.file.checkIntact()
        try stream.start()
    }

    /// Whether commands may look up embeddings in the table.
    var hasEmbedding: Bool { parts.embedding.map(stream.has) ?? true }

    /// Waits for what layers use.
    /// - Parameter embeds: whether they begin with embeddings from the table, which has to be there.
    /// - Returns: what their commands have to be submitted after.
    /// - Throws: `GPUError`; `CancellationError`.
    func wait(for layers: Range<Int>, embeds: Bool, isCancelled: () -> Bool) throws -> UInt64 {
        let isEnd = layers.upperBound == self.layers.count
        let copies = try stream.wait(
            for: isEnd ? parts.end : parts.layers[layers.upperBound - 1], isCancelled: isCancelled)
        guard embeds, let embedding = parts.embedding else { return copies }
        return max(copies, try stream.wait(for: embedding, isCancelled: isCancelled))
    }

    /// The mapped file's matrices on the device; nil if it does not read them.
    /// - Throws: `GPUError.deviceLost`.
    private static func imported(_ weights: GemmaWeights, on device: GPUDevice) throws -> GPUImport? {
        let file = weights.file
        guard file.isMapped else { return nil }
        return try file.withUnsafeBytes { whole in
            guard GPUImport.works(on: device.info, whole, page: MappedFile.page, owner: file) else { return nil }
            return try GPUImport(
                device, matrices(weights).map { $0.withBytes { $0 } }, of: whole, page: MappedFile.page, owner: file)
        }
    }

    /// Checks that there are shaders for everything in the model, before anything is opened or copied.
    /// - Throws: `GPUError.notCovered`.
    static func check(_ c: GemmaConfiguration, _ weights: GemmaWeights) throws(GPUError) {
        guard c.embedding == nil else {
            throw .notCovered(what: "models of the architecture \(c.architecture.rawValue)")
        }
        if let count = c.streams?.count, count > GPUCommands.mostStreams {
            throw .notCovered(what: "\(count) parallel streams")
        }
        for layer in c.layers {
            guard layer.headWidth <= 512, layer.headWidth % 2 == 0 else {
                throw .notCovered(what: "heads of \(layer.headWidth) values")
            }
        }
        for matrix in matrices(weights) {
            if GPUMatrix.Format(rawValue: matrix.format.rawValue) == nil {
                throw .notCovered(what: "weights in \(matrix.format)")
            }
            let problem = GPUMatrix.obstacle(columns: matrix.columns, rowBytes: matrix.rowBytes, rows: matrix.rows)
            if let problem { throw .notCovered(what: problem) }
        }
    }

    /// The formats of all matrix products, which determine the pipelines.
    static func formats(_ weights: GemmaWeights) -> Set<GPUMatrix.Format> {
        Set(products(weights).compactMap { GPUMatrix.Format(rawValue: $0.format.rawValue) })
    }

    /// Size of all matrices on the device in bytes.
    static func byteCount(_ weights: GemmaWeights) -> Int {
        matrices(weights).reduce(0) { $0 + $1.rows * $1.rowBytes }
    }

    /// All matrices on the device, each once.
    private static func matrices(_ weights: GemmaWeights) -> [WeightMatrix] {
        let isTied = weights.head.matrices.contains { $0.isSame(as: weights.embedding) }
        return products(weights) + (isTied ? [] : [weights.embedding])
    }

    /// All matrices that are multiplied.
    private static func products(_ weights: GemmaWeights) -> [WeightMatrix] {
        groups(weights).flatMap(\.matrices) + (weights.perLayer.map { [$0.projection] } ?? [])
    }

    /// All matrices that are multiplied in groups.
    private static func groups(_ weights: GemmaWeights) -> [MatrixGroup] {
        var groups = [weights.head]
        if let streams = weights.streams { groups += [streams.projection] + streams.unembedding }
        for layer in weights.layers {
            groups += [layer.queryKeyValue, layer.attentionOutput, layer.gateUp, layer.down]
            if let own = layer.perLayer { groups += [own.gate, own.output] }
            if let own = layer.streams { groups.append(own.router) }
            if let own = layer.lowRank { groups += [own.left, own.right] }
        }
        return groups
    }
}
