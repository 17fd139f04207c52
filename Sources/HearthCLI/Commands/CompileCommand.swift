import Foundation
import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthGPU
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText

/// `hearth compile`: does the work once that every start would otherwise repeat.
struct CompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles a model for fast starts on this device.",
        discussion: """
            Text models: stores the vocabulary as it is used at run time, and the location of every tensor.
            Weights are not copied; they are read from the model's file, which must stay where it is.

            Core ML packages: stores an execution plan and packed weights, and a start reads nothing else.
            Weights that the package stores as palettes, linear codes or half precision stay compressed, and
            are expanded during the computation.

            With --compute gpu, the GPU's driver also compiles the model's shaders, and the result is stored with
            the artifact. If the driver or the shaders have changed since, they are compiled again, with a note.

            The same model, context length, kernel set and system reuse the same artifact; a change of any of
            them makes a new one and is reported. An artifact is optional: a model without one starts from its
            file. With --verify, a model file that has changed is an error with exit status 3.
            """,
        examples: [
            ("compile --model gemma-3-1b-it.gguf", "Compiles a model, unless it is compiled already."),
            ("compile --model gemma --context 8192 --json", "Compiles it for a longer context; reports as JSON."),
            ("compile --model Digits.mlpackage", "Compiles a Core ML package: plan and packed weights."),
            ("compile --model gemma --compute gpu", "Also compiles its shaders for the GPU."),
            ("compile --model Digits.mlpackage --compute gpu", "The same for a Core ML package."),
            ("compile --model gemma --verify", "Checks every byte, and rebuilds the artifact if it is damaged."),
        ])

    @Option(valueName: "M", help: "GGUF file, Core ML package, name of a model, or folder of a compiled artifact.")
    var model: String
    @Option(
        valueName: "N",
        help: "Context length in tokens, prompt and answer together; default: 4096, or less if the model has less."
    )
    var context: Int?
    @Option(valueName: "U", help: "Core ML: compute units to use.")
    var units: ComputeUnits?
    @Option(
        valueName: "W",
        help:
            "Core ML: stores weights expanded (mapped) or compressed (compact); default: as the model does."
    )
    var weights: WeightStorage?
    @Option(
        valueName: "N",
        help: "GGUF: bits of the activations that the model will be run with, 8 or 16; default: what is faster here.")
    var activations: Int?
    @Option(
        valueName: "P", help: "Processor: gpu also compiles shaders for the GPU that will run it; cpu and auto do not.")
    var compute: TextCompute = .auto
    @Flag(help: "Not supported: models stay where they are; ends with status 4.")
    var dropSource = false
    @Flag(help: "Checks every byte of the model and of the artifact; rebuilds a damaged artifact.")
    var verify = false
    @Flag(help: "Runs at the lowest priority, and prints nothing.")
    var background = false
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        try checkPositive("context", context)
        try EngineOptions.check(activations: activations)
        if dropSource {
            throw CommandFailure(
                .unavailable, "the model's source cannot be dropped", at: "--drop-source",
                todo: "Text models are read from it, and Core ML packages compiled from it again. "
                    + "Compile without --drop-source.")
        }
    }

    private struct Result: Encodable {
        var profile: RuntimeProfile
        var digest: String
        var bytes: Int
        var seconds: Double
        var reused: Bool
        var driftedFields: [String]
        var path: String
        /// How the artifact of an image model stores weights; a text model's stay in its file.
        var weights: WeightSummary?
        /// With `--compute gpu`.
        var gpu: GPUResult?
    }

    private struct GPUResult: Encodable, Sendable {
        var device: String
        var driver: String
        var pipelines: Int
        var bytes: Int
        var reused: Bool
        /// Why they were compiled again.
        var drift: String?

        init(_ made: GPUCompilation) {
            (device, driver, pipelines) = (made.device, made.driver, made.pipelines)
            (bytes, reused, drift) = (made.bytes, made.reused, made.drift)
        }
    }

    mutating func run() async throws {
        // Checked before the model is located.
        let device = try compute.device()
        let kernels = try EngineOptions.kernels()
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment) else {
            throw CommandFailure(
                .unavailable, "there is no folder for artifacts", at: "HOME", todo: "Set HEARTH_HOME to a folder.")
        }
        if background {
            BackgroundProcess.yieldToOthers()
            // Lets the parent process print its first output before this one starts working.
            try await Task.sleep(for: .seconds(2))
        }
        let named = try ModelLocator.current.path(of: model)
        if CoreMLOpening.isVision(named) { return try await compileVision(named, folders, kernels, device) }
        if units != nil || weights != nil {
            throw UsageError(
                "'--\(units != nil ? "units" : "weights")' is for Core ML packages", command: "compile",
                suggestion: "Leave it out for a text model.")
        }
        let path = try sourcePath()
        let compiler = TextCompiler(folders: folders, kernels: kernels.forText(activationBits: activations))
        let begin = ContinuousClock.now
        let meter = background || json ? nil : ProgressMeter(total: compiler.workload(path), label: "compiling")
        // On a thread of its own, so that no thread of Swift's pool is blocked. Interrupting the process is safe at any
        // time: it leaves nothing behind that a start would use.
        let (context, verify) = (context, verify)
        let digest = try InstalledModels.library().sha256(ofFileAt: path).map(TextCompiler.KnownDigest.expected)
        let made = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Swift.Result {
                        try compiler.compile(
                            path, contextLength: context, digest: digest, isVerifying: verify,
                            progress: { meter?.show($0) })
                    })
            }
        }
        meter?.clear()
        var gpu: GPUResult?
        if let device {
            gpu = try await OwnThread.run { _ in
                let model = try TextModel(artifact: made.artifact)
                return GPUResult(try model.compilePipelines(for: device, cacheFolder: folders.cache))
            }
        }
        if background { return }
        let seconds = (ContinuousClock.now - begin).milliseconds / 1000
        ModelOpening.tell(made.driftedFields)
        try report(
            Result(
                profile: made.artifact.profile, digest: made.artifact.digest, bytes: made.artifact.bytes,
                seconds: seconds, reused: made.reused, driftedFields: made.driftedFields, path: made.artifact.path,
                gpu: gpu))
    }

    private func report(_ result: Result) throws {
        if let reason = result.gpu?.drift {
            Output.error.writeLine("hearth: compiled for the GPU again: \(reason)")
        }
        if json {
            try Output.standard.writeJSON(result)
        } else {
            let what = result.reused ? "is compiled already" : "is compiled"
            let size = ByteCountFormatter.string(fromByteCount: Int64(result.bytes), countStyle: .file)
            let kept = result.weights.map { ", weights \(ArtifactReport.shown($0))" } ?? ""
            Output.standard.writeLine(
                "\(model.withVisibleControls) \(what): \(size)\(kept) in \(result.path.withVisibleControls)")
            if let gpu = result.gpu {
                let state = gpu.reused ? "are compiled already" : "are compiled"
                Output.standard.writeLine(
                    "\(gpu.pipelines) shaders for \(gpu.device.withVisibleControls) \(state): "
                        + ByteCountFormatter.string(fromByteCount: Int64(gpu.bytes), countStyle: .file))
            }
        }
    }

    private func compileVision(
        _ path: String, _ folders: HearthFolders, _ kernels: KernelSet, _ device: GPUDeviceInfo?
    ) async throws {
        let textual = [("context", context != nil), ("activations", activations != nil)].first { $0.1 }
        if let textual {
            throw UsageError(
                "'--\(textual.0)' is for text models", command: "compile",
                suggestion: "Leave it out for a Core ML package.")
        }
        let source = CoreMLArtifact.isArtifact(path) ? try CoreMLCompiler.open(folder: path).modelPath : path
        let compiler = CoreMLCompiler(folders: folders, kernels: kernels, storage: weights)
        let begin = ContinuousClock.now
        let meter = background || json ? nil : ProgressMeter(total: compiler.workload(source), label: "compiling")
        let (units, verify) = (units ?? .all, verify)
        let expected = try InstalledModels.library().sha256(ofFileAt: source)
        let made = try await OwnThread.run { _ in
            try compiler.compile(source, units: units, isVerifying: verify, progress: { meter?.show($0) })
        }
        if let expected, made.artifact.profile.modelSHA256 != expected {
            compiler.cache.remove(made.artifact.digest)
            throw CommandFailure(
                .invalidInput, "the installed model has changed", at: model, todo: "Pull it again.")
        }
        meter?.clear()
        var gpu: GPUResult?
        if let device {
            let session = try await OwnThread.run { _ in
                try CoreMLSession(artifact: made.artifact, threads: units.threads, kernels: kernels)
            }
            gpu = GPUResult(try await session.compilePipelines(for: device, cacheFolder: folders.cache))
        }
        if background { return }
        ModelOpening.tell(made.driftedFields)
        try report(
            Result(
                profile: made.artifact.profile, digest: made.artifact.digest, bytes: made.artifact.bytes,
                seconds: (ContinuousClock.now - begin).milliseconds / 1000, reused: made.reused,
                driftedFields: made.driftedFields, path: made.artifact.path, weights: made.artifact.weights, gpu: gpu))
    }

    /// The path of the model's file; an artifact names its source.
    private func sourcePath() throws -> String {
        let path = try ModelLocator.current.path(of: model)
        guard ModelOpening.isFolder(path) else { return path }
        return try TextCompiler.open(folder: path).modelPath
    }
}
