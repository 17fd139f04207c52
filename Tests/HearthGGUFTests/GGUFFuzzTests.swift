import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import Testing

/// Spoiled files by the ten thousand: each opens or gives an error; none crashes, hangs or eats memory.
///
/// `HEARTH_SEED` and `HEARTH_FUZZ_COUNT` choose other files and more of them. Mutant number n depends on seed and
/// n only, so a failure names all that is needed to make it again.
@Suite(.timeLimit(.minutes(20))) struct GGUFFuzzTests {
    static let environment = ProcessInfo.processInfo.environment
    static let seed = SeededNumbers.freshSeed("GGUF mutants")
    static let count = environment["HEARTH_FUZZ_COUNT"].flatMap { Int($0) } ?? 24_000

    @Test("mutants open or are refused, in bounded memory", .timeLimit(.minutes(20)))
    func mutants() throws {
        let mutators = try Self.originals().map(Mutator.init)
        let folder = try TemporaryFolder()
        var kinds: [String: Int] = [:]
        var accepted = 0
        var resident = [PeakMemory.resident]
        let start = ContinuousClock.now
        for index in 0..<Self.count {
            var random = SeededNumbers(seed: Self.seed &* 0x1_0000_0000 &+ UInt64(index))
            let bytes = mutators[random.below(mutators.count)].mutant(&random)
            // In memory the address sanitizer sees the end of the file to the byte; some go the whole way.
            let file =
                index % 16 == 0
                ? try MappedFile(path: folder.write(bytes, "mutant.gguf")) : MappedFile(copying: bytes)
            do {
                let gguf = try GGUFFile(file)
                accepted += 1
                try check(gguf, "seed \(Self.seed), mutant \(index)")
            } catch let error as FileError {
                kinds[error.kind, default: 0] += 1
                if error.localizedDescription.contains(where: \.isNewline) {
                    Issue.record("seed \(Self.seed), mutant \(index): an error of several lines")
                }
            }
            if index % 256 == 0 { resident.append(PeakMemory.resident) }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "fuzz: seed \(Self.seed), \(Self.count) mutants, \(accepted) accepted, \(Int(Double(Self.count) / seconds))/s,",
            "resident at most \((resident.max() ?? 0) >> 20) MiB, \(kinds.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" })"
        )
        // The median, because other tests share the process; the address sanitizer keeps freed memory on purpose.
        let growth = resident.sorted()[resident.count / 2] - resident[0]
        if !PeakMemory.isSanitized { #expect(growth < 200 << 20) }
        // A mutator that only makes one kind of nonsense tests one line.
        if Self.count >= 20_000 {
            #expect(kinds.count >= 10, "\(kinds)")
            #expect(accepted > Self.count / 100)
        }
    }

    /// What must hold of every file that is accepted, and everything in it touched.
    private func check(_ file: GGUFFile, _ name: String) throws {
        _ = try touchEverything(file)
        var end = 0
        for tensor in file.tensors.sorted(by: { $0.offset < $1.offset }) {
            if tensor.offset < max(end, file.dataOffset) || tensor.offset % file.alignment != 0
                || tensor.byteCount != tensor.type.byteCount(shape: tensor.shape)
                || tensor.byteCount > file.file.count - tensor.offset
            {
                Issue.record("\(name): \(tensor.name) is out of place")
            }
            end = tensor.offset + tensor.byteCount
        }
        let copy = try GGUFFile(MappedFile(copying: GGUFBuilder(copying: file).bytes()))
        if copy.metadata.keys != file.metadata.keys || copy.tensors.map(\.name) != file.tensors.map(\.name) {
            Issue.record("\(name): the copy differs")
        }
    }

    /// Small files that between them hold everything: mutants of small files are made and read quickly.
    static func originals() throws -> [[UInt8]] {
        var small = GGUFBuilder()
        small.set("general.architecture", .string("gemma3"))
        small.set("general.alignment", .uint32(32))
        small.set("gemma3.block_count", .uint32(2))
        small.set("tokenizer.ggml.tokens", .array(GGUFArray(strings: ["<pad>", "a", "b", "ab"])))
        small.set("tokenizer.ggml.scores", .array(GGUFArray([0, -1, -2, -3] as [Float])))
        try small.add("a", .f32, shape: [8, 2], bytes: [UInt8](repeating: 1, count: 64))
        try small.add("b", .q8_0, shape: [32], bytes: [UInt8](repeating: 2, count: 34))
        try small.add("c", .f16, shape: [2, 2, 2, 2], bytes: [UInt8](repeating: 3, count: 32))
        var old = small
        old.version = 2
        old.set("general.alignment", .uint32(64))
        old.padsEnd = false
        var nested = GGUFBuilder()
        let inner = GGUFArray([GGUFArray(strings: ["x", "y"]), GGUFArray([true, false])])
        nested.set("n", .array(GGUFArray([inner, GGUFArray([1] as [Int64])])))
        return try [
            small.bytes(), small.bytes(), old.bytes(), nested.bytes(), Sample.builder().bytes(),
            GemmaFixtures.bytes("tokenizer-llama.gguf"),
        ]
    }
}
