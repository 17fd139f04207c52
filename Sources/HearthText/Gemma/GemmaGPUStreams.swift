internal import HearthCompute
internal import HearthGPU

/// Parallel residual streams on a GPU: the counterpart of `AltUp`, which has the formulas.
struct GemmaGPUStreams {
    /// Projections from the embedding to the streams, and back at the end.
    struct Projections {
        let projection: [GPUMatrix]
        let unembedding: [[GPUMatrix]]
    }

    /// A layer's matrices; those of a few values as float32.
    struct Layer {
        let router: [GPUMatrix]
        let routerNorm: GPUPlace
        let predict: GPUPlace
        let correct: GPUPlace
        let correctScale: GPUPlace
    }

    private let projections: Projections
    private let count: Int
    private let active: Int
    private let width: Int
    private let epsilon: Float
    /// One row per token, with its streams concatenated.
    private let streams: GPURows
    private let predictions: GPURows
    private let routed: GPURows

    /// - Throws: `GPUError`.
    init(
        _ projections: Projections, _ c: GemmaConfiguration, _ streams: GemmaConfiguration.Streams,
        on device: GPUDevice, maximumStep step: Int
    ) throws(GPUError) {
        self.projections = projections
        (count, active, width, epsilon) = (streams.count, streams.active, c.width, c.epsilon)
        func rows(_ width: Int) throws(GPUError) -> GPURows {
            GPURows(try GPUBuffer(device, byteCount: 4 * step * width).place, stride: width)
        }
        self.streams = try rows(streams.count * c.width)
        predictions = try rows(streams.count * c.width)
        routed = try rows(streams.count)
    }

    private func stream(_ index: Int, of rows: GPURows) -> GPURows { rows.columns(from: index * width) }

    /// Initializes the streams from the scaled embeddings.
    func begin(_ x: GPURows, count rows: Int, _ commands: GPUCommands) throws(GPUError) {
        try commands.blend(x, count: rows, width: width, into: stream(0, of: streams))
        try commands.multiply(projections.projection, x, count: rows, into: stream(1, of: streams))
        for index in 1..<count {
            try commands.match(
                stream(index, of: streams), count: rows, width: width, toSizeOf: x, floor: AltUp.smallest)
        }
    }

    /// Predicts the streams of rows `live`; `h` becomes the prediction of the active stream.
    func predict(
        _ layer: Layer, live: Range<Int>, scratch: GPURows, into h: GPURows, _ commands: GPUCommands
    ) throws(GPUError) {
        let all = streams.rows(from: live.lowerBound), predicted = predictions.rows(from: live.lowerBound)
        let routed = try route(layer, stream(active, of: all), live, scratch, commands)
        try commands.predict(all, rows: live.count, routed, weights: layer.predict, into: predicted)
        try commands.blend(stream(active, of: predicted), count: live.count, width: width, into: h)
    }

    /// Corrects the streams of rows `live` by the layer's output `h` for the active one.
    func correct(
        _ layer: Layer, live: Range<Int>, scratch: GPURows, by h: GPURows, _ commands: GPUCommands
    ) throws(GPUError) {
        let routed = try route(layer, h, live, scratch, commands)
        try commands.correct(
            predictions.rows(from: live.lowerBound), rows: live.count, routed, weights: layer.correct, by: h,
            into: streams.rows(from: live.lowerBound))
    }

    private func route(
        _ layer: Layer, _ z: GPURows, _ live: Range<Int>, _ scratch: GPURows, _ commands: GPUCommands
    ) throws(GPUError) -> GPUCommands.Streams {
        try commands.normalize(
            z, count: live.count, width: width, gain: layer.routerNorm, epsilon: epsilon, into: scratch)
        // tanh is a soft cap of 1.
        try commands.multiply(layer.router, scratch, count: live.count, into: routed, cap: 1)
        return GPUCommands.Streams(count: count, width: width, active: active, routed: routed)
    }

    /// The corrected active stream, scaled: the input of the per-layer embedding's gate.
    func gateInput(
        _ layer: Layer, live: Range<Int>, into out: GPURows, _ commands: GPUCommands
    ) throws(GPUError) {
        let rows = stream(active, of: streams.rows(from: live.lowerBound))
        try commands.blend(rows, count: live.count, width: width, gain: layer.correctScale, into: out)
    }

    /// Adds to all streams except the first.
    func addToOthers(_ x: GPURows, live: Range<Int>, _ commands: GPUCommands) throws(GPUError) {
        for index in 1..<count {
            let rows = stream(index, of: streams.rows(from: live.lowerBound))
            try commands.blend(x, count: live.count, width: width, kept: 1, into: rows)
        }
    }

    /// `h` becomes the mean of the streams, each projected back and rescaled to the first one's magnitude.
    func finish(
        live: Range<Int>, scratch: GPURows, into h: GPURows, _ commands: GPUCommands
    ) throws(GPUError) {
        let all = streams.rows(from: live.lowerBound), part = 1 / Float(count)
        try commands.blend(stream(0, of: all), count: live.count, width: width, scale: part, into: h)
        for index in 1..<count {
            try commands.multiply(
                projections.unembedding[index - 1], stream(index, of: all), count: live.count, into: scratch)
            try commands.match(
                scratch, count: live.count, width: width, toSizeOf: stream(0, of: all), floor: AltUp.smallest)
            try commands.blend(scratch, count: live.count, width: width, scale: part, kept: 1, into: h)
        }
    }
}
