internal import HearthCoreMLFormat

/// A compressed weight of a network of layers: the message that stands for it.
struct NetworkWeight: Sendable {
    let message: [UInt8]
    let bits: Int
    /// How it is stored, for people.
    let encoding: String
    let quality: SignalRatio

    private init(_ message: [UInt8], _ bits: Int, _ encoding: String, _ quality: SignalRatio) {
        (self.message, self.bits, self.encoding, self.quality) = (message, bits, encoding, quality)
    }

    /// The weight in a form, if that is smaller.
    static func coded(
        _ step: NetworkPlan.Step, _ form: CompressionForm, file: String, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CodedWeight<NetworkWeight> {
        switch step.kind {
        case .compress: break
        case .store(let weight): return .coded(NetworkWeight(weight))
        case .replace(let values): return .coded(NetworkWeight(bias: values, isHalf: step.old.encoding == .float16))
        }
        let elements = WeightElements(step.old.floats() ?? [])
        if let index = elements.firstNotFinite {
            throw CompressionError.notFinite(file: file, tensor: step.name, index: index)
        }
        guard let weight = try NetworkWeight(elements, step, form, isCancelled) else {
            return .unchanged(CompressionReport.Skipped.beyondHalf)
        }
        // Biases of a few numbers become halves with their layer, whatever that takes.
        return form == .float16 ? .coded(weight) : .smaller(weight, weight.message.count, than: step.old.byteCount)
    }

    /// - Returns: nil where a value is beyond the range of half precision.
    private init?(
        _ elements: WeightElements, _ step: NetworkPlan.Step, _ form: CompressionForm,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws {
        switch form {
        case .float16:
            guard let half = try EncodedWeight(halving: elements, shape: step.shape, isCancelled: isCancelled),
                case .bytes(let bytes)? = half.parameters.first?.content
            else { return nil }
            self.init(NeuralNetworkWeights.message(halves: bytes), 16, "fp16", half.quality)
        case .linear(var linear):
            // Where blocks are the default, channels are what comes nearest.
            if linear.granularity != .tensor { linear.granularity = step.axis == nil ? .tensor : .channel }
            let weight = try linear.encode(
                elements, shape: step.shape, axis: step.axis ?? 0, isCancelled: isCancelled)
            self.init(Self.message(weight), weight.bits, Self.name("int\(weight.bits)", weight), weight.quality)
        case .palette(let palette):
            self.init(try palette.encode(elements, shape: step.shape, isCancelled: isCancelled))
        }
    }

    private init(_ weight: PalettizedWeight) {
        let message = NeuralNetworkWeights.message(
            indices: weight.codes, bits: weight.bits, table: weight.palettes.flatMap { $0 })
        self.init(message, weight.bits, "palette\(weight.bits)", weight.quality)
    }

    /// A bias in the precision that it had: Core ML refuses a layer with numbers of both precisions.
    private init(bias values: [Float], isHalf: Bool) {
        let message =
            isHalf
            ? NeuralNetworkWeights.message(halves: EncodedWeight.bytes(values, .float16))
            : NeuralNetworkWeights.message(floats: values)
        self.init(message, isHalf ? 16 : 32, isHalf ? "fp16" : "fp32", SignalRatio())
    }

    /// Codes are never below zero here: value = scale · code + bias.
    private static func message(_ weight: LinearWeight) -> [UInt8] {
        let middle = weight.isSigned ? 1 << (weight.bits - 1) : 0
        let codes =
            weight.isSigned
            ? weight.codes.map { UInt8(Int($0) + middle) } : weight.codes.map { UInt8(bitPattern: $0) }
        let biases = zip(weight.scales, weight.zeroPoints).map { -$0 * Float($1 + middle) }
        return NeuralNetworkWeights.message(codes: codes, bits: weight.bits, scales: weight.scales, biases: biases)
    }

    private static func name(_ name: String, _ weight: LinearWeight) -> String {
        weight.scales.count > 1 ? "\(name) × \(weight.scales.count)" : name
    }
}
