internal import HearthSystem

/// A network of layers: Core ML's format before programs. Read-only but for its weights: a copy keeps all else as it is.
///
/// Weights stand in the message itself and stay in the mapped file.
package struct NeuralNetwork: Sendable, Equatable {
    /// What the network is for, under Core ML's names.
    package enum Role: String, Sendable {
        case plain = "neuralNetwork"
        case classifier = "neuralNetworkClassifier"
        case regressor = "neuralNetworkRegressor"

        var field: Int {
            switch self {
            case .plain: 500
            case .classifier: 403
            case .regressor: 303
            }
        }
    }

    /// A classifier's labels.
    package enum Labels: Sendable, Equatable {
        case strings([String])
        case integers([Int])

        /// How many.
        package var count: Int {
            switch self {
            case .strings(let labels): labels.count
            case .integers(let labels): labels.count
            }
        }
    }

    /// How a picture's values are changed before the first layer: value · scale + the bias of its channel.
    package struct Scaler: Sendable, Equatable {
        /// The input that it applies to; empty for the first picture.
        package var featureName = ""
        /// The factor.
        package var scale: Float = 1
        /// The bias of each channel.
        package var redBias: Float = 0, greenBias: Float = 0, blueBias: Float = 0, grayBias: Float = 0
    }

    /// A picture whose values are taken off before the first layer.
    package struct MeanImage: Sendable, Equatable {
        /// The input that it applies to; empty for the first picture.
        package var featureName = ""
        /// How many values: one a pixel and channel, channel after channel.
        package var count: Int { numbers.count }
        /// The values.
        package var values: [Float] { numbers.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) } }
        fileprivate var numbers = WireNumbers(.fixed32)
    }

    /// A step before the first layer.
    package enum Preprocessing: Sendable, Equatable {
        case scaler(Scaler)
        case meanImage(MeanImage)
    }

    /// What the network is for.
    package let role: Role
    /// The layers, in the order in which they run.
    package private(set) var layers: [NeuralNetworkLayer] = []
    /// The preprocessing of pictures, in order.
    package private(set) var preprocessing: [Preprocessing] = []
    /// Whether tensors keep their rank (1), or stand as [sequence, batch, channels, height, width] (0).
    package private(set) var arrayMapping = 0
    /// The same for pictures: rank 4 (1) or rank 5 (0).
    package private(set) var imageMapping = 0
    /// A classifier's labels.
    package private(set) var labels: Labels?
    /// The tensor that holds a classifier's probabilities; empty where it is the last one.
    package private(set) var probabilitiesName = ""
    package var origin = WireOrigin()
}

extension NeuralNetwork: WireMessage {
    package init(wire input: WireInput) throws(WireFault) { try self.init(input, .plain) }

    /// The network in a field of a model, whose number says what it is for.
    init(_ field: WireField) throws(WireFault) {
        let role: Role = field.number == 403 ? .classifier : field.number == 303 ? .regressor : .plain
        let bytes = try field.bytes("neuralNetwork")
        self = try inside(role.rawValue) { () throws(WireFault) in
            try NeuralNetwork(field.input.child(bytes), role)
        }
    }

    private init(_ input: WireInput, _ role: Role) throws(WireFault) {
        self.role = role
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch (field.number, role) {
            case (1, _): layers.append(try field.message("layers", layers.count))
            case (2, _): try readPreprocessing(field)
            case (5, _): arrayMapping = try field.integer("arrayInputShapeMapping")
            case (6, _): imageMapping = try field.integer("imageInputShapeMapping")
            case (100, .classifier): labels = .strings(try Self.strings(field))
            case (101, .classifier): labels = .integers(try Self.integers(field))
            case (200, .classifier): probabilitiesName = try field.string("labelProbabilityLayerName")
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    private mutating func readPreprocessing(_ field: WireField) throws(WireFault) {
        var step: Preprocessing?
        var name = ""
        var reader = WireReader(try field.input.child(field.bytes("preprocessing")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: name = try inner.string("preprocessing")
            case 10: step = .scaler(try Self.scaler(inner))
            case 11:
                var mean = MeanImage()
                var parts = WireReader(try inner.input.child(inner.bytes("meanImage")))
                while let part = try parts.next() {
                    if part.number == 1 { try mean.numbers.append(part, "meanImage") }
                }
                step = .meanImage(mean)
            default: break
            }
        }
        switch step {
        case .scaler(var scaler)?:
            scaler.featureName = name
            preprocessing.append(.scaler(scaler))
        case .meanImage(var mean)?:
            mean.featureName = name
            preprocessing.append(.meanImage(mean))
        case nil: break
        }
    }

    private static func scaler(_ field: WireField) throws(WireFault) -> Scaler {
        var scaler = Scaler(scale: 0)
        var reader = WireReader(try field.input.child(field.bytes("scaler")))
        while let inner = try reader.next() {
            switch inner.number {
            case 10: scaler.scale = try inner.float("channelScale")
            case 20: scaler.blueBias = try inner.float("blueBias")
            case 21: scaler.greenBias = try inner.float("greenBias")
            case 22: scaler.redBias = try inner.float("redBias")
            case 30: scaler.grayBias = try inner.float("grayBias")
            default: break
            }
        }
        return scaler
    }

    /// A vector of labels, as `StringVector` has them.
    static func strings(_ field: WireField) throws(WireFault) -> [String] {
        var result: [String] = []
        var reader = WireReader(try field.input.child(field.bytes("stringClassLabels")))
        while let inner = try reader.next() {
            if inner.number == 1 { result.append(try inner.string("stringClassLabels", result.count)) }
        }
        return result
    }

    /// A vector of labels, as `Int64Vector` has them.
    static func integers(_ field: WireField) throws(WireFault) -> [Int] {
        var result = WireNumbers(.varint)
        var reader = WireReader(try field.input.child(field.bytes("int64ClassLabels")))
        while let inner = try reader.next() {
            if inner.number == 1 { try result.append(inner, "int64ClassLabels") }
        }
        return result.integers
    }

    // A network is only ever written as it was read.
    package func encode(into writer: inout WireWriter) {}

    /// The network with other weights, which are messages as `NeuralNetworkWeights` makes them; all else byte for byte.
    package func replacing(_ weights: [(old: NeuralNetworkWeights, new: [UInt8])]) throws(WireFault) -> NeuralNetwork {
        guard let source = origin.source else { return self }
        let replacements = weights.map { WireWriter.Replacement(place: $0.old.place, bytes: $0.new) }
            .sorted { $0.place.offset < $1.place.offset }
        var writer = WireWriter()
        try writer.copy(WireInput(written: source), replacing: replacements[...])
        return try NeuralNetwork(WireInput(written: ByteRange(copying: writer.array)), role)
    }
}
