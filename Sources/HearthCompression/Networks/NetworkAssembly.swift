internal import HearthCoreMLFormat

/// Puts a network of layers together again, from weights in the order in which they come.
struct NetworkAssembly {
    private let plan: NetworkPlan
    private let form: CompressionForm
    private var replacements: [(old: NeuralNetworkWeights, new: [UInt8])] = []
    private(set) var tensors: [CompressionReport.Tensor] = []
    private(set) var skipped: [CompressionReport.Skipped] = []

    init(_ plan: NetworkPlan, _ form: CompressionForm) {
        (self.plan, self.form) = (plan, form)
    }

    /// Takes what a step has made.
    mutating func take(_ step: NetworkPlan.Step, _ weight: NetworkWeight?) {
        guard let weight else {
            skipped.append(
                CompressionReport.Skipped(name: step.name, reason: CompressionReport.Skipped.beyondHalf))
            return
        }
        replacements.append((step.old, weight.message))
        tensors.append(
            CompressionReport.Tensor(
                name: step.name, shape: step.shape, bits: weight.bits, encoding: weight.encoding,
                snrDB: weight.quality.decibels, squaredError: weight.quality.noise, bytesBefore: step.old.byteCount,
                bytes: weight.message.count))
    }

    /// The model with the weights in their places; nil where nothing changed.
    func model(_ model: CoreMLSpecification, file: String) throws -> CoreMLSpecification? {
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
