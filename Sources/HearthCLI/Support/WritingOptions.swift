import HearthModels
import HearthText

/// The options of commands in which a model writes: `generate`, `chat` and `story`.
struct WritingOptions: ParsableArguments {
    @OptionGroup var engine: EngineOptions
    @OptionGroup var compute: ComputeOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var drafts: DraftOptions
    @OptionGroup var adapters: AdapterOptions

    /// The model of `--model`, with its own runner.
    /// - Parameters:
    ///   - texts: how many texts are generated at a time.
    ///   - opening: the beginning of the first text, which is computed as soon as the model is loaded.
    func host(
        _ model: String, context: Int?, texts: Int = 1, opening: @escaping @Sendable (TextModel) throws -> TextProgress
    ) throws -> ModelHost<TextEngine> {
        try ModelHost(
            model, context: context, threads: engine.threadCount, kernels: try engine.kernels(),
            compute: compute.compute, cache: cache.format, drafts: !drafts.noDrafts, adapters: adapters.lora,
            texts: texts, opening: opening,
            onDrift: { ModelOpening.tell($0) }, onGPUFailure: { ComputeOptions.tell($0) })
    }

    /// Logs the start, and compiles in the background what the next one can use.
    func finish(_ host: ModelHost<TextEngine>, context: Int?) async {
        await host.recordStart()
        await host.compileForNextTime(context: context, activations: engine.activations)
    }
}
