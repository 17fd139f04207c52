import Foundation
import HearthCompute
import HearthModels
import HearthSystem
import HearthText

/// Options of every command that runs a model.
struct EngineOptions: ParsableArguments {
    @Option(valueName: "N", help: "Number of threads; default: one per processor of the performance cores, at most 16.")
    var threads: Int?
    @Flag(help: "Uses half of the processors, at least one: slower, with less power and heat.")
    var efficiency = false

    @Option(
        valueName: "N",
        help:
            "Bits of the activations that meet quantized weights: 16 is exact, 8 faster. Default: what is faster here.")
    var activations: Int?

    /// The requested number of threads; nil for the processors of the performance cores.
    var threadCount: Int? { efficiency ? max(1, WorkerPool.defaultThreads / 2) : threads }

    func validate() throws {
        try Self.check(activations: activations)
        if efficiency, threads != nil { throw UsageError("--threads and --efficiency exclude each other") }
        if let threads, !(1...1024).contains(threads) {
            throw UsageError("'--threads \(threads)' is out of range: expected 1 to 1024")
        }
    }

    static func check(activations: Int?) throws {
        guard let activations, ![8, 16].contains(activations) else { return }
        throw UsageError("'--activations \(activations)' is not known: expected 8 or 16")
    }

    /// A generator for `model`. `HEARTH_KERNELS` selects the kernel set.
    func generator(
        model: TextModel, context: Int?, cache: KVCacheFormat, drafts: Bool = true, parallel: Int = 1,
        adapters: [TextAdapter] = []
    ) throws -> TextGenerator {
        try Trace.shared.interval("reserve memory") {
            try TextGenerator(
                model: model, contextLength: context, threads: threadCount, kernels: try kernels(),
                cacheFormat: cache, usesDrafts: drafts, parallel: parallel, adapters: adapters)
        }
    }

    /// An embedder for the model of `--model`.
    func embedder(_ name: String) throws -> TextEmbedder {
        let model = try model(name)
        return try Trace.shared.interval("reserve memory") {
            try TextEmbedder(
                model: model, threads: threadCount, kernels: Self.kernels().withActivations(bits: activations ?? 16))
        }
    }

    /// The kernel set selected by the environment; checked before a model is loaded.
    static func kernels() throws -> KernelSet {
        let name = ProcessInfo.processInfo.environment["HEARTH_KERNELS"] ?? ""
        return try KernelSet.selected(by: name.isEmpty ? nil : name)
    }

    /// The same set for generating text, with the activations of `--activations`.
    func kernels() throws -> KernelSet { try Self.kernels().forText(activationBits: activations) }

    /// The model of `--model`, from its compiled artifact if there is one. The kernel set is checked first.
    func model(_ name: String, context: Int? = nil) throws -> TextModel {
        let kernels = try kernels()
        let path = try ModelLocator.using.path(of: name)
        let opened = try Trace.shared.interval("load", ["model": path]) {
            try ModelOpening(kernels: kernels, onDrift: ModelOpening.tell).model(path, context: context)
        }
        if opened.wantsCompiling {
            ModelOpening.compileInBackground(path, context: context, activations: activations)
        }
        return opened.model
    }
}

/// A random seed, short enough to read out and exact in JSON.
func drawnSeed() -> UInt64 { UInt64.random(in: 0..<1 << 32) }

/// Checks that a number such as `--max-tokens` or `--context` is at least 1.
func checkPositive(_ name: String, _ value: Int?) throws {
    if let value, value < 1 { throw UsageError("'--\(name) \(value)' is out of range: expected 1 or more") }
}
