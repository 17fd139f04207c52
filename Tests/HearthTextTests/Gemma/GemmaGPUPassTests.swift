import Foundation
import HearthCompute
import HearthDelivery
import HearthGPU
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Synchronization
import Testing

@Suite("Gemma on a GPU", .timeLimit(.minutes(20)))
struct GemmaGPUPassTests {
    static let device = try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)
    static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path + "/Fixtures/gemma/"

    private func generator(
        _ name: String, onGPU: Bool, cacheFormat: KVCacheFormat? = nil,
        _ failed: @escaping @Sendable (GPUError) -> Void = { _ in }
    ) async throws -> TextGenerator {
        let model = try TextModel(path: Self.folder + name)
        let generator = try TextGenerator(
            model: model, contextLength: 64, threads: 1, cacheFormat: cacheFormat, maximumStep: 8)
        if onGPU {
            try await generator.useGPU(#require(Self.device), cacheFolder: nil, onFailure: failed)
        }
        return generator
    }

    /// The likeliest tokens, one after the other; `before` is told how many there are.
    private func likeliest(
        _ generator: TextGenerator, _ count: Int, before: @escaping @Sendable (Int, GemmaSession) -> Void = { _, _ in }
    ) async throws -> [TokenID] {
        try await generator.onSession { session in
            session.reset()
            var text: [TokenID] = (0..<19).map { 5 + $0 * 3 }
            var next = text[...]
            for step in 0..<count {
                before(step, session)
                let logits = try session.logits(after: next)
                var best = 0
                logits.withRow(0) { row in
                    for index in row.indices where row[index] > row[best] { best = index }
                }
                text.append(TokenID(best))
                next = text[(text.count - 1)...]
            }
            return text
        }
    }

    @Test(
        "A device that fails in the middle of a text is a note, and the CPU goes on token for token",
        .enabled(if: device != nil, "no Vulkan device"),
        arguments: [
            "gemma1-f32.gguf", "gemma2-f16.gguf", "gemma3-f16.gguf", "gemma3n-f16.gguf", "gemma4-bf16.gguf",
        ])
    func failure(name: String) async throws {
        let expected = try await likeliest(generator(name, onGPU: false), 24)
        let failures = Mutex<[GPUError]>([])
        let generator = try await generator(name, onGPU: true) { error in failures.withLock { $0.append(error) } }
        #expect(await generator.isOnGPU)
        let whole = try await likeliest(generator, 24)
        #expect(whole == expected)
        #expect(failures.withLock { $0 } == [])
        let broken = try await likeliest(generator, 24) { step, session in
            if step == 9 { session.gpu?.pass.device.timeoutMS = 0 }
        }
        #expect(broken == expected)
        #expect(failures.withLock { $0 } == [.timedOut(milliseconds: 0)])
        #expect(await !generator.isOnGPU)
        // And later texts.
        #expect(try await likeliest(generator, 24) == expected)
    }

    @Test(
        "What is taken back is computed again, and many positions are checked together",
        .enabled(if: device != nil, "no Vulkan device"),
        arguments: ["gemma3-f16.gguf", "gemma3n-f16.gguf", "gemma4-bf16.gguf"])
    func takingBack(name: String) async throws {
        func logits(onGPU: Bool) async throws -> [[Float]] {
            try await generator(name, onGPU: onGPU).onSession { session in
                let text: [TokenID] = (0..<40).map { 4 + $0 * 7 % 50 }
                try session.prefill(text[..<36])
                var rows: [[Float]] = []
                for _ in 0..<2 {
                    let found = try session.logits(checking: text[36..<40])
                    rows += (0..<4).map { found.row($0) }
                    session.takeBack(to: 36)
                }
                // Another text that begins alike.
                let known = session.keep(of: Array(text[..<20]))
                rows.append(try session.logits(after: text[known..<20]).row(0))
                return rows
            }
        }
        let (gpu, cpu) = (try await logits(onGPU: true), try await logits(onGPU: false))
        #expect(gpu.count == 9 && Array(gpu[0..<4]) == Array(gpu[4..<8]))
        for (a, b) in zip(gpu, cpu) {
            #expect(zip(a, b).allSatisfy { abs($0 - $1) < 2e-3 })
        }
    }

    @Test(
        "The memory that a model needs on a device",
        arguments: ["gemma1-f32.gguf", "gemma3-f16.gguf", "gemma3-q8_0.gguf"])
    func memory(name: String) throws {
        let model = try TextModel(path: Self.folder + name)
        func least(_ context: Int, _ format: KVCacheFormat) -> Int {
            GemmaGPUPass.leastBytes(model.configuration, model.weights, context: context, cacheFormat: format)
        }
        // All weights but the gains of norms, each once.
        let weights = least(0, .float16)
        #expect(weights < model.weightBytes && 10 * weights > 9 * model.weightBytes)
        let values = model.configuration.layers.reduce(0) { $0 + 2 * $1.keyValueHeads * $1.headWidth }
        #expect(least(64, .float16) == weights + 2 * 64 * values)
        #expect(least(64, .float32) == weights + 4 * 64 * values)
    }

    @Test(
        "Weights used in place in the file give the bits of copies, and a file that is changed is noticed",
        .enabled(if: (device?.importAlignment ?? 0) > 0, "no device that imports memory"),
        arguments: ["gemma1-q8_0.gguf", "gemma3n-f16.gguf", "gemma4-q4_0.gguf"])
    func imports(name: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        try FileManager.default.copyItem(atPath: Self.folder + name, toPath: path)
        let device = try #require(Self.device)
        func generator(imports: Bool) async throws -> TextGenerator {
            let generator = try TextGenerator(
                model: TextModel(path: path), contextLength: 64, threads: 1, maximumStep: 8)
            try await generator.useGPU(device, cacheFolder: nil, way: imports ? .imported : .copied)
            return generator
        }
        func bits(_ generator: TextGenerator) async throws -> [UInt32] {
            try await generator.onSession { session in
                session.reset()
                let text: [TokenID] = (0..<19).map { 4 + $0 * 7 % 50 }
                return try session.logits(after: text[...]).row(0).map(\.bitPattern)
            }
        }
        let (copied, imported) = (try await generator(imports: false), try await generator(imports: true))
        #expect(await copied.gpuImportedBytes == 0)
        // All matrices: what is copied are gains of norms, and the factors of parallel streams.
        let all = GemmaGPUPass.leastBytes(
            imported.model.configuration, imported.model.weights, context: 0, cacheFormat: .float16)
        #expect(await imported.gpuImportedBytes == all)
        let expected = try await bits(copied)
        #expect(try await bits(imported) == expected)

        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: [0])
        try file.close()
        for generator in [copied, imported] {
            await #expect(throws: FileError.self) { try await bits(generator) }
        }
    }

    @Test("An engine that uses a GPU loads the model there, or says why not")
    func engine() async throws {
        let path = Self.folder + "gemma3-q8_0.gguf"
        let silent = WorkProgress { _ in }
        let engine = try TextEngine(path: path, contextLength: 64, threads: 1, usesGPU: true, folders: nil)
        let source = try await engine.compile(silent).compiled
        guard let device = Self.device else {
            let error = await #expect(throws: GPUError.self) { try await engine.load(source, silent) }
            #expect(error?.category == .unavailable)
            return
        }
        let generator = try await engine.load(source, silent)
        #expect(await generator.isOnGPU)
        let units = try await engine.profile().computeUnits
        #expect(units.hasPrefix("gpu: \(device.name), driver: \(device.driver), weights: "))
        let isImported = await generator.gpuImportedBytes != 0
        #expect(units.hasSuffix(isImported ? "in place" : "copied"))
        let other = try TextEngine(path: path, contextLength: 64, threads: 1, folders: nil)
        #expect(try await !other.load(other.compile(silent).compiled, silent).isOnGPU)
        #expect(try await other.profile().computeUnits == "cpu")
    }

    @Test(
        "auto takes the device that was measured as faster, and one in software only if HEARTH_GPU names it",
        .enabled(if: device != nil, "no Vulkan device"))
    func measured() async throws {
        let (device, path, home) = (try #require(Self.device), Self.folder + "gemma3-q8_0.gguf", try TemporaryFolder())
        let folders = HearthFolders(data: home["data"], cache: home["cache"])
        let kernels = try KernelSet.selected(by: nil).forText()
        var engine = try TextEngine(
            path: path, contextLength: 64, threads: 1, kernels: kernels, folders: folders, whenMissing: .useFile)
        engine.compute = .auto
        let silent = WorkProgress { _ in }
        let source = try await engine.compile(silent).compiled
        #expect(try await !engine.load(source, silent).isOnGPU)
        #expect(try await engine.profile().computeUnits == "cpu")

        let chooser = ProcessorChooser(
            source: try #require(SourceIdentity(path: path)), cacheFolder: folders.cache, kernels: kernels, threads: 1)
        func measure(times: Double) throws {
            func figures(_ speed: Double, _ joules: Double) -> ProcessorFigures {
                .init(promptPerSecond: 100 * speed, decodePerSecond: 10 * speed, joules: joules)
            }
            try chooser.keep(
                cpu: figures(1, 1),
                devices: [.init(name: device.name, identity: device.identity, figures: figures(times, 2))])
        }
        try measure(times: 0.5)
        #expect(chooser.choose(conditions: .calm).device == nil)
        try measure(times: 50)
        let mayBeChosen = try ProcessorChooser.devices().contains(device)
        #expect(mayBeChosen || device.kind == .software)
        let (chosen, choice) = chooser.choose(conditions: .calm)
        #expect(chosen == (mayBeChosen ? device : nil))
        #expect(choice.reason.contains(mayBeChosen ? "50.00 times" : "there is no GPU"))
        // It needs twice the energy.
        #expect(chooser.choose(conditions: DeviceConditions(thermal: .serious)).device == nil)
        #expect(chooser.choose(conditions: DeviceConditions(isLowPower: true)).device == nil)
        var others = chooser
        others.threads = 2
        #expect(others.choose(conditions: .calm).choice.reason.contains("the number of threads changed"))

        // As cool as this machine is now.
        let isOnGPU = chooser.choose().device != nil
        #expect(try await engine.load(source, silent).isOnGPU == isOnGPU)
        let units = try await engine.profile().computeUnits
        #expect(units.hasPrefix("gpu: \(device.name)") == isOnGPU)
        #expect(!isOnGPU || units.hasSuffix(", chosen: measured as faster"))
    }

    @Test("Devices in software are only measured and chosen if HEARTH_GPU names one")
    func eligible() throws {
        for device in (try? ProcessorChooser.devices(environment: [:])) ?? [] {
            #expect(device.kind != .software && device.isFit)
            #expect(try ProcessorChooser.devices(environment: ["HEARTH_GPU": "\(device.number)"]) == [device])
        }
        guard let device = Self.device else { return }
        #expect(try ProcessorChooser.devices(environment: ["HEARTH_GPU": "\(device.number)"]) == [device])
        #expect(throws: GPUError.noDevice) { try ProcessorChooser.devices(environment: ["HEARTH_GPU": "99"]) }
    }
}
