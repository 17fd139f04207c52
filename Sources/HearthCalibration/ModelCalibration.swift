package import HearthCompression
internal import HearthCompute
package import HearthCoreML
internal import HearthSystem

/// Creates palettes for a model's weights, fitted to the inputs of its layers.
///
/// Layers are processed in execution order: the layer's input is taken from the model with the weights compressed so far, the
/// expected output from the original model. The model runs again up to each layer instead of keeping activations, so that
/// memory does not grow with the number of images.
package struct ModelCalibration: Sendable {
    /// A calibrated weight.
    package struct Layer: Sendable {
        /// The layer.
        package let layer: WeightedLayer
        /// The weight as palettes.
        package let made: CompensatedWeight
    }

    /// The calibration steps to apply.
    package var steps: CalibrationSteps = .all
    /// The number of channels that share a palette; nil for a single palette.
    package var groupSize: Int?
    /// The sparse forms that weights of programs may take.
    package var sparseForms = SparseForms.never
    /// The models that the weights belong to.
    package var parts: [CalibratedPart] = []
    /// The number of threads.
    package var threads: Int
    let model: CoreMLModel
    let inputs: CalibrationInputs
    /// The layers that can be calibrated.
    package let layers: [WeightedLayer]

    /// Creates a calibration.
    /// - Parameters:
    ///   - minimumElements: weights with no more elements are not compressed.
    ///   - kept: names of weights that are not compressed.
    ///   - threads: nil for the default number.
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

    /// Calibrates the weights. Those that palettes would not make smaller stay, and are not in the result.
    /// - Parameters:
    ///   - bits: the number of bits of each weight's palette, by name; other weights stay unchanged.
    ///   - progress: called with the number of layers done, and their total.
    ///   - isCancelled: checked at least every 50 ms, from several threads.
    /// - Throws: `CompressionError`, `CoreMLError`, `ComputeError`, `CancellationError`.
    package func run(
        bits: [String: Int], progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> [Layer] {
        let wanted = layers.filter { bits[$0.weight] != nil }
        var made: [Layer] = []
        var replaced: [String: [Float]] = [:]
        for (index, layer) in wanted.enumerated() {
            progress(index, wanted.count)
            let moments = try moments(of: layer, replacing: replaced, isCancelled)
            let result = try encode(layer, bits[layer.weight] ?? 8, moments, isCancelled)
            // The layers to come are fed by what the package will hold.
            guard isSmaller(result, layer) else { continue }
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
        palettization.sparse = sparse(layer)
        return try palettization.encode(
            elements, shape: layer.shape, bias: try layer.bias.flatMap { try model.constant($0) }, moments: moments,
            isCancelled: isCancelled)
    }

    /// Whether a weight takes fewer bytes than it did; it stays as it was otherwise.
    func isSmaller(_ made: CompensatedWeight, _ layer: WeightedLayer) -> Bool {
        made.isSmaller(shape: layer.shape, isHalf: layer.isHalf, version: sparse(layer).version)
    }

    /// What a weight may be stored as, which depends on the model that it belongs to.
    private func sparse(_ layer: WeightedLayer) -> (forms: SparseForms, version: Int) {
        let part = parts.filter { layer.weight.hasPrefix($0.prefix) }.max { $0.prefix.count < $1.prefix.count }
        return part?.version.map { (sparseForms, $0) } ?? (.never, 7)
    }

    /// Statistics of a layer's inputs in the current model, and of its outputs in the original one.
    func moments(
        of layer: WeightedLayer, replacing: [String: [Float]], _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> LayerMoments {
        let original = try LayerProbe(model, .output(layer), threads: threads, isCancelled: isCancelled)
        let smaller = try LayerProbe(
            model, .input(layer), replacing: replacing, threads: threads, isCancelled: isCancelled)
        let sites = LayerSamples.all(layer, of: model)
        var moments = LayerMoments(groups: layer.groups, outputs: layer.outputs, inputs: layer.inputs)
        for (index, input) in inputs.tensors.enumerated() {
            if isCancelled() { throw CancellationError() }
            let made = try original.values(input, isCancelled: isCancelled)
            let read = try smaller.values(input, isCancelled: isCancelled)
            for (site, samples) in sites.enumerated() {
                let each = Self.samples(layer, of: samples.count, inferences: inputs.count * sites.count)
                let places = Self.places(each, of: samples.count, seed: UInt64(index * sites.count + site))
                try moments.add(
                    places.count, given: samples.given(read[site], at: places),
                    wanted: samples.made(made[site], at: places))
            }
        }
        return moments
    }

    /// The number of positions sampled per inference and site: many for each learned value, few enough to be fast.
    static func samples(_ layer: WeightedLayer, of places: Int, inferences: Int) -> Int {
        let affordable = (1 << 21) / max(layer.groups * layer.inputs, 1)
        let wanted = max(layer.inputs, 2048, min(8192, affordable))
        return min(places, (wanted + inferences - 1) / max(inferences, 1))
    }

    /// Stratified random positions: one in each of `count` equal intervals, reproducible by seed.
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
    /// Replaces a layer's weight and bias with these.
    func replace(in constants: inout [String: [Float]], _ layer: WeightedLayer) {
        constants[layer.weight] = values
        if let name = layer.bias, let bias { constants[name] = bias }
    }
}

extension PackageCompressor {
    /// Adopts the results of a calibration.
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
