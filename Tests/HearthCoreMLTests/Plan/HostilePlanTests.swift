import Foundation
import HearthCompute
import HearthCoreML
import HearthGraphProof
import HearthTestSupport
import Testing

/// Spoiled plans: a plan comes from a file that anything may have happened to. Each is refused when it is loaded, with the
/// place, or it runs; none crashes, and what loads does not fail for shapes afterwards.
///
/// `HEARTH_SEED` sets which ones, `HEARTH_FUZZ_RUNS` how many of each plan.
@Suite("hostile plans", .timeLimit(.minutes(20)))
struct HostilePlanTests {
    static let environment = ProcessInfo.processInfo.environment
    static let seed = SeededNumbers.freshSeed("spoiled plans")
    static let runs = environment["HEARTH_FUZZ_RUNS"].flatMap { Int($0) } ?? 8

    /// What became of mutants.
    struct Outcomes {
        var ran = 0
        var refused = 0
        var tooLarge = 0
    }

    /// Numbers of the text that are not inside of names.
    private static func numbers(_ text: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var isText = false
        var start: Int?
        for (index, byte) in text.enumerated() {
            let isNumber = !isText && (byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte))
            if isNumber, start == nil { start = index }
            if !isNumber, let first = start {
                ranges.append(first..<index)
                start = nil
            }
            if byte == UInt8(ascii: "\""), index == 0 || text[index - 1] != UInt8(ascii: "\\") { isText.toggle() }
        }
        return ranges
    }

    /// Values that a number is replaced by: neighbours, other numbers of the plan, and what breaks sums and products.
    private static func spoiled(_ text: [UInt8], _ places: [Range<Int>], _ random: inout SeededNumbers) -> [UInt8] {
        var chosen = Set(
            (0...Int.random(in: 0...2, using: &random)).map { _ in
                Int.random(in: places.indices, using: &random)
            }
        ).sorted()
        var bytes = text
        while let place = chosen.popLast() {
            let old = Int(String(decoding: text[places[place]], as: UTF8.self)) ?? 0
            let other = Int(
                String(decoding: text[places.randomElement(using: &random) ?? places[place]], as: UTF8.self))
            let values = [
                old &+ 1, old &- 1, 0, -1, 1, 2, old &* 2, old / 2, other ?? 3, other ?? 4, 1 << 20, 1 << 31, 1 << 62,
                .max, .min,
            ]
            let value = values.randomElement(using: &random) ?? 0
            bytes.replaceSubrange(places[place], with: "\(value)".utf8)
        }
        return bytes
    }

    private static func check(
        _ model: CoreMLModel, _ count: Int, _ random: inout SeededNumbers, _ outcomes: inout Outcomes
    ) async throws {
        let compiled = try CompiledModel(model)
        let text = Array(try PlanFile.encoder.encode(compiled.file))
        let places = numbers(text)
        let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
        for index in 0..<count {
            let bytes = spoiled(text, places, &random)
            if environment["HEARTH_FUZZ_TRACE"] == "1" {
                try Data(bytes).write(to: URL(fileURLWithPath: "/tmp/hearth-plan-\(seed).json"))
            }
            guard let file = try? PlanFile.decoder.decode(PlanFile.self, from: Data(bytes)), file.problem() == nil
            else {
                outcomes.refused += 1
                continue
            }
            guard file.plan.arenaCount <= 1 << 22, file.plan.weightCount <= compiled.weights.floats.count else {
                outcomes.tooLarge += 1
                continue
            }
            let session: CoreMLSession
            do {
                session = try CoreMLSession(file, ModelWeights(compiled.weights.floats), compute, path: model.path)
            } catch {
                #expect(error is CoreMLError, "\(model.path), mutant \(index): \(error)")
                #expect(error.localizedDescription.contains("\(model.path): "))
                outcomes.refused += 1
                continue
            }
            do {
                _ = try await session.predict(session.dummyInputs())
                outcomes.ran += 1
            } catch CoreMLError.nonFiniteStep, CoreMLError.nonFiniteOutput {
                // A spoiled plan may compute anything; what was never written may be read, and differ from run to run.
                outcomes.ran += 1
            } catch {
                Issue.record("\(model.path), mutant \(index), fails only when it runs: \(error)")
            }
        }
    }

    @Test("plans of single operations, most of them computed by plain loops", .timeLimit(.minutes(30)))
    func operations() async throws {
        let folder = try TemporaryFolder()
        var outcomes = Outcomes()
        for (index, operation) in OperationTests.cases.enumerated() {
            var random = SeededNumbers(seed: Self.seed &* 0x1_0000_0000 &+ UInt64(index))
            let model = try OperationTests.model(operation, in: folder)
            try await Self.check(model, Self.runs, &random, &outcomes)
        }
        #expect(outcomes.ran > 100 && outcomes.refused > 100, "\(outcomes)")
    }

    @Test(
        "too few weights of a recurrent layer are refused when the plan is loaded", arguments: ["weights", "candidate"])
    func recurrentWeights(_ operand: String) async throws {
        let folder = try TemporaryFolder()
        var refused = 0
        for operation in OperationTests.cases where ["lstm", "gru", "rnn"].contains(operation.operation) {
            let compiled = try CompiledModel(try OperationTests.model(operation, in: folder))
            var changed = 0
            func shortened(_ value: Any) -> Any {
                if let list = value as? [Any] { return list.map(shortened) }
                guard var fields = value as? [String: Any] else { return value }
                fields = fields.mapValues(shortened)
                if fields["rule"] != nil, var weights = fields[operand] as? [String: Any] {
                    weights["count"] = 2
                    fields[operand] = weights
                    changed += 1
                }
                return fields
            }
            let plan = try JSONSerialization.jsonObject(with: PlanFile.encoder.encode(compiled.file))
            let data = try JSONSerialization.data(withJSONObject: shortened(plan))
            guard changed > 0 else { continue }
            let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
            #expect(throws: CoreMLError.self, "\(operation)") {
                let file = try PlanFile.decoder.decode(PlanFile.self, from: data)
                _ = try CoreMLSession(file, ModelWeights(compiled.weights.floats), compute)
            }
            refused += 1
        }
        #expect(refused > 0)
    }

    @Test("an input or output in another order than the plain one is refused by its name", arguments: [false, true])
    func ports(_ isOutput: Bool) throws {
        let compiled = try CompiledModel(CoreMLModel(path: VisionFixtures.path("bytes/w8a8.mlpackage")))
        let data = try PlanFile.encoder.encode(compiled.file)
        var file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var plan = try #require(file["plan"] as? [String: Any])
        let tensors = try #require(plan["tensors"] as? [[String: Any]])
        let codes = try #require(tensors.firstIndex { $0["code"] != nil })
        let key = isOutput ? "outputs" : "inputs"
        var ports = try #require(plan[key] as? [[String: Any]])
        ports[0]["tensor"] = codes
        plan[key] = ports
        file["plan"] = plan
        let changed = try PlanFile.decoder.decode(
            PlanFile.self, from: JSONSerialization.data(withJSONObject: file))
        let name = try #require(ports[0]["name"] as? String)
        #expect(changed.problem() == "the input or output '\(name)' is not in plain order")
    }

    @Test(
        "plans of whole networks", .timeLimit(.minutes(30)),
        arguments: [
            "ops/attention_fp32_ios18", "ops/squeeze_fp32_ios16", "ops/se_hswish_fp32_ios16", "ops/pools_fp32_ios16",
            "rectangles/nms", "pipelines/perclass", "bytes/w8a8",
        ])
    func networks(_ name: String) async throws {
        var random = SeededNumbers(seed: Self.seed &* 0x2_0000_0000)
        var outcomes = Outcomes()
        let model = try CoreMLModel(path: VisionFixtures.path("\(name).mlpackage"))
        try await Self.check(model, Self.runs * 10, &random, &outcomes)
        #expect(outcomes.refused > Self.runs, "\(outcomes)")
    }
}
