import HearthSystem

extension NeuralNetworkLayerKind {
    /// What the field of a layer says.
    init(_ field: WireField) throws(WireFault) {
        switch field.number {
        case 100: self = .convolution(try NeuralNetworkConvolution(field))
        case 120: self = .pooling(try NeuralNetworkPooling(field))
        case 130: self = .activation(try Self.activation(field))
        case 140: self = .innerProduct(try NeuralNetworkInnerProduct(field))
        case 160: self = .batchNorm(try NeuralNetworkBatchNorm(field))
        case 245: self = .scale(try NeuralNetworkScale(field))
        case 250, 290, 1070: self = try Self.constant(field)
        case 200: self = try Self.padding(field)
        case 1045: self = .batchedMatmul(try NeuralNetworkMatmul(field))
        case 1350: self = try Self.layerNormalization(field)
        case let number where NeuralNetworkGeneralLayer.names[number] != nil:
            self = .general(try NeuralNetworkGeneralLayer(field))
        default: self = try Self.simple(field)
        }
    }

    /// Layers that numbers alone describe.
    private static func simple(_ field: WireField) throws(WireFault) -> Self {
        // Branches and loops hold whole networks.
        guard names[field.number] != nil, field.number != 605, field.number != 615 else { return .other }
        let p = try LayerNumbers(field)
        switch field.number {
        case 175: return .softmax
        case 180: return .lrn(alpha: p.float(1), beta: p.float(2), localSize: p.integer(3), k: p.float(4))
        case 220:
            return .unary(
                type: p.integer(1), alpha: p.float(2), epsilon: p.float(3), shift: p.float(4), scale: p.float(5))
        case 230: return .add(alpha: p.float(1))
        case 231: return .multiply(alpha: p.float(1))
        case 280: return .reduce(mode: p.integer(1), epsilon: p.float(2), axis: p.integer(3))
        case 300: return .reshape(targetShape: p.list(1), isChannelLast: p.integer(2) == 1)
        case 301: return .flatten(isChannelLast: p.integer(1) == 1)
        case 310: return .permute(axes: p.list(1))
        case 320: return .concat
        case 330: return .split(outputs: p.integer(1))
        case 660: return .clip(minimum: p.float(1), maximum: p.float(2))
        case 880: return .addBroadcastable
        case 900: return .multiplyBroadcastable
        case 950: return .softmaxND(axis: p.integer(1))
        case 980: return .concatND(axis: p.integer(1), interleaves: p.integer(2) != 0)
        case 985: return .transpose(axes: p.list(1))
        case 1120: return .squeeze(axes: p.list(1), squeezesAll: p.integer(2) != 0)
        case 1130: return .flattenTo2D(axis: p.integer(1))
        case 1140: return .reshapeStatic(targetShape: p.list(1))
        case 1280:
            return .reduceMean(axes: p.list(1), keepsDimensions: p.integer(2) != 0, reducesAll: p.integer(3) != 0)
        default: return tensors(field.number, p)
        }
    }

    /// Layers for tensors of any rank.
    private static func tensors(_ number: Int, _ p: LayerNumbers) -> Self {
        let name = names[number] ?? ""
        switch number {
        case 350:
            return .slice(start: p.integer(1), end: p.integer(2), stride: p.integer(3), axis: p.integer(4))
        case 600: return .copy
        case 240, 260, 261, 665...760, 790, 865...905: return .elementwise(name)
        case 795: return .gelu(mode: p.integer(1))
        case 925: return .stack(axis: p.integer(1))
        case 975: return .splitND(axis: p.integer(1), count: p.integer(2), sizes: p.list(3))
        case 995:
            return .sliceStatic(
                NeuralNetworkSlice(
                    begin: p.list(1), beginMask: p.list(2).map { $0 != 0 }, end: p.list(3),
                    endMask: p.list(4).map { $0 != 0 }, stride: p.list(5), squeezeMask: p.list(6).map { $0 != 0 }))
        case 1125: return .expandDims(axes: p.list(1))
        case 1250...1295:
            return .reduceAxes(
                name, axes: p.list(1), keepsDimensions: p.integer(2) != 0, reducesAll: p.integer(3) != 0)
        default: return .other
        }
    }

    private static func layerNormalization(_ field: WireField) throws(WireFault) -> Self {
        var sizes = WireNumbers(.varint)
        var epsilon: Float = 0
        var gamma: NeuralNetworkWeights?
        var beta: NeuralNetworkWeights?
        var reader = WireReader(try field.input.child(field.bytes("layerNormalization")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: try sizes.append(inner, "normalizedShape")
            case 2: epsilon = try inner.float("eps")
            case 3: gamma = try inner.single("gamma", gamma)
            case 4: beta = try inner.single("beta", beta)
            default: break
            }
        }
        let shape = try LayerNumbers.shape(sizes)
        guard let gamma, let beta else { throw .missing("gamma", "the factors or summands") }
        try gamma.check("gamma", count: LayerNumbers.product(shape))
        try beta.check("beta", count: LayerNumbers.product(shape))
        return .layerNormalization(shape: shape, epsilon: epsilon, gamma: gamma, beta: beta)
    }

    private static func activation(_ field: WireField) throws(WireFault) -> Activation {
        var reader = WireReader(try field.input.child(field.bytes("activation")))
        guard let inner = try reader.next() else { throw .missing(nil, "what the activation computes") }
        guard try reader.next() == nil else { throw .malformed(nil, "an activation computes two things") }
        if inner.number == 25 {
            var parameters = WireReader(try inner.input.child(inner.bytes("PReLU")))
            while let weights = try parameters.next() {
                if weights.number == 1 { return .prelu(try weights.message("alpha")) }
            }
            throw .missing("PReLU", "the slopes")
        }
        if inner.number == 71 {
            var (alpha, beta): (NeuralNetworkWeights?, NeuralNetworkWeights?)
            var parameters = WireReader(try inner.input.child(inner.bytes("parametricSoftplus")))
            while let weights = try parameters.next() {
                if weights.number == 1 { alpha = try weights.single("alpha", alpha) }
                if weights.number == 2 { beta = try weights.single("beta", beta) }
            }
            guard let alpha, let beta else { throw .missing("parametricSoftplus", "the factors") }
            return .parametricSoftplus(alpha: alpha, beta: beta)
        }
        let p = try LayerNumbers(inner)
        switch inner.number {
        case 5: return .linear(alpha: p.float(1), beta: p.float(2))
        case 10: return .relu
        case 15: return .leakyRelu(alpha: p.float(1))
        case 20: return .thresholdedRelu(alpha: p.float(1))
        case 30: return .tanh
        case 31: return .scaledTanh(alpha: p.float(1), beta: p.float(2))
        case 40: return .sigmoid
        case 41: return .sigmoidHard(alpha: p.float(1), beta: p.float(2))
        case 50: return .elu(alpha: p.float(1))
        case 60: return .softsign
        case 70: return .softplus
        default: return .other(inner.number)
        }
    }

    /// Constants with dimensions: a bias, or a tensor.
    private static func constant(_ field: WireField) throws(WireFault) -> Self {
        var shape = WireNumbers(.varint)
        var weights: NeuralNetworkWeights?
        var reader = WireReader(try field.input.child(field.bytes("data")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: try shape.append(inner, "shape")
            case 2: weights = try inner.single("data", weights)
            default: break
            }
        }
        guard let weights else { throw .missing("data", "the constant") }
        let sizes = try LayerNumbers.shape(shape)
        try weights.check("data", count: LayerNumbers.product(sizes))
        return field.number == 250 ? .bias(shape: sizes, weights) : .loadConstant(shape: sizes, weights)
    }

    private static func padding(_ field: WireField) throws(WireFault) -> Self {
        var border = Border()
        var mode = PaddingMode.constant(0)
        var reader = WireReader(try field.input.child(field.bytes("padding")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: mode = .constant(try LayerNumbers(inner).float(1))
            case 2: mode = .reflection
            case 3: mode = .replication
            case 10: border = try Border(amounts: inner)
            default: break
            }
        }
        return .padding(mode, border)
    }
}

extension NeuralNetworkLayerKind.Border {
    /// The message `BorderAmounts`: start and end by axis, rows first.
    init(amounts field: WireField) throws(WireFault) {
        var amounts: [(Int, Int)] = []
        var reader = WireReader(try field.input.child(field.bytes("paddingAmounts")))
        while let inner = try reader.next() {
            guard inner.number == 10 else { continue }
            let p = try LayerNumbers(inner)
            amounts.append((p.integer(1), p.integer(2)))
            guard amounts.count <= 2, p.integer(1) >= 0, p.integer(2) >= 0, p.integer(1) < 1 << 30,
                p.integer(2) < 1 << 30
            else {
                throw .malformed(
                    "paddingAmounts", "\(p.integer(1)) and \(p.integer(2)) are not valid padding of an image")
            }
        }
        guard amounts.isEmpty || amounts.count == 2 else {
            throw .malformed("paddingAmounts", "pads for one axis of two")
        }
        if let rows = amounts.first, let columns = amounts.last {
            (top, bottom, left, right) = (rows.0, rows.1, columns.0, columns.1)
        }
    }
}

/// The numbers of a message, by field: scalars, and lists.
struct LayerNumbers {
    private var scalars: [Int: UInt64] = [:]
    private var lists: [Int: WireNumbers] = [:]

    init(_ field: WireField) throws(WireFault) {
        var reader = WireReader(try field.input.child(field.bytes("parameters")))
        while let inner = try reader.next() {
            switch inner.value {
            case .fixed32(let bits): scalars[inner.number] = UInt64(bits)
            case .varint(let number): scalars[inner.number] = number
            case .bytes, .fixed64, .group: break
            }
            if case .fixed32 = inner.value { continue }
            if case .fixed64 = inner.value { continue }
            if case .group = inner.value { continue }
            // Fields above 10 are messages in all layers that are read this way.
            guard inner.number <= 10 else { continue }
            var list = lists[inner.number] ?? WireNumbers(.varint)
            try list.append(inner, "parameters")
            guard list.count <= CoreMLLimits.rank else { throw .limit("parameters", list.count, CoreMLLimits.rank) }
            lists[inner.number] = list
        }
    }

    func integer(_ number: Int) -> Int { Int(Int64(bitPattern: scalars[number] ?? 0)) }
    func float(_ number: Int) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: scalars[number] ?? 0)) }
    func list(_ number: Int) -> [Int] { lists[number]?.integers ?? [] }

    /// Sizes of at most as many dimensions as tensors have, none negative.
    static func shape(_ numbers: WireNumbers) throws(WireFault) -> [Int] {
        guard numbers.count <= CoreMLLimits.rank else { throw .limit("shape", numbers.count, CoreMLLimits.rank) }
        for size in numbers.integers where !(0...CoreMLLimits.elements).contains(size) {
            throw WireFault("shape") { .badDimension($0, value: UInt64(bitPattern: Int64(size))) }
        }
        return numbers.integers
    }

    /// The product; nil where it does not fit.
    static func product(_ sizes: [Int]) -> Int? {
        var product = 1
        for size in sizes {
            let (next, overflow) = product.multipliedReportingOverflow(by: size)
            guard !overflow, size >= 0 else { return nil }
            product = next
        }
        return product
    }
}
