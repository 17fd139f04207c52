internal import HearthCompute

/// Weights that a plan wants, and where: what compiling has to write.
package struct PackRequest: Sendable, Equatable {
    enum Form: Sendable, Equatable {
        /// [outputs][inputs of a group][kernel height][kernel width]
        case convolution(CoreMLGraph.TensorID, ConvolutionShape)
        /// [inputs][outputs of a group][kernel height][kernel width] of a transposed convolution.
        case transposed(CoreMLGraph.TensorID, TransposedPhases.Filters, ConvolutionShape)
        /// [outputs][inputs]
        case matrix(CoreMLGraph.TensorID, inputs: Int, outputs: Int)
        /// [outputs][inputs of a group][kernel height][kernel width], or [outputs][inputs]: codes of 8 bits.
        case bytes(CoreMLGraph.TensorID, ByteConvolutionShape)
        /// As it lies, filled up with zeros.
        case plain(CoreMLGraph.TensorID)
        /// Made by the plan, filled up with zeros.
        case values([Float])
    }

    var target: PlanWeights
    var form: Form
}
