import Foundation
import HearthCompression
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Networks of layers before and after: weights have the form, and everything else is what it was.
struct NetworkCompressionTests {
    private static let forms: [(String, CompressionForm)] = [
        ("float16", .float16), ("int8", .linear(LinearQuantization())),
        ("uint8", .linear(LinearQuantization(granularity: .tensor, isAsymmetric: true))),
        ("int4", .linear(LinearQuantization(bits: 4, granularity: .block(32)))),
        ("uint4", .linear(LinearQuantization(bits: 4, isAsymmetric: true))),
        ("palette8", .palette(Palettization(bits: 8))), ("palette6", .palette(Palettization(bits: 6))),
        ("palette3", .palette(Palettization(bits: 3))), ("palette1", .palette(Palettization(bits: 1))),
    ]

    private static func fixture(_ name: String) -> String { TestFixtures.url("coreml/\(name)").path }

    private func network(_ model: CoreMLSpecification) throws -> NeuralNetwork {
        guard case .neuralNetwork(let network) = model.kind else { throw CocoaError(.fileReadCorruptFile) }
        return network
    }

    /// All weights in full, by layer and parameter.
    private func weights(_ network: NeuralNetwork) throws -> [String: [Float]] {
        var all: [String: [Float]] = [:]
        for layer in network.layers {
            let matrices = Dictionary(
                layer.matrices.map { ($0.name, $0.weights) }, uniquingKeysWith: { first, _ in first })
            for (parameter, weights) in layer.weights {
                let name = "\(layer.name).\(parameter)"
                #expect(all[name] == nil, "\(name) twice")
                let values: [Float] = try #require((matrices[parameter] ?? weights).floats(), "\(name)")
                all[name] = values
            }
        }
        return all
    }

    /// Compares a network with a smaller copy; returns the report's tensors.
    private func check(
        _ before: NeuralNetwork, _ after: NeuralNetwork, _ report: CompressionReport, _ comment: Comment
    ) throws {
        let (old, new) = (try weights(before), try weights(after))
        #expect(Set(old.keys) == Set(new.keys), comment)
        #expect(before.layers.map(\.kindName) == after.layers.map(\.kindName), comment)
        let changed = Dictionary(uniqueKeysWithValues: report.tensors.map { ($0.name, $0) })
        for (name, values) in old {
            let now = try #require(new[name])
            guard let tensor = changed[name] else {
                #expect(now == values, "\(comment): \(name)")
                continue
            }
            #expect(now.count == values.count && tensor.shape.reduce(1, *) == values.count, "\(comment): \(name)")
            let noise = zip(values, now).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
            #expect(abs(noise - tensor.squaredError) <= max(noise * 1e-2, 1e-9), "\(comment): \(name)")
        }
    }

    /// Core ML loads no layer that has numbers of single and of half precision.
    private func checkPrecisions(_ network: NeuralNetwork, _ comment: Comment) {
        for layer in network.layers {
            let encodings = layer.weights.filter { $0.weights.byteCount > 0 }.map(\.weights.encoding)
            #expect(!encodings.contains(.float16) || !encodings.contains(.float32), "\(comment): \(layer.name)")
        }
    }

    /// A weight that stays keeps the others of its layer as they are, which could not be loaded otherwise.
    @Test func aLayerIsHalvedAsAWhole() throws {
        let folder = try TemporaryFolder()
        let source = try CoreMLPackage(path: Self.fixture("digits/neuralnetwork_fp32.mlmodel"))
        let before = try network(source.model)
        let layer = try #require(
            before.layers.last { $0.weights.contains { $0.name == "bias" } && !$0.matrices.isEmpty })
        for parameter in ["weights", "bias"] {
            var compressor = PackageCompressor(.float16)
            compressor.kept = ["\(layer.name).\(parameter)"]
            let path = folder["\(parameter).mlmodel"]
            let report = try compressor.compress(source.path, to: path)
            let after = try network(try CoreMLPackage(path: path).model)
            checkPrecisions(after, "\(parameter)")
            try check(before, after, report, "\(parameter)")
            #expect(!report.tensors.isEmpty && !report.tensors.contains { $0.name.hasPrefix("\(layer.name).") })
            #expect(report.skipped.contains { $0.name == "\(layer.name).weights" })
        }
    }

    @Test(arguments: ["digits/neuralnetwork_fp32.mlmodel", "networks/convnext_nn_ios14.mlmodel"])
    func everyFormKeepsEverythingElse(_ name: String) throws {
        let folder = try TemporaryFolder()
        let source = try CoreMLPackage(path: Self.fixture(name))
        for (index, (label, form)) in Self.forms.enumerated() {
            let path = folder["\(index).mlmodel"]
            let report = try PackageCompressor(form, threads: 2).compress(source.path, to: path)
            let small = try CoreMLPackage(path: path)
            let comment: Comment = "\(name), \(label)"
            #expect(small.manifest == nil && small.model.description == source.model.description, comment)
            #expect(small.model.specificationVersion == source.model.specificationVersion, comment)
            #expect(report.tensors.count >= 4 && report.tensors.allSatisfy { $0.bits == form.bits }, comment)
            // Biases have the precision of their weights.
            #expect(report.tensors.allSatisfy { $0.shape.reduce(1, *) > 200 } || form == .float16, comment)
            if form.bits < 8 { #expect(report.outputBytes * 2 < report.inputBytes, comment) }
            try check(try network(source.model), try network(small.model), report, comment)
            checkPrecisions(try network(small.model), comment)
        }
        #expect(try folder.names().count == Self.forms.count)
    }

    /// Recurrent layers, embeddings, convolutions and their transposes by themselves, in groups and without.
    @Test func layersByThemselves() throws {
        struct Case: Decodable { let operation: String, model: Int, bytes: Int }
        let folder = try TemporaryFolder()
        let url = TestFixtures.url("coreml/layers.json")
        let contents = try Data(contentsOf: TestFixtures.url("coreml/operations.bin"))
        let wanted: Set = [
            "convolution", "innerProduct", "batchedMatmul", "embedding", "embeddingND", "simpleRecurrent", "gru",
            "uniDirectionalLSTM", "biDirectionalLSTM",
        ]
        var seen: Set<String> = []
        for layer in try JSONDecoder().decode([Case].self, from: Data(contentsOf: url))
        where wanted.contains(layer.operation) {
            let path = folder["\(layer.model).mlmodel"]
            let start = contents.startIndex + layer.model
            try contents[start..<start + layer.bytes].write(to: URL(fileURLWithPath: path))
            let source = try network(try CoreMLPackage(path: path).model)
            for (index, form) in [CompressionForm.linear(LinearQuantization()), .float16].enumerated() {
                var compressor = PackageCompressor(form)
                compressor.minimumElements = 3
                let small = folder["\(layer.model)-\(index).mlmodel"]
                let report = try compressor.compress(path, to: small)
                let comment: Comment = "\(layer.operation) at \(layer.model)"
                // Some layers have no weights of their own, or codes already.
                guard !report.tensors.isEmpty else { continue }
                seen.insert(layer.operation)
                try check(source, try network(try CoreMLPackage(path: small).model), report, comment)
                checkPrecisions(try network(try CoreMLPackage(path: small).model), comment)
                // Scales for the channels of one group are not the scales for all channels that Core ML wants.
                if case .convolution(let layer)? = source.layers.first?.kind, layer.isDeconvolution, layer.groups > 1 {
                    seen.insert("deconvolution in groups")
                    #expect(report.tensors.allSatisfy { !$0.encoding.contains("×") }, comment)
                }
                guard form != .float16 else { continue }
                let weights = report.tensors.count + report.unchangedBySize.count
                if layer.operation == "biDirectionalLSTM" { #expect(weights == 16, comment) }
                if layer.operation == "gru" { #expect(weights == 6, comment) }
                #expect(report.tensors.allSatisfy { $0.bytes < $0.bytesBefore }, comment)
            }
        }
        #expect(seen == wanted.union(["deconvolution in groups"]))
    }

    /// A copy of a copy: codes stay codes.
    @Test func compressedWeightsAreSkipped() throws {
        let folder = try TemporaryFolder()
        let compressor = PackageCompressor(.palette(Palettization(bits: 4)))
        let first = try compressor.compress(
            Self.fixture("digits/neuralnetwork_fp32.mlmodel"), to: folder["a.mlmodel"])
        let second = try compressor.compress(folder["a.mlmodel"], to: folder["b.mlmodel"])
        #expect(second.tensors.isEmpty)
        #expect(Set(second.skipped.map(\.name)).isSuperset(of: first.tensors.map(\.name)))
        #expect(second.skipped.contains { $0.reason == "it is compressed already (palette4)" })
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder["a.mlmodel"]))
                == Data(contentsOf: URL(fileURLWithPath: folder["b.mlmodel"])))
    }

    /// The name of the copy says whether it is a package.
    @Test func aNetworkMayBecomeAPackage() throws {
        let folder = try TemporaryFolder()
        let compressor = PackageCompressor(.float16)
        let source = Self.fixture("digits/neuralnetwork_fp32.mlmodel")
        _ = try compressor.compress(source, to: folder["a.mlpackage"])
        let package = try CoreMLPackage(path: folder["a.mlpackage"])
        #expect(package.manifest != nil)
        _ = try compressor.compress(source, to: folder["a.mlmodel"])
        let file = try CoreMLPackage(path: folder["a.mlmodel"])
        #expect(file.manifest == nil && file.model.encoded == package.model.encoded)
    }

    @Test func whatNetworksCannotHaveIsRefused() throws {
        let folder = try TemporaryFolder()
        let source = Self.fixture("digits/neuralnetwork_fp32.mlmodel")
        func name(_ compressor: PackageCompressor) -> String? {
            do {
                _ = try compressor.compress(source, to: folder["x.mlmodel"])
                return nil
            } catch CompressionError.invalidSetting(let name, _) {
                return name
            } catch {
                return "\(error)"
            }
        }
        #expect(name(PackageCompressor(.palette(Palettization(bits: 4, groupSize: 8)))) == "--group-size")
        var palette = Palettization(bits: 4)
        palette.hasChannelScales = true
        #expect(name(PackageCompressor(.palette(palette))) == "--channel-scales")
        palette.hasChannelScales = false
        palette.vectorSize = 2
        #expect(name(PackageCompressor(.palette(palette))) == "--vector")
        var blocks = PackageCompressor(.linear(LinearQuantization(granularity: .block(8))))
        blocks.requiresBlocks = true
        #expect(name(blocks) == "--block-size")
        #expect(try folder.names().isEmpty)
    }

    /// A pipeline of a vectorizer of features and a network, in one file.
    @Test func aNetworkInAPipeline() throws {
        let folder = try TemporaryFolder()
        let source = try CoreMLPackage(path: Self.fixture("tables/network.mlmodel"))
        var compressor = PackageCompressor(.palette(Palettization(bits: 2)))
        compressor.minimumElements = 4
        let report = try compressor.compress(source.path, to: folder["x.mlmodel"])
        let small = try CoreMLPackage(path: folder["x.mlmodel"])
        guard case .pipeline(let before) = source.model.kind, case .pipeline(let after) = small.model.kind else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let index = try #require(before.models.firstIndex { (try? network($0)) != nil })
        #expect(report.tensors.map(\.name) == ["\(before.distinctNames[index]).product.weights"])
        for (place, model) in before.models.enumerated() {
            #expect((after.models[place].encoded == model.encoded) == (place != index))
        }
        #expect(after.distinctNames == before.distinctNames && small.model.description == source.model.description)
        #expect(try weights(network(before.models[index])).keys == weights(network(after.models[index])).keys)
    }

    /// Damaged files give an error or a valid file, never a crash and never a rest.
    @Test func mutatedNetworksAreRefusedOrCopied() throws {
        let folder = try TemporaryFolder()
        let original = try Data(contentsOf: URL(fileURLWithPath: Self.fixture("tables/network.mlmodel")))
        var random = SeededNumbers(17)
        var (refused, written) = (0, 0)
        for round in 0..<200 {
            var bytes = original
            for _ in 0...round % 3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try bytes.write(to: URL(fileURLWithPath: folder["in.mlmodel"]), options: .atomic)
            var compressor = PackageCompressor(.palette(Palettization(bits: 2)))
            compressor.minimumElements = 4
            do {
                _ = try compressor.compress(folder["in.mlmodel"], to: folder["out.mlmodel"], replacing: true)
                _ = try CoreMLPackage(path: folder["out.mlmodel"])
                written += 1
            } catch is FileError {
                refused += 1
            } catch is CompressionError {
                refused += 1
            }
        }
        #expect(refused > 5 && written > 5)
        #expect(try Set(folder.names()).isSubset(of: ["in.mlmodel", "out.mlmodel"]))
    }
}
