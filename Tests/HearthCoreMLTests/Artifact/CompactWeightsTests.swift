import Foundation
import HearthCompute
import HearthCoreML
import HearthSystem
import HearthTestSupport
import Testing

/// A compact artifact keeps the model's own codes and computes the same bits; one that makes no sense is refused.
@Suite("compact weights", .timeLimit(.minutes(20)))
final class CompactWeightsTests {
    private let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-compact-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func compiler(_ storage: WeightStorage? = nil, kernels: KernelSet? = nil) throws -> CoreMLCompiler {
        CoreMLCompiler(
            folders: HearthFolders(data: root, cache: root), kernels: try kernels ?? KernelSet.selected(by: nil),
            storage: storage, device: VisionArtifactTests.device, boot: "first")
    }

    private func path(_ name: String) -> String { VisionSessionTests.fixtures.appendingPathComponent(name).path }

    /// What of a model's weights is stored, and the coding that most of its large weights get.
    static let expected: [(model: String, storage: WeightStorage, coding: String, most: Double)] = [
        ("pal1.mlpackage", .compact, "palette1", 0.2), ("pal2.mlpackage", .compact, "palette2", 0.2),
        ("pal4.mlpackage", .compact, "palette4", 0.3), ("pal6.mlpackage", .compact, "palette6", 0.4),
        ("pal8.mlpackage", .compact, "palette8", 0.5), ("pal4_fp32.mlpackage", .compact, "palette4", 0.3),
        ("ios18_pal3.mlpackage", .compact, "palette3", 0.3),
        // Two tables of 16 for the lanes of a block are one of 32.
        ("ios18_pal4_group8.mlpackage", .compact, "palette5", 0.4),
        ("int8_sym.mlpackage", .compact, "affine8", 0.4), ("uint8_affine.mlpackage", .compact, "affine8", 0.4),
        ("ios18_int8.mlpackage", .compact, "affine8", 0.4), ("ios18_int4_block8.mlpackage", .compact, "affine4", 0.4),
        ("sparse50.mlpackage", .compact, "half", 0.6), ("fp16.mlpackage", .compact, "half", 0.6),
        ("fp32.mlpackage", .mapped, "float32", 1), ("neuralnetwork_fp32.mlmodel", .mapped, "float32", 1),
    ]

    @Test("every compressed model stays compressed, and computes the same bits", arguments: expected)
    func models(_ model: String, _ storage: WeightStorage, _ coding: String, _ most: Double) async throws {
        let path = path("digits/\(model)")
        let made = try compiler().compile(path).artifact
        #expect(made.weights.storage == storage)
        #expect(made.weights.codings[coding, default: 0] > made.weights.bytes / 4, "\(made.weights)")
        #expect(Double(made.weights.bytes) <= most * Double(made.weights.floatBytes), "\(made.weights)")
        #expect(try compiler().find(path)?.digest == made.digest)
        let numbers = try compiler(.mapped).compile(path).artifact
        #expect(storage == .mapped ? numbers.digest == made.digest : numbers.digest != made.digest)
        let coded = try CoreMLSession(artifact: made, threads: 2)
        let whole = try CoreMLSession(artifact: numbers, threads: 2)
        let input = try #require(coded.interface.inputs.first)
        var random = SeededNumbers(seed: 17)
        let picture = CoreMLTensor(
            shape: input.shape, values: (0..<input.shape.reduce(1, *)).map { _ in Float(random.below(256)) })
        let (left, right) = (
            try await coded.predict([input.name: picture]), try await whole.predict([input.name: picture])
        )
        #expect(left == right)
    }

    @Test("all layers of other networks too, on every kernel set", arguments: ["ops", "digits", "bytes"])
    func networks(_ folder: String) async throws {
        for name in VisionSessionTests.packages(folder) where folder != "digits" || name.contains("pal4") {
            let path = path(name)
            for kernels in folder == "ops" ? [try KernelSet.selected(by: nil)] : KernelSet.available {
                guard let made = try? compiler(.compact, kernels: kernels).compile(path).artifact else { continue }
                let coded = try CoreMLSession(artifact: made, threads: 1, kernels: kernels)
                let whole = try CoreMLSession(
                    artifact: compiler(.mapped, kernels: kernels).compile(path).artifact, threads: 1, kernels: kernels)
                let (left, right) = (
                    try? await coded.predict(coded.dummyInputs()), try? await whole.predict(whole.dummyInputs())
                )
                #expect(left == right, "\(name) on \(kernels.name)")
            }
        }
    }

    // MARK: - Damage

    private func parts(_ model: String) throws -> (file: PlanFile, weights: [UInt8]) {
        let artifact = try compiler(.compact).compile(path("digits/\(model)")).artifact
        let (file, weights) = try artifact.open()
        return (file, weights.withUnsafeBytes { Array($0) })
    }

    private func session(_ file: PlanFile, _ bytes: [UInt8]) throws -> CoreMLSession {
        let weights = MappedFile(copying: bytes, path: "weights.bin")
        try CoreMLArtifact.check(file, weights, at: "plan.bin")
        let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
        return try CoreMLSession(file, ModelWeights(weights, file, compute), compute)
    }

    @Test("stretches that make no sense are refused by name")
    func mutations() throws {
        let (file, bytes) = try parts("pal4.mlpackage")
        let segments = try #require(file.segments)
        _ = try session(file, bytes)
        let place = try #require(segments.firstIndex { $0.coding.kind == .palette })
        let changes: [(String, (inout [WeightSegment]) -> Void)] = [
            ("beyond the file", { $0[place].offset = (bytes.count + 63) / 64 * 64 }),
            ("before the file", { $0[place].offset = -64 }),
            ("on no border", { $0[place].offset += 4 }),
            ("absurdly far", { $0[place].offset = .max - 63 }),
            ("no bits", { $0[place].coding.bits = 0 }),
            ("too many bits", { $0[place].coding.bits = 9 }),
            ("negative bits", { $0[place].coding.bits = -1 }),
            ("no stretch", { $0[place].coding.stretch = 0 }),
            ("an absurd stretch", { $0[place].coding.stretch = .max }),
            ("outside the plan", { $0[place].target.offset = file.plan.weightCount }),
            ("too many", { $0[place].target.count = .max }),
            ("none", { $0[place].target.count = 0 }),
            ("negative", { $0[place].target.count = -16 }),
            ("in another order", { $0.reverse() }),
            ("twice", { $0.insert($0[place], at: place) }),
            ("missing", { $0.remove(at: place) }),
            ("all missing", { $0 = [] }),
            ("elsewhere", { $0[place].target.offset += 16 }),
        ]
        for (what, change) in changes {
            var changed = segments
            change(&changed)
            var spoiled = file
            spoiled.segments = changed
            #expect(throws: CoreMLError.self, "\(what)") { try session(spoiled, bytes) }
        }
        for length in [0, 1, 63, 64, bytes.count / 2, bytes.count - 64] {
            #expect(throws: CoreMLError.self) { try session(file, Array(bytes.prefix(length))) }
        }
    }

    @Test(
        "whatever the codes and tables are, nothing crashes",
        arguments: ["pal4", "int8_sym", "ios18_int4_block8", "pal8"])
    func content(_ model: String) async throws {
        let (file, bytes) = try parts("\(model).mlpackage")
        var random = SeededNumbers(seed: 23)
        for _ in 0..<12 {
            var changed = bytes
            for _ in 0..<40 { changed[random.below(changed.count)] = UInt8(random.below(256)) }
            var spoiled = file
            var segments = try #require(file.segments)
            let place = random.below(segments.count)
            switch random.below(4) {
            case 0: segments[place].coding.bits = random.below(11) - 1
            case 1: segments[place].coding.stretch = random.below(300)
            case 2: segments[place].coding.kind = [.palette, .affine, .half, .float32][random.below(4)]
            default: segments[place].offset = random.below(changed.count / 64) * 64
            }
            spoiled.segments = segments
            guard let session = try? session(spoiled, changed) else { continue }
            // Results that are not numbers are an error of their own.
            _ = try? await session.predict(session.dummyInputs())
        }
    }
}
