import Foundation
import HearthCompute
import HearthDelivery
import HearthModels
import HearthSystem

/// `hearth pull`: downloads, verifies, installs and compiles a model.
struct PullCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Downloads and installs a model.",
        discussion: """
            Takes the address or the path of a GGUF file, of a Core ML model (.mlmodel, .mlpackage, or a .zip, .tar or
            .tar.gz of one) or of a manifest; or a repository of the Hugging Face hub. An interrupted download resumes
            where it stopped. The previous version stays in use until the new one is verified and compiled. Addresses
            are https, or http on this machine only. A version older than one used before is refused without
            --allow-downgrade.

            ORG/REPO means the hub unless there is such a file here; a word that begins with '/', './' or '../', or has
            the ending of a model file, is always a path, and hf://ORG/REPO is always the hub. ':NAME' chooses a
            quantization, a file or a package, and '@REVISION' before it a branch, a tag or a commit. Without ':NAME',
            the first that exists of Q4_K_M, Q4_0, Q4_K_S, Q8_0, Q5_K_M, Q5_0, Q6_K, F16 and BF16 is taken. HF_TOKEN is
            sent to the hub and to no other host; HF_ENDPOINT sets another hub.
            """,
        examples: [
            (
                "pull https://huggingface.co/ggml-org/gemma-3-270m-it-GGUF/resolve/main/gemma-3-270m-it-Q8_0.gguf",
                "Installs a model under the name gemma-3-270m-it-Q8_0."
            ),
            ("pull ggml-org/gemma-3-270m-it-GGUF:Q8_0", "The same, by repository and quantization."),
            (
                "pull https://models.example/Digits.mlpackage.zip --name digits",
                "Installs an image model; then: hearth classify --model digits seven.png"
            ),
            ("pull https://models.example/bedtime.json --purgeable", "Installs what a manifest lists, as a cache."),
            ("pull model.gguf --name bedtime --json", "Installs a file of this machine; prints what was done."),
        ])

    @Argument(
        valueName: "URL|MANIFEST|ORG/REPO[:NAME]",
        help: "Address or path of a model or a manifest (.json), or a repository on the hub."
    )
    var source: String
    @Option(
        valueName: "H",
        help: "Required SHA-256 of the file at the address (of the archive itself), 64 hexadecimal digits.")
    var sha256: String?
    @Option(valueName: "N", help: "Name to install it under; default: taken from the file or the manifest.")
    var name: String?
    @Flag(help: "Keeps this version current, whatever is installed later.")
    var pin = false
    @Flag(help: "Keeps the model until it is removed; the default for a new one.")
    var keep = false
    @Flag(help: "Stores the model where the system may remove it when space is needed.")
    var purgeable = false
    @Flag(help: "Accepts a version that is older than one used before.")
    var allowDowngrade = false
    @Flag(help: "Accepts a model that requires more memory than this device has.")
    var allowLittleMemory = false
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        if keep, purgeable { throw UsageError("'--keep' and '--purgeable' exclude each other", command: "pull") }
        try Self.check(sha256: sha256, name: name, command: "pull")
        if source.isEmpty { throw UsageError("the address is empty", command: "pull") }
    }

    /// Checks options that describe the model.
    static func check(sha256: String?, name: String?, command: String) throws {
        if let sha256, !ModelName.isDigest(sha256.lowercased()) {
            throw UsageError("'--sha256' takes 64 hexadecimal digits", command: command)
        }
        if let name, !ModelName.isValid(name) {
            throw UsageError(
                "'--name \(name.prefix(80))' cannot be a model's name", command: command,
                suggestion: "Use ASCII letters, digits, '.', '-' and '_'.")
        }
    }

    private struct Report: Encodable {
        var name: String
        var version: String
        var bytes: Int
        var sha256: String
        var resumedFrom: Int
        var seconds: Double
        /// The engine that runs it: text or coreml.
        var engine: String
        /// Size of the installed files; larger than the download if that was an archive.
        var installedBytes: Int
        var current: Bool
        var path: String
        @ExplicitNull var notice: String?
    }

    mutating func run() async throws {
        let begin = ContinuousClock.now
        let library = try InstalledModels.library()
        let compilers = ModelCompilers.all(
            folders: try InstalledModels.folders(), kernels: try EngineOptions.kernels().forText())
        let downloader = Downloader()
        let installer = ModelInstaller(library: library, downloader: downloader, compilers: compilers)
        let origin = PullOrigin(source: source, sha256: sha256?.lowercased(), library: library, downloader: downloader)
        let bar = json ? nil : PullBar()
        let (name, pin, allowDowngrade, allowLittleMemory) = (name, pin, allowDowngrade, allowLittleMemory)
        let storage: StorageClass? = keep ? .kept : purgeable ? .purgeable : nil

        let result: PullResult
        do {
            // An interruption saves the partial download; the next pull resumes from there.
            result = try await Interruption.shared.cancelling {
                bar?.end()
                Output.error.writeLine("hearth: interrupted; the same command resumes from here")
            } _: {
                var request = try await origin.request(name: name)
                request.storage = storage
                request.pins = pin
                request.allowDowngrade = allowDowngrade
                request.allowLittleMemory = allowLittleMemory
                return try await installer.pull(request) { bar?.show($0) }
            }
        } catch {
            bar?.end()
            throw error
        }
        bar?.end()
        let seconds = (ContinuousClock.now - begin).milliseconds / 1000
        Interruption.shared.finish { report(result, seconds: seconds, library: library) }
    }

    private func report(_ result: PullResult, seconds: Double, library: ModelLibrary) {
        let record = result.record
        let unpinning = result.isHeldByPin ? "; 'hearth models --unpin \(record.name)' ends that" : ""
        let notice = result.notice.map { $0 + unpinning }
        if let notice { Output.error.writeLine("hearth: " + notice.withVisibleControls) }
        let path = library.versions(of: record.name).first { $0.version == record.version }?.path ?? ""
        let report = Report(
            name: record.name, version: record.version, bytes: result.downloadedBytes,
            sha256: result.downloadedSHA256, resumedFrom: result.resumedFrom, seconds: seconds,
            engine: record.engine.rawValue, installedBytes: record.bytes, current: result.isCurrent, path: path,
            notice: notice)
        guard !json else {
            Output.standard.writeReport(report)
            return
        }
        let resumed = result.resumedFrom > 0 ? ", \(ByteSize.text(result.resumedFrom)) of it downloaded before" : ""
        Output.standard.writeLine(
            "\(record.name) \(record.version) is installed: \(ByteSize.text(record.bytes))\(resumed) "
                + "in \(PullBar.duration(seconds))")
        guard result.isCurrent else { return }
        let example =
            record.engine == .text ? "generate --model \(record.name) --prompt Hello" : "inspect \(record.name)"
        Output.standard.writeLine("Try: hearth \(example)")
    }
}
