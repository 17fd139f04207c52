import Foundation
import HearthRuntime
import HearthTestSupport
import Testing

@Suite("Choice of a processor", .timeLimit(.minutes(20)))
struct ProcessorChoiceTests {
    private static func measurement(
        cpu: ProcessorFigures, _ devices: [(String, ProcessorFigures)], kernels: String = "avx2", threads: Int = 4,
        model: String = "m", shaders: String = "s"
    ) -> ProcessorMeasurement {
        ProcessorMeasurement(
            model: model, kernelSet: kernels, threads: threads, shaders: shaders, cpu: cpu,
            devices: devices.map { .init(name: $0.0, identity: "id-\($0.0)", figures: $0.1) })
    }

    private static func text(_ speed: Double, joules: Double? = nil) -> ProcessorFigures {
        ProcessorFigures(
            firstTokenMS: 10 / speed, promptPerSecond: 100 * speed, decodePerSecond: 10 * speed, joules: joules)
    }

    private static func network(_ milliseconds: Double) -> ProcessorFigures {
        ProcessorFigures(inferenceMS: milliseconds)
    }

    struct Row: Sendable {
        var cpu: ProcessorFigures
        var devices: [(String, ProcessorFigures)]
        var candidates = ["A", "B"]
        var saves = false
        var chosen: String?
        var words: String
    }

    static let rows: [Row] = [
        Row(cpu: text(1), devices: [("A", text(2))], chosen: "A", words: "A is 2.00 times"),
        Row(cpu: text(1), devices: [("A", text(1.21))], chosen: "A", words: "1.21 times"),
        Row(cpu: text(1), devices: [("A", text(1.19))], words: "1.19 times as fast as the CPU, less than 1.20"),
        Row(cpu: text(1), devices: [("A", text(0.01))], words: "0.01 times"),
        Row(cpu: text(1), devices: [("A", text(2)), ("B", text(3))], chosen: "B", words: "B is 3.00 times"),
        // The faster one is not there.
        Row(cpu: text(1), devices: [("A", text(2)), ("B", text(3))], candidates: ["A"], chosen: "A", words: "A is"),
        Row(cpu: text(1), devices: [("A", text(2))], candidates: [], words: "there is no GPU"),
        Row(cpu: text(1), devices: [("A", text(2))], candidates: ["C"], words: "the GPU is another one"),
        Row(cpu: network(10), devices: [("A", network(5))], chosen: "A", words: "2.00 times"),
        Row(cpu: network(10), devices: [("A", network(9))], words: "1.11 times"),
        // It could not run the model, or a figure makes no sense.
        Row(cpu: text(1), devices: [("A", ProcessorFigures())], words: "could not run"),
        Row(cpu: network(10), devices: [("A", network(0))], words: "could not run"),
        Row(cpu: network(10), devices: [("A", network(-1))], words: "could not run"),
        Row(
            cpu: text(1), devices: [("A", ProcessorFigures(promptPerSecond: -1e9, decodePerSecond: 90))],
            words: "could not run"),
        Row(cpu: ProcessorFigures(), devices: [("A", text(2))], words: "the CPU was not measured"),
        // Saving energy: the one that needs less, else the CPU.
        Row(cpu: text(1), devices: [("A", text(9))], saves: true, words: "not measured for both"),
        Row(cpu: text(1, joules: 5), devices: [("A", text(9))], saves: true, words: "not measured for both"),
        Row(cpu: text(1), devices: [("A", text(9, joules: 1))], saves: true, words: "not measured for both"),
        Row(
            cpu: text(1, joules: 5), devices: [("A", text(1, joules: 2))], saves: true, chosen: "A", words: "0.40 times"
        ),
        Row(
            cpu: text(1, joules: 5), devices: [("A", text(9, joules: 5))], saves: true, words: "the CPU needs the least"
        ),
        Row(
            cpu: text(1, joules: 5), devices: [("A", ProcessorFigures(joules: 1))], saves: true,
            words: "not measured for both"),
    ]

    @Test("By measurements, devices and conditions", arguments: rows.indices)
    func decide(index: Int) {
        let row = Self.rows[index]
        let choice = ProcessorChoice.decide(
            Self.measurement(cpu: row.cpu, row.devices),
            candidates: row.candidates.map { .init(name: $0, identity: "id-\($0)") }, savesEnergy: row.saves)
        #expect(choice.device == row.chosen.map { "id-\($0)" })
        #expect(choice.reason.contains(row.words), "\(choice.reason)")
    }

    @Test("Without a measurement it is the CPU, and a new driver is named")
    func drift() {
        let device = ProcessorChoice.Candidate(name: "A", identity: "id-A-2")
        #expect(
            ProcessorChoice.decide(nil, candidates: [device], savesEnergy: false)
                == ProcessorChoice(reason: "not measured"))
        #expect(
            ProcessorChoice.decide(nil, drift: "it is damaged", candidates: [device], savesEnergy: false).reason
                == "the measurement does not apply: it is damaged")
        let old = Self.measurement(cpu: Self.text(1), [("A", Self.text(9))])
        let choice = ProcessorChoice.decide(old, candidates: [device], savesEnergy: false)
        #expect(choice == ProcessorChoice(reason: "the measurement does not apply: the driver changed"))
    }

    @Test("A file gives back what was stored, names drift, and refuses every damaged byte and every part of itself")
    func storage() throws {
        let folder = try TemporaryFolder()
        let file = ProcessorMeasurements(cacheFolder: folder.path, modelPath: "/models/a.gguf")
        func find(_ model: String = "m", _ kernels: String = "avx2", _ threads: Int = 4, _ shaders: String = "s")
            -> ProcessorMeasurements.Finding
        { file.find(model: model, kernelSet: kernels, threads: threads, shaders: shaders) }
        #expect(find() == .missing)
        let first = Self.measurement(cpu: Self.text(1), [("A", Self.text(2, joules: 3))])
        try file.keep(first)
        #expect(find() == .used(first))
        #expect(find("n") == .refused(reason: "the model changed"))
        #expect(find("m", "neon") == .refused(reason: "the kernel set changed"))
        #expect(find("m", "avx2", 5) == .refused(reason: "the number of threads changed"))
        #expect(find("m", "avx2", 4, "t") == .refused(reason: "the shaders changed"))
        // Others are kept beside it, the same kind replaces it, and a new model removes all.
        try file.keep(Self.measurement(cpu: Self.text(3), [], threads: 5))
        let again = Self.measurement(cpu: Self.text(4), [])
        try file.keep(again)
        #expect(find() == .used(again) && find("m", "avx2", 5) != .missing)

        let url = URL(fileURLWithPath: file.path)
        let whole = try Data(contentsOf: url)
        for at in whole.indices {
            var damaged = whole
            damaged[at] ^= 0x20
            try damaged.write(to: url)
            #expect(find() == .refused(reason: "it is damaged"), "byte \(at)")
        }
        // What a crash in the middle of a write that is not atomic would leave.
        for count in stride(from: 0, to: whole.count, by: 7) {
            try whole.prefix(count).write(to: url)
            #expect(find() == .refused(reason: "it is damaged"), "\(count) bytes")
        }
        // What is there in the place of a file, or is far too long, is no measurement either.
        try Data(repeating: 0x20, count: 2 << 20).write(to: url)
        guard case .refused(let reason) = find() else {
            Issue.record("a file that is too long was taken")
            return
        }
        #expect(reason.hasPrefix("it cannot be read: "))
        try file.keep(again)
        #expect(find() == .used(again))
        try file.keep(Self.measurement(cpu: Self.text(1), [], model: "n"))
        #expect(find() == .refused(reason: "the model changed"))
    }
}
