package import HearthCompression
internal import HearthCompute
package import HearthCoreML
internal import HearthSystem

/// Weights of a model as palettes that are made for what its layers are given.
///
/// Layer after layer, in the order in which they run: what the layer is given is looked at in the model as it has become so
/// far, what it should make of that in the original model. The model is run again up to each layer rather than that
/// activations are kept: memory does not grow with the number of pictures.
package struct ModelCalibration: Sendable {
    /// A weight that was made.
    package struct Layer: Sendable {
        /// The layer.
        package let layer: WeightedLayer
        /// Its weight as palettes.
        package let made: CompensatedWeight
    }

    /// What is done with the knowledge of a layer's inputs.
    package var steps: CalibrationSteps = .all
    /// Channels that share a palette; nil for one palette for all.
    package var groupSize: Int?
    /// Forms without zeros that weights may take, in this version of the format.
    package var sparse: (forms: SparseForms, version: Int) = (.never, 7)
    /// Threads that work at once.
    package var threads: Int
    let model: CoreMLModel
    let inputs: CalibrationInputs
    /// Layers that can be calibrated.
    package let layers: [WeightedLayer]

    /// - Parameters:
    ///   - minimumElements: weights of no more elements are left alone.
    ///   - kept: names of weights that are left alone.
    ///   - threads: nil for the performance cores.
    /// - Throws: `CalibrationError.noLayers`.
    package init(
        _ model: CoreMLModel, _ inputs: CalibrationInputs, minimumElements: Int = 200, kept: Set<String> = [],
        threads: Int? = nil
    ) throws {
        self.model = model
        self.inputs = inputs
        self.threads = max(threads ?? WorkerPool.defaultThreads, 1)
        layers = model.weightedLayers.filter { layer in
            layer.shape.reduce(1, *) > minimumElements && !kept.contains(layer.weight)
        }
        guard !layers.isEmpty else { throw CalibrationError.noLayers(file: model.path) }
    }

    /// Makes the weights.
    /// - Parameters:
    ///   - bits: of each weight's palette, by name; weights without stay as they are.
    ///   - progress: layers that are done, and all of them.
    ///   - isCancelled: asked at least every 50 ms, from several threads.
    /// - Throws: `CompressionError`, `CoreMLError`, `ComputeError`, `CancellationError`.
    package func run(
        bits: [String: Int], progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> [Layer] {
        let wanted = layers.filter { bits[$0.weight] != nil }
        var made: [Layer] = []
        var replaced: [String: [Float]] = [:]
        for layer in wanted {
            progress(made.count, wanted.count)
            let moments = try moments(of: layer, replacing: replaced, isCancelled)
            let result = try encode(layer, bits[layer.weight] ?? 8, moments, isCancelled)
            result.replace(in: &replaced, layer)
            made.append(Layer(layer: layer, made: result))
        }
        progress(wanted.count, wanted.count)
        return made
    }

    func encode(
        _ layer: WeightedLayer, _ bits: Int, _ moments: LayerMoments, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CompensatedWeight {
        let values = try model.constant(layer.weight) ?? []
        let elements = layer.isHalf ? WeightElements(halving: values) : WeightElements(values)
        if let index = elements.firstNotFinite {
            throw CompressionError.notFinite(file: model.path, tensor: layer.weight, index: index)
        }
        var palettization = CompensatedPalettization(
            Palettization(bits: bits, groupSize: groupSize), steps: steps, threads: threads)
        palettization.sparse = sparse
        return try palettization.encode(
            elements, shape: layer.shape, bias: try layer.bias.flatMap { try model.constant($0) }, moments: moments,
            isCancelled: isCancelled)
    }

    /// What a layer is given in the model as it is now, and what it makes in the original one.
    func moments(
        of layer: WeightedLayer, replacing: [String: [Float]], _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> LayerMoments {
        let original = try LayerProbe(model, .output(layer), threads: threads, isCancelled: isCancelled)
        let smaller = try LayerProbe(
            model, .input(layer), replacing: replacing, threads: threads, isCancelled: isCancelled)
        let samples = LayerSamples(layer, of: model)
        var moments = LayerMoments(groups: layer.groups, outputs: layer.outputs, inputs: layer.inputs)
        let each = Self.samples(layer, of: samples.count, inferences: inputs.count)
        for (index, input) in inputs.tensors.enumerated() {
            if isCancelled() { throw CancellationError() }
            let places = Self.places(each, of: samples.count, seed: UInt64(index))
            let wanted = samples.made(try original.values(input, isCancelled: isCancelled), at: places)
            let given = samples.given(try smaller.values(input, isCancelled: isCancelled), at: places)
            try moments.add(places.count, given: given, wanted: wanted)
        }
        return moments
    }

    /// Places that are looked at in one inference: many for each number that is learned, few enough to be quick.
    static func samples(_ layer: WeightedLayer, of places: Int, inferences: Int) -> Int {
        let affordable = (1 << 21) / max(layer.groups * layer.inputs, 1)
        let wanted = max(layer.inputs, 2048, min(8192, affordable))
        return min(places, (wanted + inferences - 1) / max(inferences, 1))
    }

    /// Places spread over all of them, each within a stretch of its own, at random but always the same.
    static func places(_ count: Int, of all: Int, seed: UInt64) -> [Int] {
        // SplitMix64 (Steele, Lea, Flood, 2014).
        var state = seed &* 0x9e37_79b9_7f4a_7c15
        return (0..<count).map { index in
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            z ^= z >> 31
            let (first, end) = (index * all / count, (index + 1) * all / count)
            return first + Int(z % UInt64(end - first))
        }
    }
}

extension CompensatedWeight {
    /// Puts this in the place of a layer's weight and bias.
    func replace(in constants: inout [String: [Float]], _ layer: WeightedLayer) {
        constants[layer.weight] = values
        if let name = layer.bias, let bias { constants[name] = bias }
    }
}

extension PackageCompressor {
    /// Takes over what a calibration has made.
    package mutating func take(_ layers: [ModelCalibration.Layer]) {
        for made in layers {
            if let weight = made.made.weight {
                prepared[made.layer.weight] = weight
            } else {
                lossless.insert(made.layer.weight)
            }
            if let name = made.layer.bias, let bias = made.made.bias { vectors[name] = bias }
        }
    }
}
