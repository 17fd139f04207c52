internal import Foundation
public import HearthCompute
internal import HearthDelivery
internal import HearthGPU
public import HearthRuntime
public import HearthSystem

/// The engine for language models, with which a ``ModelRunner`` compiles, loads and warms up a GGUF file.
///
///     let runner = ModelRunner(engine: try TextEngine(path: "gemma-3-1b-it.gguf", folders: folders))
///     let events = try await runner.withModel { generator in … }
public struct TextEngine: ModelEngine {
    /// What to do with a model that has no compiled artifact yet.
    public enum MissingArtifact: Sendable {
        /// Compile it before loading, for example when an app installs a model.
        case compile
        /// Start from the file, for example when a user is waiting: that is nearly as fast.
        case useFile
    }

    /// What to load: an artifact with the file that it refers to, or the file alone.
    public struct Source: Sendable {
        fileprivate var artifact: TextArtifact?
        /// Profile fields that made a new artifact necessary.
        package var driftedFields: [String] = []
        /// Whether the model is loaded from an artifact.
        package var isCompiled: Bool { artifact != nil }
    }

    /// Path of the model's file, or of the folder of a compiled artifact.
    package let path: String
    /// An object to keep alive as long as the engine: the lease of an installed model.
    package var owner: (any Sendable)?
    /// The processor that runs the model.
    package var compute: TextCompute
    /// Called with the reason when the CPU takes over a text from a failed GPU.
    package var onGPUFailure: @Sendable (String) -> Void = { _ in }
    /// LoRA adapters of texts whose options name none.
    package var adapters: [TextAdapter] = []
    private let cacheFolder: String?
    private let contextLength: Int?
    private let threads: Int?
    private let kernels: KernelSet
    private let cacheFormat: KVCacheFormat
    private let usesDrafts: Bool
    /// Maximum number of texts generated concurrently.
    package let parallel: Int
    /// Whether the last load onto a GPU left weights in the mapped file.
    private let importedWeights = LoadedWeights()
    /// What `auto` chose.
    private let chosen = ChosenProcessor()
    private let compiler: TextCompiler?
    private let whenMissing: MissingArtifact
    private let opening: (@Sendable (TextModel) throws -> TextProgress)?
    private let onDrift: (@Sendable ([String]) -> Void)?

    /// Creates an engine.
    /// - Parameters:
    ///   - path: a GGUF file, or the folder of a compiled artifact.
    ///   - contextLength: in tokens, prompt and answer together; nil for the default, limited to the context length the model
    ///     was trained for.
    ///   - threads: number of threads; nil for the processors of the performance cores.
    ///   - kernels: kernel set; nil for the fastest.
    ///   - cacheFormat: number format of the KV cache; nil for float16.
    ///   - usesDrafts: whether to use speculative decoding; see ``TextGenerator``.
    ///   - parallel: maximum number of texts generated concurrently. The runner has to allow as many uses.
    ///   - usesGPU: whether to run the model on a GPU. If there is none, or if it does not support the model, loading throws an
    ///     error that says so, and an engine for the CPU can take its place. If the device fails later, the CPU continues the text.
    ///   - folders: where artifacts are stored; nil to store none.
    ///   - whenMissing: what to do if there is no compiled artifact yet.
    ///   - opening: the prompt that will be needed first, if known. The warm-up processes it and keeps its KV cache. It also
    ///     extends the default context length if it needs more.
    ///   - onDrift: called before the model loads if there are artifacts of the same model but none for this profile, with the
    ///     names of the fields that changed since the latest one.
    public init(
        path: String, contextLength: Int? = nil, threads: Int? = nil, kernels: KernelSet? = nil,
        cacheFormat: KVCacheFormat? = nil, usesDrafts: Bool = true, parallel: Int = 1,
        usesGPU: Bool = false, folders: HearthFolders?, whenMissing: MissingArtifact = .compile,
        opening: (@Sendable (TextModel) throws -> TextProgress)? = nil,
        onDrift: (@Sendable ([String]) -> Void)? = nil
    ) throws {
        self.path = path
        self.contextLength = contextLength
        self.threads = threads
        self.kernels = try kernels ?? KernelSet.selected(by: nil).forText()
        self.cacheFormat = cacheFormat ?? TextGenerator.defaultCacheFormat
        self.usesDrafts = usesDrafts
        self.parallel = parallel
        compute = usesGPU ? .gpu : .cpu
        self.whenMissing = whenMissing
        self.opening = opening
        self.onDrift = onDrift
        cacheFolder = folders?.cache
        compiler = folders.map { [kernels = self.kernels] in TextCompiler(folders: $0, kernels: kernels) }
    }

    private var isFolder: Bool { ((try? SystemFiles().status(path)) ?? nil)?.kind == .folder }

    /// The profile. The first call for a file reads all of it to compute its digest.
    public func profile() async throws -> RuntimeProfile {
        let compiler = compiler ?? TextCompiler(folders: HearthFolders(data: "/", cache: "/"), kernels: kernels)
        let profile = try await OwnThread.run { [path, contextLength, isFolder] isCancelled in
            if isFolder { return try TextCompiler.open(folder: path).profile }
            return try compiler.profile(path, contextLength: contextLength) { _ in
                if isCancelled() { throw CancellationError() }
            }
        }
        // Before the first load, what is chosen now.
        if compute == .auto, chosen.current == nil { choose() }
        let (device, ground) = compute == .auto ? chosen.current ?? (nil, nil) : (try compute.device(), nil)
        guard let device else { return profile.chosen(ground) }
        // Before the first load, what the device is expected to do.
        return profile.onGPU(device, importsWeights: importedWeights.areInPlace ?? (device.weights == .imported))
            .chosen(ground)
    }

    /// Chooses a processor by what was measured.
    private func choose() {
        chosen.current =
            chooser.map {
                let (device, choice) = $0.choose()
                return (device, choice.ground)
            } ?? (nil, nil)
    }

    /// nil where nothing is stored.
    private var chooser: ProcessorChooser? {
        guard let cacheFolder, let file = isFolder ? try? TextCompiler.open(folder: path).modelPath : path,
            let source = SourceIdentity(path: file)
        else { return nil }
        return ProcessorChooser(
            source: source, cacheFolder: cacheFolder, kernels: kernels, threads: threads ?? WorkerPool.defaultThreads)
    }

    /// The work to expect: compiling reads the file once, and so does the first inference, which loads the weights into memory.
    public func workload() async throws -> Workload {
        let file = try isFolder ? TextCompiler.open(folder: path).modelPath : path
        // A missing file is reported by loading.
        let size = SourceIdentity(path: file)?.bytes ?? 0
        let compiles = whenMissing == .compile && compiler?.find(path, contextLength: contextLength) == nil && !isFolder
        return Workload(compile: compiles ? size : 0, load: 0, warmUp: size)
    }

    /// Finds the artifact, or compiles it if requested.
    public func compile(_ progress: WorkProgress) async throws -> Compilation<Source> {
        if isFolder { return Compilation(Source(artifact: try TextCompiler.open(folder: path)), reused: true) }
        guard let compiler else { return Compilation(Source(), reused: false) }
        let result = try await OwnThread.run { [path, contextLength, whenMissing] isCancelled in
            if let found = compiler.find(path, contextLength: contextLength) {
                return Compilation(
                    Source(artifact: found.artifact, driftedFields: found.driftedFields), reused: found.reused)
            }
            guard whenMissing == .compile else {
                let drift = compiler.drift(path, contextLength: contextLength)
                return Compilation(Source(driftedFields: drift), reused: false)
            }
            let made = try compiler.compile(
                path, contextLength: contextLength, progress: { progress($0) }, isCancelled: isCancelled)
            return Compilation(
                Source(artifact: made.artifact, driftedFields: made.driftedFields), reused: made.reused)
        }
        if !result.compiled.driftedFields.isEmpty { onDrift?(result.compiled.driftedFields) }
        return result
    }

    /// Maps the model; the weights are read during the first inference.
    public func load(_ source: Source, _ progress: WorkProgress) async throws -> TextGenerator {
        if compute == .auto { choose() }
        guard let device = compute == .auto ? chosen.current?.device : try compute.device() else {
            return try await generator(source)
        }
        do {
            let generator = try await generator(source)
            try await generator.useGPU(device, cacheFolder: cacheFolder) { [onGPUFailure] in
                onGPUFailure($0.localizedDescription)
            }
            importedWeights.areInPlace = await generator.gpuImportedBytes.map { $0 > 0 }
            return generator
        } catch let error as GPUError where compute == .auto {
            // What could be measured may lack memory now.
            onGPUFailure(error.localizedDescription)
            chosen.current = (nil, "the GPU failed")
            return try await generator(source)
        }
    }

    /// A generator on the CPU.
    private func generator(_ source: Source) async throws -> TextGenerator {
        try await OwnThread.run {
            [path, contextLength, threads, kernels, cacheFormat, usesDrafts, parallel, opening, adapters] _ in
            let model = try Self.model(source, path)
            var context = contextLength
            if context == nil, let text = try? opening?(model) {
                let (needed, isAbsurd) = text.tokens.count.addingReportingOverflow(text.options.maximumTokens)
                let trained = model.configuration.contextLength
                if isAbsurd || needed > TextGenerator.defaultContextLength {
                    context = isAbsurd ? trained : min(needed, trained)
                }
            }
            return try TextGenerator(
                model: model, contextLength: context, threads: threads, kernels: kernels, cacheFormat: cacheFormat,
                usesDrafts: usesDrafts, parallel: parallel, adapters: adapters)
        }
    }

    /// Loads a model. If it has changed since, or its artifact turns out to be damaged, falls back to the model's file.
    static func model(_ source: Source, _ path: String) throws -> TextModel {
        guard let artifact = source.artifact else { return try TextModel(path: path) }
        do {
            return try TextModel(artifact: artifact)
        } catch {
            return try TextModel(path: artifact.modelPath)
        }
    }

    /// Runs one inference, which also waits for the weights to be read into memory, and checks that its logits are plausible.
    public func warmUp(_ generator: TextGenerator, _ progress: WorkProgress) async throws {
        let watch = Task(priority: .utility) {
            while !Task.isCancelled {
                progress(generator.bytesRead)
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { watch.cancel() }
        // An opening that does not fit or cannot be encoded is reported when it is requested.
        let text = try? opening?(generator.model)
        let isUsable = (try? generator.model.check(text?.tokens ?? [], contextLength: generator.contextLength)) != nil
        try await generator.warmUp(isUsable ? text : nil)
    }

    /// Stops the generation in progress, and prevents further ones.
    public func interrupt(_ generator: TextGenerator) { generator.close() }

    /// Stops all generations and returns when none is running.
    public func unload(_ generator: TextGenerator) async {
        generator.close()
        await generator.waitUntilIdle()
    }
}
