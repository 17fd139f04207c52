internal import HearthCoreMLFormat

/// Puts a package together again, from weights in the order in which they come.
struct PackageAssembly {
    private let package: CoreMLPackage
    private let plan: WeightPlan
    private var moved: [WeightPlan.Blob: MILBlobReference] = [:]
    private var placed: [WeightPlan.Place: PlacedWeight] = [:]
    /// Operations that stay after all.
    private var restored: [(place: WeightPlan.Place, reference: MILBlobReference?)] = []
    private(set) var tensors: [CompressionReport.Tensor] = []
    private(set) var skipped: [CompressionReport.Skipped] = []

    init(_ package: CoreMLPackage, _ plan: WeightPlan) {
        self.package = package
        self.plan = plan
    }

    /// Writes what a step has made.
    mutating func take(
        _ step: WeightPlan.Step, _ weight: CodedWeight<EncodedWeight>?, into writer: CoreMLPackageWriter
    ) throws {
        switch (step.kind, weight) {
        case (.copy(let reference), _):
            moved[WeightPlan.Blob(reference)] = try writer.append(copying: reference, of: package)
        case (_, .coded(let weight)?):
            let value = try PlacedWeight(weight, in: writer)
            for place in step.places { placed[place] = value }
            switch step.kind {
            case .compress(_, let name, let bytes, _, _), .store(_, let name, let bytes, _),
                .strip(_, let name, let bytes):
                tensors.append(
                    CompressionReport.Tensor(
                        name: name, shape: step.shape, bits: weight.bits, encoding: weight.encodingName,
                        snrDB: weight.quality.decibels, squaredError: weight.quality.noise, bytesBefore: bytes,
                        bytes: weight.byteCount, sparsity: weight.sparsity))
            default: break
            }
        case (.compress(_, let name, _, _, _), .unchanged(let reason)?),
            (.store(_, let name, _, _), .unchanged(let reason)?), (.strip(_, let name, _), .unchanged(let reason)?):
            skipped.append(CompressionReport.Skipped(name: name, reason: reason))
            try restore(step, in: writer)
        case (_, .unchanged), (_, nil):
            throw CompressionError.unsupportedModel(file: package.path, what: "a weight of an unknown form")
        }
    }

    /// A weight that cannot take the form stays as it was.
    private mutating func restore(_ step: WeightPlan.Step, in writer: CoreMLPackageWriter) throws {
        for place in step.places {
            let old = original(place).attributes["val"]
            guard case .blob(let reference)? = old?.content else {
                restored.append((place, nil))
                continue
            }
            let key = WeightPlan.Blob(reference)
            if moved[key] == nil { moved[key] = try writer.append(copying: reference, of: package) }
            restored.append((place, moved[key]))
        }
    }

    private func original(_ place: WeightPlan.Place) -> MILOperation {
        guard let program = package.model.program else { return MILOperation(type: "const") }
        return WeightPlan.body(of: program, place)[place.path]
    }

    /// The model with everything in its new place; nil where nothing changed and nothing moved.
    /// - Parameter activations: what is quantized besides the weights.
    func model(_ activations: [String: ActivationRange]) throws -> CoreMLSpecification? {
        if plan.version == package.model.specificationVersion, activations.isEmpty,
            plan.steps.allSatisfy({ !$0.isChange }),
            moved.allSatisfy({ $0.key == WeightPlan.Blob($0.value) })
        {
            return nil
        }
        let (moved, old) = (moved, package.model.specificationVersion)
        var program =
            plan.skeleton.replacingBlobs { reference in
                let new = moved[WeightPlan.Blob(reference)]
                return new == reference ? nil : new
            } ?? plan.skeleton
        var changes: [WeightPlan.Place: [MILOperation]] = [:]
        var names = ProgramNames(program)
        // In the program's order, so that names are the same ones each time.
        for (place, weight) in placed.sorted(by: { $0.key < $1.key }) {
            let old = original(place)
            changes[place] =
                weight.constant(replacing: old).map { [$0] }
                ?? weight.operations(
                    replacing: old, version: plan.version,
                    partNames: weight.partNames(of: old.outputs.last?.name ?? "weight").map { names.free($0) })
        }
        for (place, reference) in restored {
            var operation = original(place)
            if let reference { operation.attributes["val"]?.content = .blob(reference) }
            changes[place] = [operation]
        }
        program = WeightPlan.replacing(changes, in: program)
        var model = package.model
        if plan.version > old, let from = CoreMLSpecification.operationSet(version: old),
            let to = CoreMLSpecification.operationSet(version: plan.version)
        {
            program = ProgramUpgrade.renamed(program, from: from, to: to)
            model.specificationVersion = plan.version
        }
        let main = model.description.defaultFunctionName.isEmpty ? "main" : model.description.defaultFunctionName
        // Tensors of other functions may have the same names, and were not looked at.
        if !activations.isEmpty, let index = program.functions.firstIndex(where: { $0.key == main }),
            let quantization = ActivationQuantization(program.functions[index].value)
        {
            program.functions[index].value = quantization.applied(activations, &names)
        }
        model.kind = .program(program)
        return model
    }
}

extension EncodedWeight {
    /// For people: `palette4`, `palette4 × 16`, `int8 × 64`, `fp16`.
    var encodingName: String {
        let name =
            switch kind {
            case .palette where parameters.contains { $0.name == "vector_axis" }:
                "palette\(bits) of \(parameters[1].shape.last ?? 1)"
            case .palette: "palette\(bits)"
            case .cast: "fp16"
            case .sparse: "sparse \(sparseName)"
            case .blockwise where parts?.kind == .palette: "scaled palette\(bits)"
            default: "\(parameters.first?.type.name ?? "int8")"
            }
        return groups > 1 ? "\(name) × \(groups)" : name
    }

    private var sparseName: String {
        let elements = (parts?.parameters ?? parameters).first { $0.name == "nonzero_data" }
        return elements?.type.name ?? "palette\(bits)"
    }
}
