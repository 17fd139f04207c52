import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import HearthSystem
import HearthTestSupport
import Testing

/// Spoiled models: each becomes a graph that runs, or gives an error that names a place. None crashes, hangs or takes
/// memory that it only claims.
///
/// `HEARTH_FUZZ_RUNS` sets how many, `HEARTH_SEED` which ones; mutant number n depends on the seed and n only.
@Suite("hostile models", .timeLimit(.minutes(20)))
struct HostileModelTests {
    static let environment = ProcessInfo.processInfo.environment
    static let seed = SeededNumbers.freshSeed("spoiled models")
    static let count =
        environment["HEARTH_FUZZ_RUNS"].flatMap { Int($0) } ?? (environment["HEARTH_SLOW_TESTS"] == "1" ? 60_000 : 1000)

    /// What becomes of a model.
    enum Outcome: Hashable {
        case ran, tooLarge, refused(String)
    }

    static func outcome(_ package: CoreMLPackage, _ random: inout SeededNumbers) throws -> Outcome {
        let model: CoreMLModel
        do {
            model = try CoreMLModel(package)
        } catch let error as CoreMLError {
            #expect(error.localizedDescription.contains("("))
            return .refused(String("\(error)".prefix { $0 != "(" }))
        }
        let shapes = model.inputs.map(\.shape)
        let work = model.graph.steps.reduce(0) { sum, step in
            let cost = step.operation.work(
                step.inputs.map { $0.map { model.graph.tensors[$0].shape } },
                step.outputs.map { model.graph.tensors[$0].shape })
            return sum + min(cost, 1 << 30)
        }
        guard shapes.allSatisfy({ GraphShape.count($0, limit: 1 << 16) != nil }), work <= 1 << 20 else {
            return .tooLarge
        }
        var inputs: [String: CoreMLTensor] = [:]
        for input in model.inputs {
            let values = (0..<input.shape.reduce(1, *)).map { _ in Float(random.below(4001) - 2000) / 500 }
            inputs[input.name] = CoreMLTensor(shape: input.shape, values: values)
        }
        do {
            let results = try model.predict(inputs)
            for output in model.outputs {
                #expect(results[output.name]?.shape == output.shape)
                #expect(results[output.name]?.values.count == output.shape.reduce(1, *))
            }
            return .ran
        } catch CoreMLError.nonFiniteOutput {
            return .refused("nonFiniteOutput")
        }
    }

    @Test("spoiled operations", .timeLimit(.minutes(30)))
    func operations() throws {
        let originals = OperationTests.cases.map { original in
            let start = OperationTests.contents.startIndex + original.model
            return Array(OperationTests.contents[start..<start + original.bytes])
        }
        #expect(originals.count > 300)
        var outcomes: [Outcome: Int] = [:]
        for index in 0..<Self.count {
            var random = SeededNumbers(seed: Self.seed &* 0x1_0000_0000 &+ UInt64(index))
            let bytes = ProgramMutator.mutant(of: originals[index % originals.count], &random)
            if Self.environment["HEARTH_FUZZ_TRACE"] == "1" {
                try Data(bytes).write(to: URL(fileURLWithPath: "/tmp/hearth-fuzz-\(Self.seed).mlmodel"))
            }
            do throws(FileError) {
                let package = try CoreMLPackage(MappedFile(copying: bytes))
                do {
                    outcomes[try Self.outcome(package, &random), default: 0] += 1
                } catch let error as FileError {
                    outcomes[.refused(error.kind), default: 0] += 1
                } catch {
                    Issue.record("mutant \(index): \(error)")
                }
            } catch {
                outcomes[.refused("file"), default: 0] += 1
            }
        }
        // A mutator that only makes nonsense tests one line.
        if Self.count >= 1000 {
            #expect(outcomes[.ran] ?? 0 > Self.count / 10, "\(outcomes)")
            #expect(outcomes[.refused("invalid")] ?? 0 > Self.count / 20, "\(outcomes)")
            #expect(outcomes.count >= 4, "\(outcomes)")
        }
    }

    /// A model of one layer, in Base64.
    private static func layer(_ text: String) throws -> CoreMLModel {
        let bytes = try #require(Data(base64Encoded: text))
        return try CoreMLModel(CoreMLPackage(MappedFile(copying: Array(bytes))))
    }

    @Test("amounts whose sums overflow")
    func overflows() throws {
        // A crop of [3, 4, 6] that begins at the row 2⁶³.
        #expect(throws: CoreMLError.self) {
            try Self.layer(
                "CAQSJAoQCgF4GgsqCQoDAwQGEKCABFIQCgF5GgsqCQoDAwMDEKCABKIfJgokCgRjcm9wEgF4GgF58gsVChNSCwiAgICAgICAgIAB"
                    + "UgQIAhAB")
        }
        // A pad of [3, 4, 5] to 2⁶³ columns, which is a negative number: it adds none.
        let padded = try? Self.layer(
            "CAQSJAoQCgF4GgsqCQoDAwQFEKCABFIQCgF5GgsqCQoDAwcIEKCABKIfMgouCgtjb25zdGFudFBhZBIBeBoBeZpIGA0AAMA/Eg8AAAAA"
                + "AICAgICAgICAgAEYASgB")
        #expect(padded?.outputs[0].shape ?? [3, 4, 5] == [3, 4, 5])
    }

    @Test("a network of layers", .timeLimit(.minutes(30)))
    func layers() throws {
        let original = try Array(VisionFixtures.data("digits/neuralnetwork_fp32.mlmodel"))
        var accepted = 0
        for index in 0..<Self.count / 30 {
            var random = SeededNumbers(seed: Self.seed &* 0x2_0000_0000 &+ UInt64(index))
            var bytes = original
            for _ in 0...random.below(2) {
                // Where layers begin and end, weights are few: every other byte is a parameter.
                let place = random.below(2) == 0 ? random.below(700) : random.below(bytes.count)
                bytes[place] = random.below(2) == 0 ? UInt8(truncatingIfNeeded: random.next()) : bytes[place] &+ 1
            }
            guard let package = try? CoreMLPackage(MappedFile(copying: bytes)) else { continue }
            do {
                _ = try CoreMLModel(package)
                accepted += 1
            } catch let error as CoreMLError {
                #expect(!error.localizedDescription.isEmpty)
            }
        }
        #expect(accepted > 0)
    }
}
