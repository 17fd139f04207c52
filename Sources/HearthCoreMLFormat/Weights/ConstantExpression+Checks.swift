/// What must hold between the parameters of a compressed weight and its result. A parameter that is another weight's
/// result is known by its name only and is checked when it is expanded.
extension ConstantExpression {
    func check(version: Int) throws(WireFault) {
        let names = kind.parameterNames(version: version)
        for name in names.required where parameters[name] == nil {
            throw .missing(name, "a parameter of \(kind.rawValue)")
        }
        for name in parameters.keys.sorted() where !names.required.contains(name) && !names.optional.contains(name) {
            throw .malformed(name, "\(kind.rawValue) has no such parameter")
        }
        switch kind {
        case .palette: version < 9 ? try checkFlatPalette() : try checkPalette()
        case .affine: try checkAffine()
        case .blockwise: try checkBlocks("data", shape)
        case .sparse: try checkSparse(isFlat: version < 9)
        case .cast: try checkCast()
        case .sparsePalette: try checkParts("indices_nonzero_data")
        case .sparseBlockwise: try checkParts("nonzero_data")
        }
    }

    private func require(_ name: String, _ condition: Bool, _ problem: @autoclosure () -> String) throws(WireFault) {
        guard condition else { throw .malformed(name, problem()) }
    }

    private func requireShapeParameter() throws(WireFault) {
        guard let stated = tensor("shape") else { return }
        try require(
            "shape", stated.integers() == shape,
            "the shape is \(stated.integers() ?? []), and the result has \(shape)")
    }

    private func checkFlatPalette() throws(WireFault) {
        try requireShapeParameter()
        guard let lut = tensor("lut"), let indices = tensor("indices") else { return }
        try require("lut", lut.type == type, "the palette holds \(lut.type.name), the result \(type.name)")
        try require(
            "lut", lut.shape.count == 1 && [2, 4, 16, 64, 256].contains(lut.count),
            "a palette of shape \(lut.shape) does not exist before version 9")
        let bits = lut.count.trailingZeroBitCount
        try require("indices", indices.type == .uint8, "indices are \(indices.type.name), not uint8")
        let (total, overflow) = count.multipliedReportingOverflow(by: bits)
        try require(
            "indices", !overflow && indices.count == (total + 7) / 8,
            "\(indices.count) bytes are not \(count) indices of \(bits) bits")
    }

    private func checkPalette() throws(WireFault) {
        guard let lut = tensor("lut"), let indices = tensor("indices") else { return }
        try require("lut", lut.type == type, "the palette holds \(lut.type.name), the result \(type.name)")
        let rank = indices.shape.count
        try require(
            "lut", lut.shape.count == rank + 2, "a palette of rank \(lut.shape.count) for indices of rank \(rank)")
        let (entries, vector) = (lut.shape[rank], lut.shape[rank + 1])
        let allowed: [MILDataType: Int] = [.uint1: 1, .uint2: 2, .uint3: 3, .uint4: 4, .uint6: 6, .uint8: 8]
        guard let bits = allowed[indices.type] else {
            throw .wrongType("indices", expected: "an unsigned type of up to 8 bits", found: indices.type.name)
        }
        try require("lut", entries == 1 << bits, "\(entries) entries for indices of \(bits) bits")
        try require("lut", (1...CoreMLLimits.paletteVector).contains(vector), "an entry holds \(vector) values")
        for (axis, (size, groups)) in zip(indices.shape, lut.shape).enumerated() {
            try require(
                "lut", groups > 0 && size % groups == 0, "axis \(axis) of \(size) is not cut into \(groups) groups")
        }
        var expected = indices.shape
        if vector > 1 {
            let axis = try vectorAxis(rank: rank)
            let (size, overflow) = expected[axis].multipliedReportingOverflow(by: vector)
            try require("indices", !overflow, "the size of the result overflows")
            expected[axis] = size
        }
        try require("indices", expected == shape, "indices and palette make \(expected), and the result has \(shape)")
    }

    /// The axis along which an entry of several values lies.
    func vectorAxis(rank: Int) throws(WireFault) -> Int {
        let axis = tensor("vector_axis")?.integers()?.first ?? 0
        let positive = axis < 0 ? axis + rank : axis
        try require("vector_axis", (0..<rank).contains(positive), "axis \(axis) of \(rank) dimensions")
        return positive
    }

    private func checkAffine() throws(WireFault) {
        guard let data = tensor("quantized_data"), let scale = tensor("scale"), let zero = tensor("zero_point"),
            let axes = tensor("axis")?.integers(), axes.count == 1
        else { throw .malformed("axis", "the parameters are not plain values") }
        try require("quantized_data", data.type == .int8 || data.type == .uint8, "codes are \(data.type.name)")
        try require("quantized_data", data.shape == shape, "codes have \(data.shape), the result \(shape)")
        try require(
            "scale", scale.type == type && type.isFloat, "scales are \(scale.type.name), the result \(type.name)")
        let axis = axes[0] < 0 ? axes[0] + shape.count : axes[0]
        try require("axis", shape.indices.contains(axis), "axis \(axes[0]) of \(shape.count) dimensions")
        for (name, tensor) in [("scale", scale), ("zero_point", zero)] {
            try require(
                name, tensor.shape.isEmpty || tensor.shape == [shape[axis]],
                "\(tensor.shape) values for \(shape[axis]) channels")
        }
    }

    private func checkBlocks(_ name: String, _ shape: [Int]) throws(WireFault) {
        guard let data = tensor(name) else { return }
        try require(name, data.shape == shape, "codes have \(data.shape), the result \(shape)")
        for part in ["scale", "offset"] {
            guard let tensor = tensor(part) else { continue }
            try require(
                part, tensor.shape.count == shape.count, "the rank is \(tensor.shape.count), not \(shape.count)")
            for (size, blocks) in zip(shape, tensor.shape) {
                try require(part, blocks > 0 && size % blocks == 0, "\(size) is not cut into \(blocks) blocks")
            }
        }
        try require("scale", tensor("scale").map { $0.type == type } ?? true, "scales are not \(type.name)")
    }

    private func checkSparse(isFlat: Bool) throws(WireFault) {
        try requireShapeParameter()
        guard let mask = tensor("mask") else { return }
        if isFlat {
            try require(
                "mask", mask.type == .uint8 && mask.count == (count + 7) / 8,
                "\(mask.count) elements of \(mask.type.name) are not a mask of \(count)")
        } else {
            try require("mask", mask.type == .uint1 && mask.shape == shape, "a mask of \(mask.type.name)\(mask.shape)")
        }
        guard let values = tensor("nonzero_data") else { return }
        try require("nonzero_data", values.type == type, "values are \(values.type.name), the result \(type.name)")
        let used = Self.places(of: mask)
        try require("nonzero_data", values.count == used, "\(values.count) values for \(used) places of the mask")
    }

    private static func places(of mask: MILTensor) -> Int {
        mask.packedBytes.map { bits in bits.reduce(0) { $0 + $1.nonzeroBitCount } } ?? -1
    }

    /// A mask and a list of the elements that it leaves: the next operation knows what shape that makes.
    private func checkParts(_ name: String) throws(WireFault) {
        guard let mask = mask, let codes = tensor(name) else { return }
        let maskName = kind.maskName ?? "mask"
        try require(maskName, mask.type == .uint1, "a mask of \(mask.type.name)")
        try require(name, codes.shape.count == 1, "a list of \(codes.shape.count) dimensions")
        let used = Self.places(of: mask)
        try require(name, codes.count == used, "\(codes.count) values for \(used) places of the mask")
        for part in ["lut", "scale"] {
            guard let tensor = tensor(part) else { continue }
            try require(part, tensor.type == type, "\(part) is \(tensor.type.name), the result \(type.name)")
        }
    }

    private func checkCast() throws(WireFault) {
        guard case .text(let name)? = parameters["output_dtype"] else {
            throw .malformed("output_dtype", "the type is not a string")
        }
        try require("output_dtype", name == type.name, "a cast to \(name), and the result is \(type.name)")
        guard let source = tensor("source_val") else { return }
        try require("source_val", source.type == .float16 && type == .float32, "only fp16 is widened, to fp32")
        try require("source_val", source.shape == shape, "\(source.shape) becomes \(shape)")
    }
}
