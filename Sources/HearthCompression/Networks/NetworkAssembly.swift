internal import HearthCoreMLFormat

/// Puts a network of layers together again, from weights in the order in which they come.
struct NetworkAssembly {
    private let plan: NetworkPlan
    private let form: CompressionForm
    private var made: [(step: NetworkPlan.Step, weight: CodedWeight<NetworkWeight>)] = []

    init(_ plan: NetworkPlan, _ form: CompressionForm) {
        (self.plan, self.form) = (plan, form)
    }

    /// Takes what a step has made.
    mutating func take(_ step: NetworkPlan.Step, _ weight: CodedWeight<NetworkWeight>) { made.append((step, weight)) }

    /// Layers with a weight that half precision cannot hold, which stay as they are: weights of a layer are halved together.
    private var unchanged: Set<Int> {
        form == .float16 ? Set(made.filter { $0.weight.form == nil }.map(\.step.layer)) : []
    }

    private var replaced: [(step: NetworkPlan.Step, weight: NetworkWeight)] {
        let unchanged = unchanged
        return made.compactMap { step, weight in
            weight.form.flatMap { unchanged.contains(step.layer) ? nil : (step, $0) }
        }
    }

    var tensors: [CompressionReport.Tensor] {
        replaced.compactMap { step, weight in
            if case .replace = step.kind { return nil }
            return CompressionReport.Tensor(
                name: step.name, shape: step.shape, bits: weight.bits, encoding: weight.encoding,
                snrDB: weight.quality.decibels, squaredError: weight.quality.noise, bytesBefore: step.old.byteCount,
                bytes: weight.message.count)
        }
    }

    var skipped: [CompressionReport.Skipped] {
        let unchanged = unchanged
        return made.compactMap { step, weight in
            switch weight {
            case .unchanged(let reason): CompressionReport.Skipped(name: step.name, reason: reason)
            case .coded where unchanged.contains(step.layer):
                CompressionReport.Skipped(
                    name: step.name,
                    reason: "another weight of its layer holds numbers beyond the range of half precision")
            case .coded: nil
            }
        }
    }

    /// The model with the weights in their places; nil where nothing changed.
    func model(_ model: CoreMLSpecification, file: String) throws -> CoreMLSpecification? {
        let replacements = replaced.map { (old: $0.step.old, new: $0.weight.message) }
        guard !replacements.isEmpty else { return nil }
        var copy = model
        copy.specificationVersion = max(model.specificationVersion, NetworkPlan.minimumVersion(form))
        do throws(WireFault) {
            copy.kind = .neuralNetwork(try plan.network.replacing(replacements))
        } catch {
            throw error.error(in: file)
        }
        return copy
    }
}
