import Foundation
import HearthCompute
import HearthSystem
import HearthText

/// Options of every command that runs a model.
struct EngineOptions: ParsableArguments {
    @Option(valueName: "N", help: "Threads that compute; default: one for each performance core.")
    var threads: Int?
    @Flag(help: "Computes on half of the processors, at least one: slower, for less power and less heat.")
    var efficiency = false

    /// Threads that were asked for; nil for one a processor.
    var threadCount: Int? { efficiency ? max(1, WorkerPool.defaultThreads / 2) : threads }

    func validate() throws {
        if efficiency, threads != nil { throw UsageError("--threads and --efficiency exclude each other") }
        if let threads, !(1...1024).contains(threads) {
            throw UsageError("'--threads \(threads)' is out of range: expected 1 to 1024")
        }
    }

    /// A generator for `model`. `HEARTH_KERNELS` picks the kernel set.
    func generator(model: TextModel, context: Int?, cache: KVCacheFormat, drafts: Bool = true) throws -> TextGenerator {
        try Trace.shared.interval("reserve memory") {
            try TextGenerator(
                model: model, contextLength: context, threads: threadCount, kernels: try Self.kernels(),
                cacheFormat: cache, usesDrafts: drafts)
        }
    }

    /// The kernel set of the environment; checked before a model is loaded.
    static func kernels() throws -> KernelSet {
        let name = ProcessInfo.processInfo.environment["HEARTH_KERNELS"] ?? ""
        return try KernelSet.selected(by: name.isEmpty ? nil : name)
    }

    /// The model that `--model` means, with the kernel set checked first; from its compiled artifact where there is one.
    func model(_ name: String, context: Int? = nil) throws -> TextModel {
        let kernels = try Self.kernels()
        let path = try ModelLocator.using.path(of: name)
        let opened = try Trace.shared.interval("load", ["model": path]) {
            try ModelOpening(kernels: kernels).model(path, context: context)
        }
        if opened.wantsCompiling { ModelOpening.compileInBackground(path, context: context) }
        return opened.model
    }
}

/// How the next token is chosen. What is not given comes from the model's file.
struct SamplingFlags: ParsableArguments {
    @Option(valueName: "X", help: "0 always takes the likeliest token; higher values take more risks.")
    var temperature: Float?
    @Option(valueName: "K", help: "Only the K likeliest tokens; 0 for all.")
    var topK: Int?
    @Option(valueName: "P", help: "Only the likeliest tokens that together have this probability; 1 for all.")
    var topP: Float?
    @Option(valueName: "P", help: "Only tokens at least this likely in proportion to the likeliest; 0 for all.")
    var minP: Float?
    @Option(valueName: "R", help: "Makes tokens that occurred lately less likely; 1 for no change.")
    var repeatPenalty: Float?
    @Option(valueName: "N", help: "Same seed, same text; default: drawn at random.")
    var seed: UInt64?
    @Flag(help: "Always takes the likeliest token; the same as --temperature 0.")
    var greedy = false

    func validate() throws {
        func check(_ name: String, _ value: Float?, _ range: ClosedRange<Float>) throws {
            guard let value, !range.contains(value) else { return }
            throw UsageError(
                "'--\(name) \(value)' is out of range: expected \(range.lowerBound) to \(range.upperBound)")
        }
        try check("temperature", temperature, 0...100)
        try check("top-p", topP, 0...1)
        try check("min-p", minP, 0...1)
        try check("repeat-penalty", repeatPenalty, 0.01...100)
        if let topK, topK < 0 { throw UsageError("'--top-k \(topK)' is out of range: expected 0 or more") }
    }

    /// The model's own settings with the given ones in their place.
    func choice(seed: UInt64) -> @Sendable (SamplingOptions) -> SamplingOptions {
        {
            [temperature, topK, topP, minP, repeatPenalty, greedy] defaults in
            var options = defaults
            if let temperature { options.temperature = temperature }
            if let topK { options.topK = topK }
            if let topP { options.topP = topP }
            if let minP { options.minP = minP }
            if let repeatPenalty { options.repeatPenalty = repeatPenalty }
            if greedy { options.temperature = 0 }
            options.seed = seed
            return options
        }
    }
}

/// A seed that a person can read out and JSON can hold.
func drawnSeed() -> UInt64 { UInt64.random(in: 0..<1 << 32) }

/// `--max-tokens` and `--context` begin at 1.
func checkPositive(_ name: String, _ value: Int?) throws {
    if let value, value < 1 { throw UsageError("'--\(name) \(value)' is out of range: expected 1 or more") }
}
