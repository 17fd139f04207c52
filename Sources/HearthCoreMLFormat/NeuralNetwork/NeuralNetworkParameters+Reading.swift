import HearthSystem

extension NeuralNetworkConvolution {
    init(_ field: WireField) throws(WireFault) {
        var (kernel, steps, distances) = (WireNumbers(.varint), WireNumbers(.varint), WireNumbers(.varint))
        var sizes = WireNumbers(.varint)
        var hasBias = false
        var reader = WireReader(try field.input.child(field.bytes("convolution")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: outputChannels = try inner.integer("outputChannels")
            case 2: kernelChannels = try inner.integer("kernelChannels")
            case 10: groups = max(1, try inner.integer("nGroups"))
            case 20: try kernel.append(inner, "kernelSize")
            case 30: try steps.append(inner, "stride")
            case 40: try distances.append(inner, "dilationFactor")
            case 50, 51: padding = try NeuralNetworkLayerKind.Padding(inner, same: 51)
            case 60: isDeconvolution = try inner.bool("isDeconvolution")
            case 70: hasBias = try inner.bool("hasBias")
            case 90: weights = try inner.single("weights", weights)
            case 91: bias = try inner.single("bias", bias)
            case 100: try sizes.append(inner, "outputShape")
            default: break
            }
        }
        kernelSize = try kernel.pair("kernelSize", or: 3)
        if sizes.count > 0 { outputShape = try sizes.pair("outputShape", or: 1) }
        stride = try steps.pair("stride", or: 1)
        dilation = try distances.pair("dilationFactor", or: 1)
        for (name, value) in [("outputChannels", outputChannels), ("kernelChannels", kernelChannels)]
        where !(1...1 << 30).contains(value) {
            throw WireFault(name) { .outOfRange($0, value: "\(value)") }
        }
        guard groups <= 1 << 30, outputChannels % groups == 0 || isDeconvolution else {
            throw .malformed("nGroups", "\(outputChannels) channels are not cut into \(groups) groups")
        }
        let across = isDeconvolution ? outputChannels / groups : outputChannels
        try weights?.check("weights", count: LayerNumbers.product([across, kernelChannels] + kernelSize))
        if !hasBias { bias = nil }
        if hasBias, bias == nil { throw .missing("bias", "the bias") }
        try bias?.check("bias", count: outputChannels)
    }
}

extension NeuralNetworkPooling {
    init(_ field: WireField) throws(WireFault) {
        var (kernel, steps) = (WireNumbers(.varint), WireNumbers(.varint))
        var reader = WireReader(try field.input.child(field.bytes("pooling")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1:
                let number = try inner.integer("type")
                guard let known = Operation(rawValue: number) else {
                    throw WireFault("type") { .outOfRange($0, value: "\(number)") }
                }
                operation = known
            case 10: try kernel.append(inner, "kernelSize")
            case 20: try steps.append(inner, "stride")
            case 30, 31, 32: padding = try NeuralNetworkLayerKind.Padding(inner, same: 31)
            case 50: excludesPadding = try inner.bool("avgPoolExcludePadding")
            case 60: isGlobal = try inner.bool("globalPooling")
            default: break
            }
        }
        // A window that is the whole picture has no size of its own; converters write zeros.
        let least = isGlobal ? 0 : 1
        kernelSize = try kernel.pair("kernelSize", or: 3, from: least)
        stride = try steps.pair("stride", or: 1, from: least)
    }
}

extension NeuralNetworkInnerProduct {
    init(_ field: WireField) throws(WireFault) {
        var hasBias = false
        var reader = WireReader(try field.input.child(field.bytes("innerProduct")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: inputChannels = try inner.integer("inputChannels")
            case 2: outputChannels = try inner.integer("outputChannels")
            case 10: hasBias = try inner.bool("hasBias")
            case 20: weights = try inner.single("weights", weights)
            case 21: bias = try inner.single("bias", bias)
            default: break
            }
        }
        guard let weights else { throw .missing("weights", "the weights") }
        try weights.check("weights", count: LayerNumbers.product([outputChannels, inputChannels]))
        if !hasBias { bias = nil }
        if hasBias, bias == nil { throw .missing("bias", "the bias") }
        try bias?.check("bias", count: outputChannels)
    }
}

extension NeuralNetworkBatchNorm {
    init(_ field: WireField) throws(WireFault) {
        epsilon = 0
        var reader = WireReader(try field.input.child(field.bytes("batchnorm")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: channels = try inner.integer("channels")
            case 5: computesMeanVariance = try inner.bool("computeMeanVar")
            case 6: isInstanceNormalization = try inner.bool("instanceNormalization")
            case 10: epsilon = try inner.float("epsilon")
            case 15: gamma = try inner.single("gamma", gamma)
            case 16: beta = try inner.single("beta", beta)
            case 17: mean = try inner.single("mean", mean)
            case 18: variance = try inner.single("variance", variance)
            default: break
            }
        }
        for (name, weights) in [("gamma", gamma), ("beta", beta), ("mean", mean), ("variance", variance)] {
            try weights?.check(name, count: LayerNumbers.product([channels]))
        }
        guard gamma != nil, beta != nil else { throw .missing("gamma", "the factors or summands") }
    }
}

extension NeuralNetworkScale {
    init(_ field: WireField) throws(WireFault) {
        var (scaleSizes, biasSizes) = (WireNumbers(.varint), WireNumbers(.varint))
        var hasBias = false
        var reader = WireReader(try field.input.child(field.bytes("scale")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: try scaleSizes.append(inner, "shapeScale")
            case 2: scale = try inner.single("scale", scale)
            case 3: hasBias = try inner.bool("hasBias")
            case 4: try biasSizes.append(inner, "shapeBias")
            case 5: bias = try inner.single("bias", bias)
            default: break
            }
        }
        scaleShape = try LayerNumbers.shape(scaleSizes)
        biasShape = try LayerNumbers.shape(biasSizes)
        guard let scale else { throw .missing("scale", "the factor") }
        try scale.check("scale", count: LayerNumbers.product(scaleShape))
        if !hasBias { bias = nil }
        if hasBias, bias == nil { throw .missing("bias", "the summand") }
        try bias?.check("bias", count: LayerNumbers.product(biasShape))
    }
}

extension NeuralNetworkLayerKind.Padding {
    /// One of the choices of padding; `same` is the number of the one without amounts.
    init(_ field: WireField, same: Int) throws(WireFault) {
        if field.number == same {
            self = .same(oddAtBeginning: try LayerNumbers(field).integer(1) == 1)
            return
        }
        var border = NeuralNetworkLayerKind.Border()
        var amounts = WireNumbers(.varint)
        let isValid = field.number == 50 || field.number == 30
        var reader = WireReader(try field.input.child(field.bytes("padding")))
        while let inner = try reader.next() {
            if isValid, inner.number == 1 { border = try NeuralNetworkLayerKind.Border(amounts: inner) }
            if !isValid, inner.number == 10 { try amounts.append(inner, "paddingAmounts") }
        }
        if !isValid {
            let values = try amounts.pair("paddingAmounts", or: 0, from: 0)
            border = .init(top: values[0], bottom: values[0], left: values[1], right: values[1])
        }
        self = isValid ? .valid(border) : .includeLastPixel(border)
    }
}

extension WireNumbers {
    /// Two numbers, rows first; `value` twice where there are none.
    fileprivate func pair(_ name: String, or value: Int, from least: Int = 1) throws(WireFault) -> [Int] {
        let numbers = integers
        guard numbers.isEmpty || numbers.count == 2 else { throw .malformed(name, "\(numbers.count) numbers, not 2") }
        for number in numbers where !(least...1 << 30).contains(number) {
            throw WireFault(name) { .outOfRange($0, value: "\(number)") }
        }
        return numbers.isEmpty ? [value, value] : numbers
    }
}
