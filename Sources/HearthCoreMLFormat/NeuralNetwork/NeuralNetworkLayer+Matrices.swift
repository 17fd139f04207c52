/// A weight of a layer that has several dimensions: what is worth compressing.
package struct NeuralNetworkMatrix: Sendable {
    /// The name that it has among `NeuralNetworkLayer.weights`.
    package let name: String
    package let weights: NeuralNetworkWeights
    /// The dimensions in the order in which the file has the elements.
    package let shape: [Int]
    /// The dimension of the channels that come out, each of which may have a scale of its own; nil where there are none.
    package let axis: Int?

    /// - Parameter groups: along the first dimension, where the channels that come out lie along the second; they have no axis
    ///   of their own if there are several.
    fileprivate init?(
        _ name: String, _ weights: NeuralNetworkWeights?, _ shape: [Int], axis: Int? = 0, groups: Int = 1
    ) {
        let outputs = groups > 1 ? 1 : axis ?? 0
        guard let weights = weights?.filling(shape, outputs: outputs, groups: groups) else { return nil }
        (self.name, self.weights, self.shape, self.axis) = (name, weights, shape, axis)
    }
}

extension NeuralNetworkLayer {
    /// Those of the layer's weights that are matrices, or filters, or tables. Biases and normalisation are not.
    package var matrices: [NeuralNetworkMatrix] {
        switch kind {
        case .convolution(let layer):
            let across = layer.outputChannels / max(layer.groups, 1)
            let channels =
                layer.isDeconvolution ? [layer.kernelChannels, across] : [layer.outputChannels, layer.kernelChannels]
            // The weight of a deconvolution in groups has the channels of one group, and Core ML wants scales for those of all.
            let axis = !layer.isDeconvolution ? 0 : layer.groups > 1 ? nil : 1
            return Self.present(
                NeuralNetworkMatrix(
                    "weights", layer.weights, channels + layer.kernelSize, axis: axis,
                    groups: layer.isDeconvolution ? layer.groups : 1))
        case .innerProduct(let layer):
            return Self.present(
                NeuralNetworkMatrix("weights", layer.weights, [layer.outputChannels, layer.inputChannels]))
        case .batchedMatmul(let layer):
            // Column after column.
            return Self.present(NeuralNetworkMatrix("weights", layer.weights, layer.weightShape.reversed()))
        case .loadConstant(let shape, let weights) where shape.count(where: { $0 > 1 }) > 1:
            return Self.present(NeuralNetworkMatrix("data", weights, shape, axis: nil))
        case .general(let layer): return layer.matrices
        default: return []
        }
    }

    private static func present(_ matrix: NeuralNetworkMatrix?) -> [NeuralNetworkMatrix] { matrix.map { [$0] } ?? [] }
}

extension NeuralNetworkGeneralLayer {
    /// Tables of embeddings, and input and recurrent weights of recurrent layers.
    fileprivate var matrices: [NeuralNetworkMatrix] {
        let (inputs, outputs) = (integer(1), integer(2))
        guard inputs > 0, outputs > 0 else { return [] }
        let wide: ClosedRange<Int>
        let square: ClosedRange<Int>?
        switch name {
        case "embedding", "embeddingND": (wide, square) = (20...20, nil)
        case "simpleRecurrent": (wide, square) = (30...30, 31...31)
        case "gru": (wide, square) = (30...32, 50...52)
        case "uniDirectionalLSTM", "biDirectionalLSTM": (wide, square) = (1...4, 20...23)
        default: return []
        }
        return named.compactMap { item in
            if wide.contains(item.field) { return NeuralNetworkMatrix(item.name, item.weights, [outputs, inputs]) }
            guard square?.contains(item.field) == true else { return nil }
            return NeuralNetworkMatrix(item.name, item.weights, [outputs, outputs])
        }
    }
}
