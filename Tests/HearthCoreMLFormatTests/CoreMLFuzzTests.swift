import Foundation
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Spoiled packages: each opens or gives an error that names a field; none crashes, hangs or eats memory.
///
/// `HEARTH_FUZZ_RUNS` sets ten times how many (a package takes ten times as long as what the other fuzz tests read),
/// `HEARTH_SLOW_TESTS=1` takes 20,000. Mutant number n depends on the seed and n only.
@Suite(.timeLimit(.minutes(20))) struct CoreMLFuzzTests {
    static let environment = ProcessInfo.processInfo.environment
    static let seed = SeededNumbers.freshSeed("Core ML mutants")
    static let count =
        environment["HEARTH_FUZZ_RUNS"].flatMap { Int($0) }.map { $0 / 10 }
        ?? (environment["HEARTH_SLOW_TESTS"] == "1" ? 20_000 : 2000)

    struct Original {
        var model: [UInt8]
        var tree: [WireTree]
        var weights: [UInt8]
    }

    /// Small packages, of which nearly all mutants are made: the smaller, the more a second. Then the other encodings of
    /// weights.
    static func originals() throws -> [Original] {
        try [
            "ops/constexpr_cast_fp32_ios16", "ops/attention_fp32_ios18", "ops/mobilenet2_pal4_fp16_ios16",
            "ops/mobilenet2_int8_fp16_ios18", "digits/sparse50", "digits/uint8_affine", "digits/ios18_pal4_vec2",
            "digits/ios18_int4_block8",
        ].map { name in
            let parts = try CoreMLFixtures.parts("\(name).mlpackage")
            return Original(
                model: parts.model, tree: try #require(WireTree.parse(parts.model)), weights: parts.weights ?? [])
        }
    }

    @Test("mutants open or are refused", .timeLimit(.minutes(60)))
    func mutants() throws {
        let originals = try Self.originals()
        for original in originals { #expect(WireTree.encode(original.tree) == original.model) }
        var kinds: [String: Int] = [:]
        var accepted = 0
        let before = PeakMemory.resident
        for index in 0..<Self.count {
            var random = SeededNumbers(seed: Self.seed &* 0x1_0000_0000 &+ UInt64(index))
            let (model, weights) = CoreMLMutator.mutant(
                of: originals[random.below(random.below(8) == 0 ? originals.count : 4)], &random)
            do throws(FileError) {
                let package = try CoreMLPackage(
                    MappedFile(copying: model), weights: [WeightFiles.usualName: MappedFile(copying: weights)])
                accepted += 1
                try touch(package)
                if package.model.encoded != model { Issue.record("mutant \(index): written differently") }
            } catch {
                kinds[error.kind, default: 0] += 1
                if error.location.field.isEmpty || error.localizedDescription.contains(where: \.isNewline) {
                    Issue.record("mutant \(index): \(error)")
                }
            }
        }
        if !PeakMemory.isSanitized { #expect(PeakMemory.resident - before < 200 << 20) }
        // A mutator that only makes one kind of nonsense tests one line.
        if Self.count >= 2000 {
            #expect(kinds.count >= 8, "\(kinds)")
            #expect(accepted > Self.count / 100)
        }
    }

    /// Reads everything that an engine could read.
    private func touch(_ package: CoreMLPackage) throws(FileError) {
        var dense: [String: DenseWeight] = [:]
        for operation in package.body?.operations ?? [] {
            guard let output = operation.outputs.last else { continue }
            if let expression = try package.constantExpression(operation) {
                // Joint compression and loops of results are refused here, which is an answer too.
                dense[output.name] = try? package.expanded(expression) { dense[$0] }
            }
            for attribute in operation.attributes {
                let tensor = try? package.tensor(attribute.value)
                _ = (
                    tensor?.floats()?.count, tensor?.integers()?.count, tensor?.strings()?.count,
                    tensor?.packedBytes?.last
                )
            }
        }
        _ = try package.weightSummaries()
        _ = (package.activationByteCount, package.classCount, package.operationCounts, package.unknownOperations)
    }

    @Test("manifests and whole folders", .timeLimit(.minutes(20)))
    func folders() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("m.mlpackage")
        try FileManager.default.copyItem(
            atPath: CoreMLFixtures.path("ops/constexpr_cast_fp32_ios16.mlpackage"), toPath: path)
        let file = "\(path)/Manifest.json"
        let original = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
        // What a manifest that leads outside would find.
        try FileManager.default.copyItem(
            atPath: "\(path)/Data/com.apple.CoreML/model.mlmodel", toPath: folder.path("model.mlmodel"))
        var random = SeededNumbers(seed: Self.seed)
        for index in 0..<Self.count / 4 {
            var bytes = original
            for _ in 0...random.below(3) {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
                case 2: bytes.insert(contentsOf: Array("../".utf8), at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + random.below(20))], at: place)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            do throws(FileError) {
                let package = try CoreMLPackage(path: path)
                #expect(package.modelPath.hasPrefix(path) && !package.modelPath.contains(".."), "mutant \(index)")
            } catch {
                #expect(error.location.file.hasPrefix(path) && !error.location.field.isEmpty, "mutant \(index)")
            }
        }
    }

    @Test("a network of layers", .timeLimit(.minutes(20)))
    func networks() throws {
        let original = try CoreMLFixtures.bytes("digits/neuralnetwork_fp32.mlmodel")
        var random = SeededNumbers(seed: Self.seed)
        for index in 0..<Self.count / 8 {
            var bytes = original
            // Between the weights: fields of layers begin and end there.
            for _ in 0...random.below(3) {
                let place = random.below(2) == 0 ? random.below(600) : random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes[place] ^= 1 << UInt8(random.below(8))
                default: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(8)))
                }
            }
            do throws(FileError) {
                let package = try CoreMLPackage(MappedFile(copying: bytes))
                if package.model.encoded != bytes { Issue.record("mutant \(index): written differently") }
                if case .neuralNetwork(let network) = package.model.kind {
                    for layer in network.layers { for weight in layer.weights { _ = weight.weights.floats()?.count } }
                }
                _ = try package.weightSummaries()
            } catch {
                #expect(!error.location.field.isEmpty, "mutant \(index)")
            }
        }
    }
}

/// Spoils the message and the weight file of a package.
enum CoreMLMutator {
    static func mutant(
        of original: CoreMLFuzzTests.Original, _ random: inout SeededNumbers
    ) -> (model: [UInt8], weights: [UInt8]) {
        var weights = original.weights
        if random.below(3) == 0, !weights.isEmpty { spoil(weights: &weights, &random) }
        if random.below(3) == 0 {
            var model = original.model
            for _ in 0...random.below(2) { spoil(bytes: &model, &random) }
            return (model, weights)
        }
        let tree = WireTree.copy(original.tree)
        let fields = WireTree.all(tree)
        for _ in 0...random.below(3) { spoil(fields, &random) }
        return (WireTree.encode(tree), weights)
    }

    /// Numbers that break sums and products.
    private static func absurd(_ random: inout SeededNumbers) -> UInt64 {
        let values: [UInt64] = [
            0, 1, 2, 0x7f, 0xff, 64, 65, 1 << 31, 1 << 32, 1 << 40, 1 << 61, 1 << 62, 1 << 63, .max, .max - 63,
            .max / 2, 13,
        ]
        return values[random.below(values.count)]
    }

    private static func spoil(_ fields: [WireTree], _ random: inout SeededNumbers) {
        let field = fields[random.below(fields.count)]
        switch field.content {
        case .varint(let value):
            switch random.below(4) {
            case 0: field.content = .varint(absurd(&random))
            case 1: field.content = .varint(value &+ 1)
            case 2: field.content = .varint(value ^ 1 << UInt64(random.below(64)))
            default: field.content = .fixed32(UInt32(truncatingIfNeeded: value))
            }
        case .bytes(var bytes):
            if random.below(3) == 0 || bytes.isEmpty {
                bytes =
                    fields.compactMap { if case .bytes(let other) = $0.content { other } else { nil } }
                    .randomElement(using: &random) ?? []
            } else if random.below(2) == 0 {
                bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            } else {
                bytes.removeLast()
            }
            field.content = .bytes(bytes)
        case .message(var children):
            switch random.below(5) {
            case 0: if !children.isEmpty { children.remove(at: random.below(children.count)) }
            case 1: if let child = children.randomElement(using: &random) { children.append(child) }
            case 2: children.shuffle(using: &random)
            case 3: children = [WireTree(1 + random.below(8), .message(children))]
            default: children.append(WireTree(1 + random.below(30), .varint(absurd(&random))))
            }
            field.content = .message(children)
        default:
            field.content = .varint(absurd(&random))
        }
        if random.below(6) == 0 { field.number = 1 + random.below(12) }
    }

    private static func spoil(bytes: inout [UInt8], _ random: inout SeededNumbers) {
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes.removeLast(bytes.count - place)
        case 2: bytes.removeSubrange(place..<min(place + 1 + random.below(16), bytes.count))
        default: bytes[place] = 0xff
        }
    }

    private static func spoil(weights: inout [UInt8], _ random: inout SeededNumbers) {
        switch random.below(4) {
        case 0: weights.removeLast(random.below(weights.count))
        case 1: weights[random.below(weights.count)] ^= 1 << UInt8(random.below(8))
        default:
            // Records begin at multiples of 64: one of the five numbers of one of them.
            let record = random.below(max(1, weights.count / 64)) * 64
            let (offset, size) = [(0, 4), (4, 4), (8, 8), (16, 8), (24, 8)][random.below(5)]
            let value = absurd(&random)
            for byte in 0..<size where record + offset + byte < weights.count {
                weights[record + offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
            }
        }
    }
}
