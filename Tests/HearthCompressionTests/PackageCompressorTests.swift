import Foundation
import HearthCompression
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Packages before and after: what was compressed is what the form says, and nothing else changed.
struct PackageCompressorTests {
    static let forms: [(String, CompressionForm)] = [
        ("float16", .float16), ("int8", .linear(LinearQuantization())),
        ("uint8", .linear(LinearQuantization(granularity: .tensor, isAsymmetric: true))),
        ("int8 blocks", .linear(LinearQuantization(granularity: .block(8)))),
        ("int4", .linear(LinearQuantization(bits: 4, granularity: .block(8), isAsymmetric: true))),
        ("palette8", .palette(Palettization(bits: 8))), ("palette6", .palette(Palettization(bits: 6))),
        ("palette4", .palette(Palettization(bits: 4))), ("palette3", .palette(Palettization(bits: 3))),
        ("palette1", .palette(Palettization(bits: 1))), ("groups", .palette(Palettization(bits: 4, groupSize: 8))),
    ]

    /// Every constant and compressed weight of a package in full.
    private func weights(_ path: String) throws -> [String: [Float]] {
        let package = try CoreMLPackage(path: path)
        var all: [String: [Float]] = [:]
        for operation in package.body?.operations ?? [] {
            guard let name = operation.outputs.last?.name else { continue }
            if let expression = try package.constantExpression(operation) {
                all[name] = try package.expanded(expression).values
            } else if let value = operation.attributes["val"], value.type.tensor?.dataType.isFloat == true {
                all[name] = try package.tensor(value).floats()
            }
        }
        return all
    }

    @Test(arguments: ["fp32", "fp16", "fp32_ios15", "pal4", "int8_sym", "sparse50", "ios18_pal3"])
    func everyFormKeepsEverythingElse(_ name: String) throws {
        let folder = try TemporaryFolder()
        let source = try CoreMLPackage(path: Fixture.digits(name))
        let before = try weights(source.path)
        for (index, (label, form)) in Self.forms.enumerated() {
            let path = folder["\(index).mlpackage"]
            let report = try PackageCompressor(form, threads: 2).compress(source.path, to: path)
            let small = try CoreMLPackage(path: path)
            let comment: Comment = "\(name), \(label)"
            #expect(small.model.description == source.model.description, comment)
            let old = source.model.specificationVersion
            let isNeeded = !report.tensors.isEmpty || old >= form.minimumVersion
            #expect(small.model.specificationVersion == max(old, form.minimumVersion) || !isNeeded, comment)
            let after = try weights(path)
            #expect(Set(after.keys) == Set(before.keys), comment)
            let changed = Set(report.tensors.map(\.name))
            for (weight, values) in before {
                let new = try #require(after[weight])
                guard changed.contains(weight) else {
                    #expect(new == values, "\(comment): \(weight)")
                    continue
                }
                let noise = zip(values, new).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
                let entry = try #require(report.tensors.first { $0.name == weight })
                #expect(entry.bits == form.bits)
                #expect(abs(noise - entry.squaredError) <= max(noise * 1e-2, 1e-12), "\(comment): \(weight)")
            }
            if !["pal4", "int8_sym", "sparse50", "ios18_pal3"].contains(name), form != .float16 {
                #expect(report.tensors.count > 10 && report.outputBytes < report.inputBytes, comment)
            }
        }
        #expect(try folder.names().count == Self.forms.count)
    }

    /// The optimum of another program for each weight of the digits' network; the bars of levels on half precision's grid.
    @Test func palettesReachTheOptimumOfRealWeights() throws {
        struct Entry: Decodable { let optimum: [String: Double], converter: [String: Double] }
        let url = TestFixtures.url("compression/kmeans.json")
        let optima = try JSONDecoder().decode([String: Entry].self, from: Data(contentsOf: url))
        #expect(optima.count > 10)
        let folder = try TemporaryFolder()
        for (bits, bar) in [(1, 1.0001), (2, 1.0001), (3, 1.0001), (4, 1.0001), (6, 1.002), (8, 1.08)] {
            let report = try PackageCompressor(.palette(Palettization(bits: bits))).compress(
                Fixture.digits("fp16"), to: folder["\(bits).mlpackage"])
            let found = Dictionary(uniqueKeysWithValues: report.tensors.map { ($0.name, $0.squaredError) })
            for (name, entry) in optima where !report.unchangedBySize.contains(name) {
                let (cost, best) = (try #require(found[name]), try #require(entry.optimum["\(bits)"]))
                #expect(cost <= best * bar + 1e-12, "\(name), \(bits) bits: \(cost / best)")
                if let other = entry.converter["\(bits)"] { #expect(cost <= other * (1 + 1e-9) + 1e-12, "\(name)") }
            }
        }
    }

    /// 256 levels of half precision take more than a weight of 432 numbers: it stays, and the report says so.
    @Test(arguments: ["fp16", "fp32"]) func whatWouldNotBeSmallerStays(_ name: String) throws {
        let folder = try TemporaryFolder()
        let source = Fixture.digits(name)
        let before = try weights(source)
        var vectors = Palettization(bits: 6, groupSize: 8)
        vectors.vectorSize = 4
        let forms = Self.forms + [("vectors", .palette(vectors))]
        var stayed: [String: Int] = [:]
        for (index, (label, form)) in forms.enumerated() {
            let path = folder["\(index).mlpackage"]
            let report = try PackageCompressor(form, threads: 2).compress(source, to: path)
            #expect(report.tensors.allSatisfy { $0.bytes < $0.bytesBefore }, "\(label)")
            let after = try CoreMLPackage(path: path)
            for weight in report.unchangedBySize {
                let operation = after.body?.operations.first { $0.outputs.last?.name == weight }
                #expect(operation?.type == "const" && before[weight]?.count ?? 0 > 200, "\(label): \(weight)")
            }
            let old = try weights(path)
            #expect(report.unchangedBySize.allSatisfy { old[$0] == before[$0] }, "\(label)")
            stayed[label] = report.unchangedBySize.count
        }
        #expect(stayed["palette8"] == (name == "fp16" ? 2 : 0) && stayed["vectors"] == 9 && stayed["palette4"] == 0)
    }

    @Test func theSameInputGivesTheSameBytes() throws {
        let folder = try TemporaryFolder()
        var contents: [Data] = []
        for threads in [1, 2, 3] {
            let path = folder["\(threads).mlpackage"]
            _ = try PackageCompressor(.palette(Palettization(bits: 3)), threads: threads).compress(
                Fixture.digits("fp32"), to: path)
            contents.append(
                try Data(contentsOf: URL(fileURLWithPath: path + "/Data/com.apple.CoreML/weights/weight.bin")))
        }
        #expect(contents[0] == contents[1] && contents[0] == contents[2])
    }

    @Test func namedAndSmallTensorsStay() throws {
        let folder = try TemporaryFolder()
        var compressor = PackageCompressor(.palette(Palettization(bits: 4)))
        let all = try compressor.compress(Fixture.digits("fp32"), to: folder["a.mlpackage"])
        compressor.kept = [all.tensors[0].name]
        let fewer = try compressor.compress(Fixture.digits("fp32"), to: folder["b.mlpackage"])
        #expect(fewer.tensors.map(\.name) == all.tensors.dropFirst().map(\.name))
        compressor.kept = []
        compressor.minimumElements = 1000
        let large = try compressor.compress(Fixture.digits("fp32"), to: folder["c.mlpackage"])
        #expect(large.tensors.allSatisfy { $0.shape.reduce(1, *) > 1000 } && large.tensors.count < all.tensors.count)
        compressor.kept = ["nothing_of_that_name"]
        #expect(throws: CompressionError.noSuchTensor(file: Fixture.digits("fp32"), tensor: "nothing_of_that_name")) {
            try compressor.compress(Fixture.digits("fp32"), to: folder["d.mlpackage"])
        }
    }

    @Test func theOutputIsNeverTheInputNorOverwrittenUnasked() throws {
        let folder = try TemporaryFolder()
        let (source, target) = (folder["in.mlpackage"], folder["out.mlpackage"])
        try FileManager.default.copyItem(atPath: Fixture.digits("fp16"), toPath: source)
        let compressor = PackageCompressor(.palette(Palettization(bits: 2)))
        let inside = ["in.mlpackage/out.mlpackage", "in.mlpackage/new/er/out", "./in.mlpackage//Data/out/"]
        for output in [source, source + "/", folder["./in.mlpackage"], folder.path] + inside.map({ folder[$0] }) {
            #expect(throws: CompressionError.ontoItself(path: output)) {
                try compressor.compress(source, to: output, replacing: true)
            }
        }
        _ = try compressor.compress(source, to: target)
        #expect(throws: CompressionError.exists(path: target)) { try compressor.compress(source, to: target) }
        _ = try compressor.compress(source, to: target, replacing: true)
        #expect(try Set(folder.names()) == ["in.mlpackage", "out.mlpackage"])
        // What begins with the same letters is another folder.
        _ = try compressor.compress(source, to: source + "2")
        #expect(try Set(folder.names()) == ["in.mlpackage", "in.mlpackage2", "out.mlpackage"])
    }

    @Test func onlyModelsAreReplaced() throws {
        let folder = try TemporaryFolder()
        let compressor = PackageCompressor(.palette(Palettization(bits: 2)))
        try FileManager.default.createDirectory(atPath: folder["pictures"], withIntermediateDirectories: false)
        try Data([1]).write(to: URL(fileURLWithPath: folder["pictures/a.png"]))
        #expect(mkfifo(folder["pipe"], 0o600) == 0)
        for name in ["pictures", "pipe"] {
            #expect(throws: CompressionError.self) {
                try compressor.compress(Fixture.digits("fp16"), to: folder[name], replacing: true)
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder["pictures/a.png"])) == Data([1]))
        #expect(try Set(folder.names()) == ["pictures", "pipe"])
        try FileManager.default.createDirectory(atPath: folder["empty"], withIntermediateDirectories: false)
        _ = try compressor.compress(Fixture.digits("fp16"), to: folder["empty"], replacing: true)
    }

    @Test func cancellingLeavesNothing() throws {
        let folder = try TemporaryFolder()
        #expect(throws: CancellationError.self) {
            try PackageCompressor(.palette(Palettization(bits: 4))).compress(
                Fixture.digits("fp32"), to: folder["x.mlpackage"], isCancelled: { true })
        }
        #expect(try folder.names().isEmpty)
    }

    /// A number of bits that Core ML does not have is never replaced by one that it has.
    @Test func unknownBitsAreRefused() throws {
        let folder = try TemporaryFolder()
        let palettes = [5, 7].map { CompressionForm.palette(Palettization(bits: $0)) }
        let forms = palettes + [0, 3, 6, 16].map { .linear(LinearQuantization(bits: $0)) }
        for form in forms {
            #expect {
                try PackageCompressor(form).compress(Fixture.digits("fp32"), to: folder["x.mlpackage"])
            } throws: { error in
                if case CompressionError.invalidSetting(name: "bits", _) = error { true } else { false }
            }
        }
        #expect(try folder.names().isEmpty)
    }

    /// NaN, an infinity and a number beyond half precision's range, written into a weight.
    @Test func numbersThatHaveNoCodeAreNamed() throws {
        let folder = try TemporaryFolder()
        for (label, value) in [("nan", Float.nan), ("infinite", -Float.infinity), ("large", 70000)] {
            let path = folder["\(label).mlpackage"]
            try FileManager.default.copyItem(atPath: Fixture.digits("fp32"), toPath: path)
            let package = try CoreMLPackage(path: path)
            let weights = try package.weightSummaries().filter { $0.count > 1000 }
            let name = try #require(weights.first?.name)
            let operation = try #require(package.body?.operations.first { $0.outputs.last?.name == name })
            guard case .blob(let place)? = operation.attributes["val"]?.content else {
                throw CocoaError(.fileNoSuchFile)
            }
            let file = path + "/Data/com.apple.CoreML/weights/weight.bin"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            let start = Int(place.offset) + 64 + 5 * 4
            withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.replaceSubrange(start..<start + 4, with: $0) }
            try FileManager.default.removeItem(atPath: file)
            try bytes.write(to: URL(fileURLWithPath: file))
            if label == "large" {
                let report = try PackageCompressor(.float16).compress(path, to: folder["y.mlpackage"])
                #expect(report.skipped.contains { $0.name == name } && report.tensors.count > 5)
                #expect(try self.weights(folder["y.mlpackage"])[name]?[5] == value)
                continue
            }
            for form in [CompressionForm.float16, .palette(Palettization(bits: 4)), .linear(LinearQuantization())] {
                #expect(throws: CompressionError.notFinite(file: path, tensor: name, index: 5)) {
                    try PackageCompressor(form).compress(path, to: folder["x.mlpackage"])
                }
            }
        }
    }

    /// Damaged packages give an error or a valid package, never a crash and never a rest.
    @Test func mutatedPackagesAreRefusedOrCopied() throws {
        let folder = try TemporaryFolder()
        let source = Fixture.ops("mobilenet2_int8_fp16_ios18")
        let (copy, output) = (folder["in.mlpackage"], folder["out.mlpackage"])
        try FileManager.default.copyItem(atPath: source, toPath: copy)
        let model = URL(fileURLWithPath: copy + "/Data/com.apple.CoreML/model.mlmodel")
        let weights = URL(fileURLWithPath: copy + "/Data/com.apple.CoreML/weights/weight.bin")
        let (modelBytes, weightBytes) = (try Data(contentsOf: model), try Data(contentsOf: weights))
        var random = SeededNumbers(11)
        var (refused, written) = (0, 0)
        for round in 0..<60 {
            let isModel = round % 2 == 0
            var bytes = isModel ? modelBytes : weightBytes
            if round % 5 == 0 {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            } else {
                for _ in 0..<3 {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            // Files are replaced, not written over: the earlier ones may be mapped.
            try bytes.write(to: isModel ? model : weights, options: .atomic)
            do {
                _ = try PackageCompressor(.palette(Palettization(bits: 2))).compress(copy, to: output, replacing: true)
                _ = try CoreMLPackage(path: output)
                written += 1
            } catch is FileError {
                refused += 1
            } catch is CompressionError {
                refused += 1
            }
            try (isModel ? modelBytes : weightBytes).write(to: isModel ? model : weights, options: .atomic)
        }
        #expect(refused > 5 && written > 5)
        #expect(try Set(folder.names()).isSubset(of: ["in.mlpackage", "out.mlpackage"]))
    }
}
