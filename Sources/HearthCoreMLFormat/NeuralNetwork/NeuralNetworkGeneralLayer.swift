/// A layer whose parameters are looked up by the numbers of their fields: most layers have a few numbers and nothing else.
package struct NeuralNetworkGeneralLayer: Sendable, Equatable {
    /// What the layer does, in the format's words.
    package let name: String
    private var numbers: [Int: UInt64] = [:]
    private var lists: [Int: [UInt64]] = [:]
    /// Weights, and messages inside this one.
    package private(set) var weights: [Int: NeuralNetworkWeights] = [:]
    private var parts: [Int: [NeuralNetworkGeneralLayer]] = [:]

    /// Fields that are no numbers.
    private struct Schema {
        var weights: Set<Int> = []
        var messages: [Int: Schema] = [:]
        var floats: Set<Int> = []
    }

    private static let activations = Schema(
        messages: Dictionary(uniqueKeysWithValues: [5, 10, 15, 20, 30, 31, 40, 41, 50, 60, 70].map { ($0, Schema()) }))
    private static let gates = Schema(weights: [1, 2, 3, 4, 20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62])
    private static let schemas: [Int: Schema] = [
        150: Schema(weights: [20, 21]), 1040: Schema(weights: [20, 21]),
        190: Schema(messages: [1: Schema(messages: [10: Schema()])]), 210: Schema(floats: [7]),
        211: Schema(messages: [2: Schema()]), 212: Schema(messages: [3: Schema(), 4: Schema()]),
        400: Schema(weights: [30, 31, 32], messages: [10: activations]),
        410: Schema(weights: [30, 31, 32, 50, 51, 52, 70, 71, 72], messages: [10: activations]),
        420: Schema(messages: [10: activations, 15: Schema(), 20: gates]),
        430: Schema(messages: [10: activations, 11: activations, 15: Schema(), 20: gates]),
    ]

    /// Layers that are read this way, by the number of their field.
    static let names: [Int: String] = [
        150: "embedding", 165: "mvn", 170: "l2normalize", 190: "crop", 210: "upsample", 211: "resizeBilinear",
        212: "cropResize", 270: "dot", 340: "sequenceRepeat", 345: "reorganizeData", 400: "simpleRecurrent", 410: "gru",
        420: "uniDirectionalLSTM", 430: "biDirectionalLSTM", 635: "rangeStatic", 640: "rangeDynamic", 770: "asinh",
        775: "acosh", 780: "atanh", 815: "equal", 820: "notEqual", 825: "lessThan", 827: "lessEqual",
        830: "greaterThan", 832: "greaterEqual", 840: "logicalOr", 845: "logicalXor", 850: "logicalNot",
        855: "logicalAnd", 920: "tile", 930: "gather", 935: "scatter", 940: "gatherND", 945: "scatterND",
        952: "gatherAlongAxis", 954: "scatterAlongAxis", 960: "reverse", 965: "reverseSeq", 1000: "sliceDynamic",
        1005: "slidingWindows", 1015: "topK", 1020: "argMin", 1025: "argMax", 1040: "embeddingND", 1065: "getShape",
        1080: "fillLike", 1085: "fillStatic", 1090: "fillDynamic", 1100: "broadcastToLike", 1105: "broadcastToStatic",
        1110: "broadcastToDynamic", 1135: "reshapeLike", 1145: "reshapeDynamic", 1150: "rankPreservingReshape",
        1155: "constantPad", 1170: "randomNormalLike", 1175: "randomNormalStatic", 1180: "randomNormalDynamic",
        1190: "randomUniformLike", 1195: "randomUniformStatic", 1200: "randomUniformDynamic",
        1210: "randomBernoulliLike", 1215: "randomBernoulliStatic", 1220: "randomBernoulliDynamic",
        1285: "reduceLogSum", 1315: "matrixBandPart", 1320: "lowerTriangular", 1325: "upperTriangular",
        1330: "whereBroadcastable", 1450: "oneHot", 1455: "cumSum", 1460: "clampedReLU", 1461: "argSort",
        1470: "sliceBySize",
    ]

    init(_ field: WireField) throws(WireFault) {
        try self.init(field, Self.names[field.number] ?? "", Self.schemas[field.number] ?? Schema())
    }

    private init(_ field: WireField, _ name: String, _ schema: Schema) throws(WireFault) {
        self.name = name
        var reader = WireReader(try field.input.child(field.bytes("parameters")))
        while let inner = try reader.next() {
            if schema.weights.contains(inner.number) {
                guard weights[inner.number] == nil else { throw .malformed("weights", "the field occurs twice") }
                weights[inner.number] = try inner.message("weights")
            } else if let message = schema.messages[inner.number] {
                guard parts[inner.number]?.count ?? 0 < CoreMLLimits.rank else {
                    throw .limit("parameters", CoreMLLimits.rank + 1, CoreMLLimits.rank)
                }
                parts[inner.number, default: []].append(try Self(inner, "\(inner.number)", message))
            } else {
                try read(inner, isFloat: schema.floats.contains(inner.number))
            }
        }
    }

    private mutating func read(_ field: WireField, isFloat: Bool) throws(WireFault) {
        switch field.value {
        case .fixed32(let bits): numbers[field.number] = UInt64(bits)
        case .varint(let number): numbers[field.number] = number
        case .fixed64, .group: return
        case .bytes: break
        }
        if case .fixed32 = field.value, !isFloat { return }
        var list = WireNumbers(isFloat ? .fixed32 : .varint)
        try list.append(field, "parameters")
        let count = (lists[field.number]?.count ?? 0) + list.count
        guard count <= CoreMLLimits.rank * 2 else { throw .limit("parameters", count, CoreMLLimits.rank * 2) }
        lists[field.number, default: []] += list.map { $0 }
    }

    package func integer(_ number: Int) -> Int { Int(Int64(bitPattern: numbers[number] ?? 0)) }
    package func flag(_ number: Int) -> Bool { numbers[number] ?? 0 != 0 }
    package func float(_ number: Int) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: numbers[number] ?? 0)) }
    package func list(_ number: Int) -> [Int] { (lists[number] ?? []).map { Int(Int64(bitPattern: $0)) } }
    package func floats(_ number: Int) -> [Float] {
        (lists[number] ?? []).map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
    }
    /// A message inside this one; an empty one where it is not there.
    package func part(_ number: Int) -> Self { parts[number]?.last ?? Self(name: "\(number)") }
    package func all(_ number: Int) -> [Self] { parts[number] ?? [] }
    /// The numbers of the messages that are there.
    package var choices: [Int] { parts.keys.sorted() }

    private init(name: String) { self.name = name }

    /// The weights of it and of its messages, with names for tables and the numbers of their fields.
    var named: [(name: String, field: Int, weights: NeuralNetworkWeights)] {
        let own = weights.sorted { $0.key < $1.key }.map { field, weights in
            (name: "\(name.isEmpty ? "weights" : name).\(field)", field: field, weights: weights)
        }
        return own
            + parts.sorted { $0.key < $1.key }.flatMap { _, parts in
                // Both directions of an LSTM have weights of the same numbers.
                parts.enumerated().flatMap { index, part in
                    part.named.map { (index == 0 ? $0.name : "\($0.name)[\(index)]", $0.field, $0.weights) }
                }
            }
    }
}
