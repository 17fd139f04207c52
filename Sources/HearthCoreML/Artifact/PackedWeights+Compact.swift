internal import HearthCompute
internal import HearthCoreMLFormat

/// The weights of a compact file.
extension PackedWeights {
    /// Everything in as few bytes as give it back bit for bit.
    func compacted(
        _ requests: [PackRequest], _ graph: CoreMLGraph, kernels: KernelSet, isCancelled: () -> Bool
    ) throws -> (segments: [WeightSegment], bytes: [UInt8]) {
        var segments: [WeightSegment] = []
        var bytes: [UInt8] = []
        for request in requests where request.target.count > 0 {
            if isCancelled() { throw CancellationError() }
            let values = try rows(request)
            let encoder = try Self.encoder(values, request, graph)
            if isCancelled() { throw CancellationError() }
            let (coding, coded) = request.isBytes ? encoder.uncoded() : try encoder.encoded(kernels: kernels)
            segments.append(WeightSegment(target: request.target, coding: coding, offset: bytes.count))
            bytes += coded
            bytes += [UInt8](repeating: 0, count: (64 - bytes.count % 64) % 64)
        }
        return (segments, bytes)
    }

    /// What is known of the weights: which of them matter, which outputs and inputs share a scale, the model's own codes.
    private static func encoder(
        _ values: [Float], _ request: PackRequest, _ graph: CoreMLGraph
    ) throws -> WeightEncoder {
        guard let layout = PackedLayout(request, graph) else {
            return WeightEncoder(values, mask: nil, stretches: [])
        }
        func packed(_ elements: [Float]) throws -> [Float] {
            let region = try FloatRegion(count: values.count)
            try pack(elements, request.form, into: region)
            return region.values
        }
        var codes: LinearCodes?
        if case .expression(let expression, _)? = graph.constants[layout.constant] { codes = expression.linearCodes() }
        var stretches = [layout.blockRows]
        var linear: WeightEncoder.Linear?
        if let codes, codes.codes.count == layout.elements {
            stretches.append(layout.stretch(inputs: codes.inputBlock))
            linear = WeightEncoder.Linear(
                codes: try packed(codes.codes.map { $0 - codes.lowest }), scales: try packed(codes.scales),
                offsets: try packed(codes.offsets.map { $0 - codes.lowest }), bits: codes.bits,
                roundsToHalf: codes.roundsToHalf)
        } else if let inputs = layout.paletteInputs(graph) {
            stretches.append(layout.stretch(inputs: inputs))
        }
        let mask = layout.hasPadding ? try packed([Float](repeating: 1, count: layout.elements)) : nil
        return WeightEncoder(values, mask: mask, stretches: stretches, linear: linear)
    }
}

extension PackRequest {
    /// Whether these are no numbers, but bytes that are used in place.
    fileprivate var isBytes: Bool { if case .bytes = form { true } else { false } }
}

/// Where the elements of a weight lie among rows of 16 lanes.
private struct PackedLayout {
    let constant: CoreMLGraph.TensorID
    /// Elements before they are packed.
    let elements: Int
    /// Rows of one block of outputs.
    let blockRows: Int
    /// Kernel positions.
    let taps: Int
    /// Whether places between the elements are filled up with what no result depends on. Zeros between groups are not such.
    let hasPadding: Bool

    /// nil for weights that are not packed by lanes.
    init?(_ request: PackRequest, _ graph: CoreMLGraph) {
        let rows = MemoryPlan.aligned(request.target.count) / 16
        switch request.form {
        case .convolution(_, let shape) where shape.form == .planes: return nil
        case .convolution(let id, let shape):
            constant = id
            blockRows = rows / max(shape.output.blocks, 1)
            taps = shape.window.kernelHeight * shape.window.kernelWidth
            hasPadding = shape.groups == 1 || shape.form == .depthwise
        case .matrix(let id, let inputs, _):
            constant = id
            blockRows = MatrixProduct.padded(inputs)
            taps = 1
            hasPadding = true
        case .transposed, .bytes, .plain, .values: return nil
        }
        elements = graph.tensors[constant].count
    }

    /// Rows of this many neighbouring inputs: those of a block of 16 are contiguous, tap by tap.
    func stretch(inputs: Int) -> Int {
        if inputs % 16 == 0 { return min(inputs * taps, blockRows) }
        var (a, b) = (16, inputs)
        while b != 0 { (a, b) = (b, a % b) }
        return min(a, blockRows)
    }

    /// Inputs that share a palette, where these differ along the second axis.
    func paletteInputs(_ graph: CoreMLGraph) -> Int? {
        guard case .expression(let expression, _)? = graph.constants[constant], expression.kind == .palette,
            let lut = expression.tensor("lut"), lut.shape.count > 2, expression.shape.count > 1, lut.shape[1] > 1
        else { return nil }
        return expression.shape[1] / lut.shape[1]
    }
}
