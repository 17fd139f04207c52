import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthSystem

extension FuzzTarget {
    /// A package: manifest, program and weights, in this order in one input. What opens is written again and opens as the
    /// same; what becomes a graph runs within the memory that it was judged by.
    static let mlpackage = FuzzTarget(name: "mlpackage", longestInput: 24 << 10) {
        { bytes in
            let parts = PackageParts(bytes)
            if let manifest = try? PackageManifest(MappedFile(copying: parts.manifest, path: "Manifest.json")) {
                CoreMLChecks.writeAgain(manifest)
            }
            let weights = MappedFile(copying: parts.weights, path: "weight.bin")
            let model = MappedFile(copying: parts.model, path: "model.mlmodel")
            guard let package = try? CoreMLPackage(model, weights: [WeightFiles.usualName: weights]) else { return }
            CoreMLChecks.check(package)
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        let places = try Fixture.files("coreml") { $0.hasSuffix(".mlpackage") }
        for place in places {
            guard let manifest = try? Fixture.bytes("\(place)/Manifest.json"),
                let model = try? Fixture.bytes("\(place)/Data/com.apple.CoreML/model.mlmodel")
            else { continue }
            let weights = (try? Fixture.bytes("\(place)/Data/com.apple.CoreML/weights/weight.bin")) ?? []
            seeds[Fixture.flatName(place)] = PackageParts(manifest, model, weights).joined
        }
        for (name, model) in try CoreMLChecks.cases("operations.json") {
            seeds["operation-\(name)"] = PackageParts([], model, []).joined
        }
        return seeds
    }

    /// A bare model, most of all networks of layers, whose weights are in the message.
    static let mlmodel = FuzzTarget(name: "mlmodel", longestInput: 16 << 10) {
        { bytes in
            guard let package = try? CoreMLPackage(MappedFile(copying: bytes, path: "fuzz.mlmodel")) else { return }
            CoreMLChecks.check(package)
            if case .neuralNetwork(let network) = package.model.kind {
                for layer in network.layers { for weight in layer.weights { _ = weight.weights.floats()?.count } }
            }
        }
    } seeds: {
        var seeds = try CoreMLChecks.cases("layers.json").reduce(into: [:]) { $0["layer-\($1.name)"] = $1.bytes }
        for file in try Fixture.files("coreml", { $0.hasSuffix(".mlmodel") && !$0.contains(".mlpackage/") }) {
            seeds[Fixture.flatName(file)] = try Fixture.bytes(file)
        }
        return seeds
    }
}

/// The files of a package in one input. What stands between them is found wherever it is, so that a byte more in one of them
/// moves no border.
struct PackageParts {
    static let border = Array("\n#part#\n".utf8)
    let manifest, model, weights: [UInt8]

    init(_ manifest: [UInt8], _ model: [UInt8], _ weights: [UInt8]) {
        (self.manifest, self.model, self.weights) = (manifest, model, weights)
    }

    init(_ bytes: [UInt8]) {
        var parts: [[UInt8]] = []
        var rest = bytes[...]
        while parts.count < 2, let found = rest.firstRange(of: Self.border) {
            parts.append(Array(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        parts.append(Array(rest))
        // Without borders it is a model alone.
        if parts.count == 1 { parts.insert([], at: 0) }
        if parts.count == 2 { parts.append([]) }
        self.init(parts[0], parts[1], parts[2])
    }

    var joined: [UInt8] { manifest + Self.border + model + Self.border + weights }
}

enum CoreMLChecks {
    /// A model of one operation or layer from the tests, each kind once.
    static func cases(_ list: String) throws -> [(name: String, bytes: [UInt8])] {
        struct Case: Decodable {
            var operation: String
            var model: Int
            var bytes: Int
        }
        let cases = try JSONDecoder().decode([Case].self, from: Data(Fixture.bytes("coreml/\(list)")))
        let contents = try Fixture.bytes("coreml/operations.bin")
        var names: Set<String> = []
        return cases.filter { names.insert($0.operation).inserted }.map { one in
            (one.operation, Array(contents[one.model..<one.model + one.bytes]))
        }
    }

    static func writeAgain(_ manifest: PackageManifest) {
        guard let bytes = try? manifest.encoded() else {
            require(false, "a manifest that was read cannot be written")
            return
        }
        require((try? PackageManifest(MappedFile(copying: bytes))) == manifest, "another manifest")
    }

    static func check(_ package: CoreMLPackage) {
        writeAgain(package.model)
        _ = try? package.weightSummaries()
        guard let model = try? CoreMLModel(package) else { return }
        let work = model.graph.steps.reduce(0) { sum, step in
            let cost = step.operation.work(
                step.inputs.map { $0.map { model.graph.tensors[$0].shape } },
                step.outputs.map { model.graph.tensors[$0].shape })
            return sum + min(cost, 1 << 30)
        }
        guard model.inputs.allSatisfy({ GraphShape.count($0.shape, limit: 1 << 14) != nil }), work <= 1 << 16 else {
            return
        }
        run(model)
    }

    /// What was read is what it says: made into bytes from its values, it is read as the same.
    private static func writeAgain(_ model: CoreMLSpecification) {
        var touched = model
        touched.specificationVersion = model.specificationVersion
        if case .program(let read) = model.kind {
            var program = read
            program.version = read.version
            touched.kind = .program(program)
        }
        do {
            let bytes = touched.encoded
            let again = try CoreMLSpecification(wire: WireInput(MappedFile(copying: bytes)))
            require(again.encoded == bytes, "a second writing changes something")
            require(again.kindName == model.kindName && again.description == model.description, "another description")
        } catch {
            require(false, "what was read cannot be read again: \(error)")
        }
    }

    private static func run(_ model: CoreMLModel) {
        var inputs: [String: CoreMLTensor] = [:]
        for input in model.inputs {
            let count = input.shape.reduce(1, *)
            inputs[input.name] = CoreMLTensor(
                shape: input.shape, values: (0..<count).map { Float(($0 * 37) % 17 - 8) / 4 })
        }
        do {
            let results = try model.predict(inputs)
            for output in model.outputs {
                guard output.kind != .label, let result = results[output.name] else { continue }
                require(result.values.count == result.shape.reduce(1, *), "the values of '\(output.name)'")
                // How many boxes are left is known afterwards.
                require(
                    result.shape == output.shape || model.interface.suppression != nil, "the shape of '\(output.name)'")
            }
        } catch {
            require(error is CoreMLError || error is FileError, "an error of another kind: \(error)")
        }
    }
}
