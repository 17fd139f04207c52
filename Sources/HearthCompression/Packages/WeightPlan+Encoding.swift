internal import HearthCoreMLFormat

extension WeightPlan.Step {
    /// The weight as it will be stored; nil for a copy, and for a form that this build does not know.
    func encoded(
        _ form: CompressionForm, _ sparse: SparseForms, version: Int, file: String,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CodedWeight<EncodedWeight>? {
        func choice(_ name: String) -> SparseChoice {
            SparseChoice(
                forms: sparse, version: version, name: name, type: type, shape: shape, isCancelled: isCancelled)
        }
        switch kind {
        case .copy: return nil
        case .raise(let expression): return ProgramUpgrade.raised(expression).map { .coded($0) }
        case .store(let weight, let name, let bytes, _):
            let weight = choice(name).stored(weight)
            return .smaller(weight, weight.byteCount, than: bytes)
        case .replace(let values): return .coded(EncodedWeight(vector: values, type, shape: shape))
        case .strip(let elements, let name, let bytes):
            if let index = elements.firstNotFinite {
                throw CompressionError.notFinite(file: file, tensor: name, index: index)
            }
            let mask = try SparseMask(elements, isCancelled: isCancelled)
            var weight = EncodedWeight(elements, leaving: mask, type, shape: shape, version: version)
            let saved = choice(name).plainBytes - choice(name).stored(weight)
            weight.sparsity?.savedBytes = saved
            return .smaller(weight, weight.byteCount, than: bytes)
        case .compress(let elements, let name, let bytes, let axis, let inputAxis):
            if let index = elements.firstNotFinite {
                throw CompressionError.notFinite(file: file, tensor: name, index: index)
            }
            guard let weight = try encoded(form, elements, axis: axis, inputAxis: inputAxis, choice(name)) else {
                return .unchanged(CompressionReport.Skipped.beyondHalf)
            }
            return .smaller(weight, weight.byteCount, than: bytes)
        }
    }

    private func encoded(
        _ form: CompressionForm, _ elements: WeightElements, axis: Int, inputAxis: Int, _ choice: SparseChoice
    ) throws -> EncodedWeight? {
        let isCancelled = choice.isCancelled
        var best: EncodedWeight?
        switch form {
        case .float16:
            best = try EncodedWeight(halving: elements, shape: shape, isCancelled: isCancelled)
        case .linear(let linear):
            let weight = try linear.encode(
                elements, shape: shape, axis: axis, inputAxis: inputAxis, isCancelled: isCancelled)
            best = choice.better(
                EncodedWeight(weight, type, shape: shape, version: choice.version), try choice.sparse(weight))
        case .palette(let palette):
            let weight = try palette.encode(elements, shape: shape, axis: axis, isCancelled: isCancelled)
            best = choice.better(
                EncodedWeight(weight, type, shape: shape, version: choice.version),
                try choice.sparse(elements, palette, axis: axis, than: weight))
        }
        return choice.better(best, try choice.lossless(elements, than: best))
    }
}

extension PackageCompressor {
    /// Whether a weight that has the form that is asked for already is smaller without its zeros.
    func strips(_ tensor: MILTensor, _ name: String, _ version: Int) throws -> Bool {
        guard sparseForms != .never, let elements = WeightElements(tensor) else { return false }
        // NaN is no zero: the weight stays as it is.
        guard elements.firstNotFinite == nil else { return false }
        let choice = SparseChoice(
            forms: sparseForms, version: version, name: name, type: tensor.type, shape: tensor.shape,
            isCancelled: { false })
        return try choice.better(nil, choice.lossless(elements, than: nil)) != nil
    }
}
