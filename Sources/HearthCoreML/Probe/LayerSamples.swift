/// Places of a layer's output at one of its sites, and what of its input goes into them.
package struct LayerSamples: Sendable {
    private let layer: WeightedLayer
    /// The shapes of the layer's input and output.
    private let inputShape: [Int]
    private let outputShape: [Int]

    private init(_ layer: WeightedLayer, _ site: WeightedLayer.Site, _ graph: CoreMLGraph) {
        self.layer = layer
        inputShape = graph.tensors[site.input].shape
        outputShape = graph.tensors[site.output].shape
    }

    /// Samples of a layer of a model, for each of its sites.
    package static func all(_ layer: WeightedLayer, of model: CoreMLModel) -> [LayerSamples] {
        layer.sites.map { LayerSamples(layer, $0, model.graph) }
    }

    /// Places of one inference.
    package var count: Int {
        let outputs = layer.groups * layer.outputs
        return outputShape.reduce(1, *) / max(outputs, 1)
    }

    /// The layer's inputs at some places, [group, place, input].
    package func given(_ tensor: CoreMLTensor, at places: [Int]) -> [Double] {
        guard let geometry = layer.geometry else { return rows(tensor, layer.inputs, places) }
        var result = [Double](repeating: 0, count: layer.groups * places.count * layer.inputs)
        let kernel = geometry.kernel.reduce(1, *)
        let channels = layer.inputs / kernel
        let plane = inputShape.dropFirst(2).reduce(1, *)
        for (index, place) in places.enumerated() {
            let (image, offsets) = window(geometry, place)
            for group in 0..<layer.groups {
                let first = (image * inputShape[1] + group * channels) * plane
                var at = (group * places.count + index) * layer.inputs
                for channel in 0..<channels {
                    for offset in offsets {
                        if offset >= 0 { result[at] = Double(tensor.values[first + channel * plane + offset]) }
                        at += 1
                    }
                }
            }
        }
        return result
    }

    /// The layer's outputs at some places, [group, place, output].
    package func made(_ tensor: CoreMLTensor, at places: [Int]) -> [Double] {
        guard layer.geometry != nil else { return rows(tensor, layer.outputs, places) }
        let plane = outputShape.dropFirst(2).reduce(1, *)
        var result: [Double] = []
        result.reserveCapacity(layer.groups * places.count * layer.outputs)
        for group in 0..<layer.groups {
            for place in places {
                let (image, spot) = place.quotientAndRemainder(dividingBy: plane)
                for output in 0..<layer.outputs {
                    let channel = image * outputShape[1] + group * layer.outputs + output
                    result.append(Double(tensor.values[channel * plane + spot]))
                }
            }
        }
        return result
    }

    private func rows(_ tensor: CoreMLTensor, _ length: Int, _ places: [Int]) -> [Double] {
        places.flatMap { tensor.values[$0 * length..<($0 + 1) * length].map { Double($0) } }
    }

    /// Where in a plane the elements of a place's window are; -1 for those in the padding. And which image it is in.
    private func window(_ geometry: GraphConvolution, _ place: Int) -> (image: Int, offsets: [Int]) {
        let (input, output) = (Array(inputShape.dropFirst(2)), Array(outputShape.dropFirst(2)))
        var rest = place
        var spot = [Int](repeating: 0, count: output.count)
        for axis in output.indices.reversed() {
            spot[axis] = rest % output[axis]
            rest /= output[axis]
        }
        var offsets = [0]
        for axis in output.indices {
            offsets = offsets.flatMap { offset in
                (0..<geometry.kernel[axis]).map { tap in
                    let at =
                        spot[axis] * geometry.strides[axis] - geometry.before[axis] + tap * geometry.dilations[axis]
                    guard offset >= 0, (0..<input[axis]).contains(at) else { return -1 }
                    return offset * input[axis] + at
                }
            }
        }
        return (rest, offsets)
    }
}
