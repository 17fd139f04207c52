/// A recurrent layer behind its input product, which is one matrix product for all steps.
package struct GraphRecurrence: Sendable, Equatable, Codable {
    /// Which layer; gates stand in the order that is given here.
    enum Kind: String, Sendable, Codable {
        /// Input, forget and output gate, then the candidate.
        case lstm
        /// Reset and update gate, then the candidate.
        case gru
        /// The state alone.
        case simple

        /// Blocks of `H` rows in the weights.
        var gates: Int {
            switch self {
            case .lstm: 4
            case .gru: 3
            case .simple: 1
            }
        }
    }

    var kind: Kind
    /// Whether the last step of the sequence comes first. Results stay at their places in the sequence.
    var isReversed = false
    /// GRU: whether the reset gate multiplies the candidate's product, or the state before it.
    var resetsAfter = false
    /// Of the gates, of the candidate, and of an LSTM's cell before it becomes the state.
    var gate = GraphFunction.sigmoid
    var candidate = GraphFunction.tanh
    var output = GraphFunction.tanh
    /// LSTM: the cell stays within ±clip.
    var clip: Float?

    /// Whether the candidate's weights are an operand of their own: its product needs the reset gate first.
    var hasSeparateCandidate: Bool { kind == .gru && !resetsAfter }
    /// Blocks of rows in the weights that all gates share.
    var sharedGates: Int { hasSeparateCandidate ? 2 : kind.gates }
}

/// Values of a picture at places that are computed.
package struct GraphSampling: Sendable, Equatable, Codable {
    /// What stands around the picture.
    enum Border: Sendable, Equatable, Codable {
        /// A number, which mixes with the picture at its border.
        case constant(Float)
        /// A number for places outside as a whole.
        case outside(Float)
        /// The border repeated; the picture mirrored without and with its border.
        case replicate, reflect, symmetric
    }

    var isNearest: Bool
    var border: Border
}

/// Numbers from a distribution, drawn anew in each pass.
package struct GraphRandom: Sendable, Equatable, Codable {
    package enum Distribution: Sendable, Equatable, Codable {
        case uniform(low: Float, high: Float)
        case normal(mean: Float, deviation: Float)
        case bernoulli(probability: Float)
        /// x [… classes]: so many places a row, by probabilities or their logarithms.
        case categorical(isLogarithm: Bool)
    }

    package var distribution: Distribution
    /// The same numbers in each pass; nil draws from the system.
    package var seed: UInt64?

    package init(distribution: Distribution, seed: UInt64?) { (self.distribution, self.seed) = (distribution, seed) }
}

extension GraphRandom {
    var isCategorical: Bool { if case .categorical = distribution { true } else { false } }
}
