internal import HearthCoreMLFormat

/// A model of a package that is no pipeline: the package's own, or one of those that a pipeline holds.
struct ModelPart {
    /// The position in the pipeline, and in pipelines inside it; empty where the package is no pipeline.
    let place: [Int]
    /// What the names of its weights begin with in reports: the name of the model in its pipeline.
    let prefix: String
    let package: CoreMLPackage

    /// All models, in the order in which they run.
    static func all(of package: CoreMLPackage, place: [Int] = [], prefix: String = "") -> [ModelPart] {
        guard case .pipeline(let pipeline) = package.model.kind else {
            return [ModelPart(place: place, prefix: prefix, package: package)]
        }
        return zip(package.stages, pipeline.distinctNames).enumerated().flatMap { index, stage in
            all(of: stage.0, place: place + [index], prefix: "\(prefix)\(stage.1).")
        }
    }

    /// The kinds of some models, for people.
    static func kinds(_ parts: [ModelPart]) -> String {
        let names = parts.map(\.package.model.kindName)
        guard parts.contains(where: { !$0.place.isEmpty }) else { return "a model of the kind \(names.joined())" }
        let distinct = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return "a pipeline of models of the kind\(distinct.count > 1 ? "s" : "") \(distinct.joined(separator: ", "))"
    }

    /// The file that its weights go to: models of a pipeline keep files of their own, as converters write them.
    var weightFile: String {
        if place.isEmpty { return WeightFiles.usualName }
        return package.weightFileName ?? WeightFiles.name("\(place.map(String.init).joined(separator: "-"))-weight.bin")
    }
}
