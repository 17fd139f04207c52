package import HearthCompute

/// Parallel residual streams, one of which passes through each layer (AltUp, Gemma 3n; "Alternating Updates", arXiv 2301.13310).
///
/// A layer first predicts all streams from all streams, then computes with the active one, and corrects every prediction by the
/// change. With S the streams, d their width and `router(z) = tanh(Wr (norm(z) / d))`:
///
///     pred[i] = S[i] + sum over j of (Wpredict router(S[active]))[i, j] · S[j]
///     o = output of the layer for pred[active]
///     S[i] = pred[i] + (1 + (Wcorrect router(o))[i]) · (o − pred[active])
package struct AltUp: Sendable {
    /// Projections from the embedding to the streams, and back at the end.
    struct Projections: Sendable {
        /// For streams 1 and up, concatenated.
        let projection: MatrixGroup
        /// One for each stream from 1 up.
        let unembedding: [MatrixGroup]

        init(loader: TensorLoader, configuration c: GemmaConfiguration, streams: GemmaConfiguration.Streams) throws {
            let rows = (streams.count - 1) * c.width
            projection = try loader.group("altup_proj", rows: rows, columns: c.width)
            let back = try loader.matrix("altup_unembd_proj", rows: rows, columns: c.width)
            unembedding = try (0..<streams.count - 1).map {
                try MatrixGroup([back.rows($0 * c.width..<($0 + 1) * c.width)])
            }
        }
    }

    /// A layer's matrices.
    struct Layer: Sendable {
        let router: MatrixGroup
        /// The norm's gain divided by d.
        let routerNorm: Rows
        let predict: MatrixGroup
        let correct: MatrixGroup
        let correctScale: Rows

        init(
            loader: TensorLoader, configuration c: GemmaConfiguration, index: Int, streams: GemmaConfiguration.Streams
        ) throws {
            let n = streams.count
            func name(_ tensor: String) -> String { "blk.\(index).altup_\(tensor)" }
            router = try loader.group(name("router"), rows: n, columns: c.width)
            routerNorm = try loader.gain(name("router_norm"), count: c.width, factor: 1 / Float(c.width))
            predict = try loader.group(name("predict_coef"), rows: n * n, columns: n)
            correct = try loader.group(name("correct_coef"), rows: n, columns: n)
            correctScale = try loader.gain(name("correct_scale"), count: c.width)
        }
    }

    private let compute: Compute
    private let projections: Projections
    private let count: Int
    private let active: Int
    private let width: Int
    private let epsilon: Float
    /// One row per token, with its streams concatenated.
    package let streams: Rows
    private let predictions: Rows
    private let routed: Rows
    private let factors: Rows

    /// Lower bound of a stream's mean square when matching magnitudes.
    static let smallest: Float = 1e-5

    init(
        compute: Compute, projections: Projections, configuration c: GemmaConfiguration,
        streams: GemmaConfiguration.Streams, maximumStep: Int
    ) throws {
        self.compute = compute
        self.projections = projections
        count = streams.count
        active = streams.active
        width = c.width
        epsilon = c.epsilon
        self.streams = try Rows(count: maximumStep, width: streams.count * c.width)
        predictions = try Rows(count: maximumStep, width: streams.count * c.width)
        routed = try Rows(count: maximumStep, width: streams.count)
        factors = try Rows(count: maximumStep, width: streams.count * streams.count)
    }

    private func stream(_ index: Int, of rows: Rows) -> Rows { rows.columns(index * width..<(index + 1) * width) }

    /// Initializes the streams from the scaled embeddings: the first is the embedding, the others are projections of it,
    /// rescaled to its magnitude.
    func begin(_ x: Rows) {
        let all = streams.prefix(x.count)
        compute.copy(x, into: stream(0, of: all))
        compute.multiply(projections.projection, x, into: all.columns(width..<count * width))
        for index in 1..<count { compute.match(stream(index, of: all), toSizeOf: x, floor: Self.smallest) }
    }

    /// Predicts the streams of rows `live`; `h` becomes the prediction of the active stream.
    func predict(_ layer: Layer, live: Range<Int>, scratch: Rows, into h: Rows) {
        let all = streams.rows(live), predicted = predictions.rows(live), factors = factors.rows(live)
        let routed = route(layer, stream(active, of: all), live, scratch)
        compute.multiply(layer.predict, routed, into: factors)
        compute.mix(all, factors: factors, streams: count, into: predicted)
        compute.copy(stream(active, of: predicted), into: h)
    }

    /// Corrects the streams of rows `live` by the layer's output `h` for the active one; overwrites `h`.
    func correct(_ layer: Layer, live: Range<Int>, scratch: Rows, by h: Rows) {
        let predicted = predictions.rows(live), factors = factors.rows(live).columns(0..<count)
        let routed = route(layer, h, live, scratch)
        compute.multiply(layer.correct, routed, into: factors)
        compute.add(stream(active, of: predicted), times: -1, to: h)
        compute.add(h, factors: factors, toStreams: predicted, into: streams.rows(live))
    }

    private func route(_ layer: Layer, _ z: Rows, _ live: Range<Int>, _ scratch: Rows) -> Rows {
        let routed = routed.rows(live)
        compute.multiply(
            layer.router, scratch, into: routed,
            preparing: .normalizing(source: z, gain: layer.routerNorm, epsilon: epsilon))
        // tanh is a soft cap of 1.
        compute.softCap(routed, cap: 1)
        return routed
    }

    /// The corrected active stream, scaled: the input of the per-layer embedding's gate.
    func gateInput(_ layer: Layer, live: Range<Int>, into out: Rows) {
        compute.multiply(stream(active, of: streams.rows(live)), elements: layer.correctScale, into: out)
    }

    /// Adds to all streams except the first.
    func addToOthers(_ x: Rows, live: Range<Int>) {
        for index in 1..<count {
            compute.add(x, normalizedBy: nil, epsilon: epsilon, to: stream(index, of: streams.rows(live)))
        }
    }

    /// `h` becomes the mean of the streams, each projected back and rescaled to the first one's magnitude.
    func finish(live: Range<Int>, scratch: Rows, into h: Rows) {
        let first = stream(0, of: streams.rows(live))
        compute.copy(first, into: h)
        for index in 1..<count {
            compute.multiply(projections.unembedding[index - 1], stream(index, of: streams.rows(live)), into: scratch)
            compute.match(scratch, toSizeOf: first, floor: Self.smallest)
            compute.add(scratch, normalizedBy: nil, epsilon: epsilon, to: h)
        }
        compute.scale(h, by: 1 / Float(count))
    }
}
