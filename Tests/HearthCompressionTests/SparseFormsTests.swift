import Foundation
import HearthCompression
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Weights without their zeros: chosen where that pays, exact where it is, valid always.
struct SparseFormsTests {
    /// A copy of a package of the digits' network whose weights `change` has set.
    private func package(
        _ name: String, in folder: TemporaryFolder, _ change: (_ name: String, inout [Float]) -> Void
    ) throws -> String {
        let path = folder["\(name)-\(try folder.names().count).mlpackage"]
        try FileManager.default.copyItem(atPath: Fixture.digits(name), toPath: path)
        let package = try CoreMLPackage(path: path)
        let file = path + "/Data/com.apple.CoreML/weights/weight.bin"
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        for operation in package.body?.operations ?? [] where operation.type == "const" {
            guard let value = operation.attributes["val"], case .blob(let place) = value.content,
                let type = value.type.tensor, type.dataType.isFloat, let count = type.elementCount, count > 2500,
                let name = operation.outputs.last?.name, var values = try package.tensor(value).floats()
            else { continue }
            let before = values
            change(name, &values)
            let start = Int(place.offset) + 64
            for (index, (value, old)) in zip(values, before).enumerated() where value.bitPattern != old.bitPattern {
                if type.dataType == .float16 {
                    let bits = value == 0 ? UInt16(value.bitPattern >> 16) : value.isFinite ? Half.bits(value) : 0x7e00
                    (bytes[start + 2 * index], bytes[start + 2 * index + 1]) = (UInt8(bits & 0xff), UInt8(bits >> 8))
                } else {
                    for byte in 0..<4 {
                        bytes[start + 4 * index + byte] = UInt8(
                            truncatingIfNeeded: value.bitPattern >> UInt32(8 * byte))
                    }
                }
            }
        }
        // The old file may be mapped.
        try Data(bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
        return path
    }

    /// The share of elements of least magnitude becomes zero.
    private func prune(_ values: inout [Float], _ share: Double) {
        let order = values.indices.sorted { (abs(values[$0]), $0) < (abs(values[$1]), $1) }
        for index in order.prefix(Int(Double(values.count) * share)) { values[index] = 0 }
    }

    /// Every weight in full, joint compression resolved.
    private func weights(_ path: String) throws -> [String: [Float]] {
        let package = try CoreMLPackage(path: path)
        var all: [String: DenseWeight] = [:]
        for operation in package.body?.operations ?? [] {
            guard let name = operation.outputs.last?.name else { continue }
            if let expression = try package.constantExpression(operation) {
                all[name] = try package.expanded(expression) { all[$0] }
                if let mask = try expression.expandedMask(file: path), let first = operation.outputs.first?.name {
                    all[first] = mask
                }
            } else if let value = operation.attributes["val"], value.type.tensor?.dataType.isFloat == true {
                let tensor = try package.tensor(value)
                all[name] = DenseWeight(shape: tensor.shape, values: tensor.floats() ?? [])
            }
        }
        return all.mapValues(\.values)
    }

    private func noise(_ left: [Float], _ right: [Float]) -> Double {
        zip(left, right).reduce(0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
    }

    static let forms: [(String, CompressionForm)] = [
        ("float16", .float16), ("int8", .linear(LinearQuantization())),
        ("uint8", .linear(LinearQuantization(granularity: .tensor, isAsymmetric: true))),
        ("int4", .linear(LinearQuantization(bits: 4, granularity: .block(8), isAsymmetric: true))),
        ("palette8", .palette(Palettization(bits: 8))), ("palette4", .palette(Palettization(bits: 4))),
        ("palette3", .palette(Palettization(bits: 3))), ("palette1", .palette(Palettization(bits: 1))),
        ("groups", .palette(Palettization(bits: 4, groupSize: 8))),
    ]

    /// Against the dense form of the same weight: never larger, never worse, zeros stay zeros, and what is reported is so.
    @Test(arguments: [("fp16", 0.5), ("fp16", 0.9), ("fp32", 0.75)])
    func sparseFormsAreSmallerAndNoWorse(_ name: String, _ share: Double) throws {
        let folder = try TemporaryFolder()
        let source = try package(name, in: folder) { self.prune(&$1, share) }
        let before = try weights(source)
        let few = share < 0.9 ? ["float16", "int8", "palette3", "palette4", "groups"] : ["uint8", "int4", "palette1"]
        for (index, (label, form)) in Self.forms.filter({ few.contains($0.0) }).enumerated() {
            for version in [SparseForms.sameVersion, .newest] {
                var compressor = PackageCompressor(form, threads: 2)
                compressor.minimumElements = 2500
                compressor.sparseForms = version
                let comment: Comment = "\(name), \(label), \(version)"
                let (sparsePath, densePath) = (folder["s\(index)\(version)"], folder["d\(index)\(version)"])
                let sparse = try compressor.compress(source, to: sparsePath)
                compressor.sparseForms = .never
                let dense = try compressor.compress(source, to: densePath)
                #expect(dense.tensors.allSatisfy { $0.sparsity == nil }, comment)
                #expect(sparse.outputBytes <= dense.outputBytes || version == .newest, comment)
                let after = try weights(sparsePath)
                for tensor in sparse.tensors {
                    let (old, new) = (try #require(before[tensor.name]), try #require(after[tensor.name]))
                    #expect(abs(noise(old, new) - tensor.squaredError) <= max(tensor.squaredError * 1e-2, 1e-12))
                    let plain = dense.tensors.first { $0.name == tensor.name }
                    #expect(tensor.squaredError <= (plain?.squaredError ?? 0) * (1 + 1e-9), comment)
                    guard let sparsity = tensor.sparsity else {
                        // Integers have other parameters from version 9 on.
                        let isSame = tensor.bytes == plain?.bytes && tensor.encoding == plain?.encoding
                        #expect(isSame || version == .newest, comment)
                        continue
                    }
                    #expect(sparsity.savedBytes >= 0, comment)
                    #expect(zip(old, new).allSatisfy { $0.0 != 0 || $0.1 == 0 }, "\(comment): \(tensor.name)")
                    #expect(abs(sparsity.share - share) < 0.1 || sparsity.share > share, comment)
                    if case .palette(let palette) = form, palette.groupSize == nil, tensor.bits < 16 {
                        #expect(Set(new).count <= 1 << palette.bits + 1, comment)
                    }
                }
            }
        }
    }

    /// Integers without those of 0 stand for the same numbers, bit for bit; numbers that are stored as they are, too.
    @Test func integersAndNumbersAreTheSameBits() throws {
        let folder = try TemporaryFolder()
        let source = try package("fp16", in: folder) { self.prune(&$1, 0.7) }
        for (index, (label, form)) in Self.forms.prefix(4).enumerated() {
            var compressor = PackageCompressor(form)
            compressor.sparseForms = .newest
            compressor.minimumElements = 2500
            let report = try compressor.compress(source, to: folder["s\(index)"])
            #expect(report.tensors.contains { $0.sparsity != nil }, "\(label)")
            compressor.sparseForms = .never
            let dense = try compressor.compress(source, to: folder["d\(index)"])
            let (one, other) = (try weights(folder["s\(index)"]), try weights(folder["d\(index)"]))
            // Small weights take fewer bytes as they are than as integers with their scales.
            let isExact = Set(report.tensors.filter { $0.snrDB == SignalRatio.lossless }.map(\.name))
            let same = dense.tensors.map(\.name) + dense.skipped.map(\.name)
            for name in same where form == .float16 || !isExact.contains(name) {
                #expect(one[name]?.map(\.bitPattern) == other[name]?.map(\.bitPattern), "\(label): \(name)")
            }
        }
    }

    /// On both sides of where it pays: a mask is an eighth of a byte an element, an index half a one, a half two.
    @Test(arguments: [(0.0, false), (0.15, false), (0.5, true)])
    func theChoiceTurnsWhereTheBytesDo(_ share: Double, _ isSparse: Bool) throws {
        let folder = try TemporaryFolder()
        // Far from 0, so that no other element goes with the zeros.
        let source = try package("fp16", in: folder) { _, values in
            values = values.indices.map { Float($0 % 16 + 8) / 16 * ($0 % 3 == 0 ? -1 : 1) }
            for index in 0..<Int(Double(values.count) * share) { values[index] = 0 }
        }
        var compressor = PackageCompressor(.palette(Palettization(bits: 4)))
        compressor.sparseForms = .newest
        compressor.minimumElements = 2500
        let report = try compressor.compress(source, to: folder["p"])
        let large = report.tensors.filter { $0.shape.reduce(1, *) > 8000 }
        #expect(!large.isEmpty && large.allSatisfy { ($0.sparsity != nil) == isSparse }, "\(large)")
        // Numbers as they are pay from one zero in sixteen on.
        compressor = PackageCompressor(.float16)
        let halves = try compressor.compress(source, to: folder["h"])
        #expect(halves.tensors.contains { $0.shape.reduce(1, *) > 8000 } == (share > 0.1))
        #expect(halves.tensors.allSatisfy { $0.snrDB == SignalRatio.lossless && $0.encoding == "sparse fp16" })
    }

    /// The exact turning point, by the bytes that a package really has.
    @Test func storedBytesAreThoseOfThePackage() throws {
        let folder = try TemporaryFolder()
        let source = try package("fp16", in: folder) { self.prune(&$1, 0.6) }
        let model = try CoreMLPackage(path: source)
        let names = try model.weightSummaries().filter { $0.count > 7000 }.map(\.name)
        let name = try #require(names.first)
        func bytes(_ forms: SparseForms, _ label: String) throws -> (file: Int, report: CompressionReport) {
            var compressor = PackageCompressor(.palette(Palettization(bits: 3)))
            compressor.sparseForms = forms
            compressor.kept = Set(try model.weightSummaries().map(\.name)).subtracting([name])
            let report = try compressor.compress(source, to: folder[label])
            return (report.outputBytes, report)
        }
        let (dense, sparse) = (try bytes(.never, "d"), try bytes(.newest, "s"))
        let entry = try #require(sparse.report.tensors.first { $0.sparsity != nil })
        let elements = try #require(model.weightSummaries().first { $0.name == name }).count
        let used = elements - Int((entry.sparsity?.share ?? 0) * Double(elements) + 0.5)
        func record(_ bytes: Int) -> Int { 64 + (bytes + 63) / 64 * 64 }
        let weights = record((3 * elements + 7) / 8) - record((elements + 7) / 8) - record((3 * used + 7) / 8)
        // The second operation and its names; lengths of messages around it change by a few bytes.
        let program = dense.file - sparse.file - weights
        #expect(program < 0 && program > -800, "\(program)")
    }

    @Test func zerosOnlyAreOneElement() throws {
        let folder = try TemporaryFolder()
        let source = try package("fp16", in: folder) { _, values in values = values.map { _ in -0.0 } }
        for (index, (label, form)) in Self.forms.enumerated() {
            var compressor = PackageCompressor(form)
            compressor.sparseForms = .newest
            compressor.minimumElements = 2500
            let report = try compressor.compress(source, to: folder["\(index)"])
            #expect(!report.tensors.isEmpty && report.tensors.allSatisfy { $0.squaredError == 0 }, "\(label)")
            let after = try weights(folder["\(index)"])
            for tensor in report.tensors { #expect(after[tensor.name]?.allSatisfy { $0 == 0 } == true, "\(label)") }
        }
    }

    /// Numbers drawn in many ways: the error is that of each element's nearest of the levels and 0, and below the dense one.
    @Test(arguments: 0..<30) func drawnWeights(_ seed: UInt64) throws {
        var random = SeededNumbers(seed)
        let count = Int.random(in: 1...700, using: &random)
        let share = Double.random(in: 0...1, using: &random)
        let values = (0..<count).map { _ -> Float in
            Double.random(in: 0..<1, using: &random) < share
                ? (Bool.random(using: &random) ? 0 : -0.0) : Half.rounded(Float(random.normal()))
        }
        let isHalf = Bool.random(using: &random)
        let elements = isHalf ? WeightElements.halves(values) : WeightElements(values)
        let palette = Palettization(bits: Int.random(in: 1...8, using: &random))
        let dense = try palette.encode(elements, shape: [count])
        let sparse = try palette.encodeWithoutZeros(
            elements, shape: [count], axis: 0, dense: dense, isCancelled: { false })
        let mask = try #require(sparse.mask)
        var expanded = [Float](repeating: 0, count: count)
        mask.forEach { expanded[$0] = sparse.palettes[0][Int(sparse.codes[$0])] }
        #expect(mask.count == count && mask.used == mask.packed.reduce(0) { $0 + $1.nonzeroBitCount } && mask.used > 0)
        #expect(zip(values, expanded).allSatisfy { $0.0 != 0 || $0.1 == 0 })
        #expect(abs(noise(values, expanded) - sparse.quality.noise) <= 1e-9 * max(1, sparse.quality.noise))
        if palette.bits < 8 { #expect(sparse.quality.noise <= dense.quality.noise * (1 + 1e-9) + 1e-12) }
        let nearest = squaredError(values, sparse.palettes[0] + [0])
        #expect(abs(nearest - sparse.quality.noise) <= 1e-6 * max(nearest, 1e-6))
    }

    /// A weight that has NaN among its zeros is refused, or stays as it is where it has the form already.
    @Test func notANumberIsNoZero() throws {
        let folder = try TemporaryFolder()
        let source = try package("fp16", in: folder) { _, values in
            self.prune(&values, 0.9)
            values[7] = .nan
        }
        var compressor = PackageCompressor(.palette(Palettization(bits: 4)))
        compressor.sparseForms = .newest
        compressor.minimumElements = 2500
        #expect(throws: CompressionError.self) { try compressor.compress(source, to: folder["p"]) }
        let report = try PackageCompressor(.float16).compress(source, to: folder["h"])
        #expect(report.tensors.isEmpty)
    }

    @Test func theSameInputGivesTheSameBytes() throws {
        let folder = try TemporaryFolder()
        let source = try package("fp32", in: folder) { self.prune(&$1, 0.8) }
        var contents: [Data] = []
        for threads in [1, 3] {
            var compressor = PackageCompressor(.palette(Palettization(bits: 4)), threads: threads)
            compressor.sparseForms = .newest
            compressor.minimumElements = 2500
            _ = try compressor.compress(source, to: folder["\(threads)"])
            contents.append(
                try Data(contentsOf: URL(fileURLWithPath: folder["\(threads)/Data/com.apple.CoreML/model.mlmodel"])))
        }
        #expect(contents[0] == contents[1])
    }

    /// A copy of a copy: what has no zeros already is left alone by name.
    @Test func sparseWeightsAreSkipped() throws {
        let folder = try TemporaryFolder()
        let source = try package("fp16", in: folder) { self.prune(&$1, 0.8) }
        var compressor = PackageCompressor(.palette(Palettization(bits: 4)))
        compressor.sparseForms = .newest
        compressor.minimumElements = 2500
        let first = try compressor.compress(source, to: folder["a"])
        let second = try compressor.compress(folder["a"], to: folder["b"])
        #expect(second.tensors.isEmpty && Set(second.skipped.map(\.name)).isSuperset(of: first.tensors.map(\.name)))
        #expect(try weights(folder["a"]) == weights(folder["b"]))
    }

    /// Damaged packages of sparse palettes are refused or read, never more.
    @Test func mutatedSparsePackagesAreRefusedOrRead() throws {
        let folder = try TemporaryFolder()
        let source = try package("fp16", in: folder) { self.prune(&$1, 0.8) }
        var compressor = PackageCompressor(.palette(Palettization(bits: 4)))
        compressor.sparseForms = .newest
        compressor.minimumElements = 2500
        compressor.minimumElements = 2000
        _ = try compressor.compress(source, to: folder["in"])
        let model = URL(fileURLWithPath: folder["in/Data/com.apple.CoreML/model.mlmodel"])
        let file = URL(fileURLWithPath: folder["in/Data/com.apple.CoreML/weights/weight.bin"])
        let (modelBytes, weightBytes) = (try Data(contentsOf: model), try Data(contentsOf: file))
        // The operations of sparse weights are where it hurts.
        let names = ["constexpr_lut_to_sparse", "indices_mask", "_nonzero", "_mask"].map { Data($0.utf8) }
        let places = names.flatMap { name -> [Int] in
            var found: [Int] = []
            var from = modelBytes.startIndex
            while let range = modelBytes.range(of: name, in: from..<modelBytes.endIndex) {
                found.append(range.lowerBound)
                from = range.upperBound
            }
            return found
        }
        #expect(places.count > 8)
        var random = SeededNumbers(5)
        var (refused, read) = (0, 0)
        for round in 0..<80 {
            var (first, second) = (modelBytes, weightBytes)
            if round % 2 == 0 {
                let near = try #require(places.randomElement(using: &random))
                let place = min(max(near + Int.random(in: -20...60, using: &random), 0), first.count - 1)
                first[place] = UInt8.random(in: 0...255, using: &random)
            } else {
                for _ in 0..<4 {
                    second[Int.random(in: 0..<second.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            try first.write(to: model, options: .atomic)
            try second.write(to: file, options: .atomic)
            do {
                _ = try weights(folder["in"])
                _ = try CoreMLPackage(path: folder["in"]).weightSummaries()
                read += 1
            } catch is FileError {
                refused += 1
            }
        }
        #expect(refused > 5 && read > 5, "\(refused) \(read)")
    }
}
