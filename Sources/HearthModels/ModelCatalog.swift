internal import Foundation
internal import HearthCompute
public import HearthDelivery
public import HearthRuntime
public import HearthSystem
public import HearthText
public import HearthVision

/// Models by name: installed from an address, compiled once for this device, and run.
///
///     let catalog = try ModelCatalog()
///     try await catalog.pull("https://huggingface.co/ORG/REPO/resolve/main/FILE.gguf", name: "gemma")
///     let gemma = try catalog.text("gemma")
///     for try await piece in gemma.answer("Why is the sky blue?") { print(piece, terminator: "") }
public struct ModelCatalog: Sendable {
    /// Where models and artifacts are kept.
    public let folders: HearthFolders
    private let modelFolders: [String]
    private let library: ModelLibrary

    /// - Parameters:
    ///   - folders: where models and artifacts are kept.
    ///   - modelFolders: folders beside the library in which `NAME.gguf`, `NAME.mlpackage` and `NAME.mlmodel` are looked for,
    ///     such as an app's resources.
    public init(folders: HearthFolders, modelFolders: [String] = []) {
        self.folders = folders
        self.modelFolders = modelFolders
        library = ModelLibrary(folders: folders)
    }

    /// The catalog of this user, which the program `hearth` uses too: `HEARTH_HOME`, or the usual folders of the system.
    /// - Throws: ``ModelCatalogError/noFolder``.
    public init(modelFolders: [String] = []) throws(ModelCatalogError) {
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment) else { throw .noFolder }
        self.init(folders: folders, modelFolders: modelFolders)
    }

    // MARK: - Installing

    /// What is installed, all versions of each model.
    public var models: [InstalledModel] { library.listing().models }

    /// Downloads, verifies, installs and compiles a model. What was cut off goes on where it stopped; the version before
    /// answers until the new one can.
    ///
    /// - Parameters:
    ///   - source: the address or the path of a GGUF file or of a manifest (`.json`).
    ///   - name: nil takes the file's, or the manifest's.
    ///   - sha256: that the file at the address must have, 64 hexadecimal digits; nil checks what a manifest says.
    ///   - progress: called some times a second, on any thread.
    /// - Returns: the version that is current now.
    /// - Throws: ``ModelCatalogError``, `DeliveryError`, `FormatError` for a file that is no model, `CancellationError`.
    @discardableResult
    public func pull(
        _ source: String, name: String? = nil, sha256: String? = nil,
        progress: @escaping @Sendable (PullProgress) -> Void = { _ in }
    ) async throws -> InstalledModel {
        let downloader = Downloader()
        let compiler = TextModelCompiler(folders: folders, kernels: try KernelSet.selected(by: nil))
        let installer = ModelInstaller(library: library, downloader: downloader, compiler: compiler)
        let origin = PullOrigin(
            source: source, sha256: sha256?.lowercased(), library: library, downloader: downloader)
        var request = PullRequest(try await origin.resolve())
        request.name = name
        if case .url = request.origin { request.sha256 = origin.sha256 }
        let result = try await installer.pull(request, progress: progress)
        guard let installed = library.current(result.record.name) else {
            throw DeliveryError.notInstalled(name: result.record.name, version: nil)
        }
        return installed
    }

    /// Removes a model with all its versions.
    /// - Throws: `DeliveryError.inUse` while a runner, or another process, uses it.
    public func remove(_ name: String) throws(DeliveryError) { _ = try library.remove(name: name) }

    /// Goes back to the version that was current before.
    /// - Returns: that version.
    /// - Throws: `DeliveryError.nothingBefore`.
    @discardableResult
    public func rollBack(_ name: String) throws(DeliveryError) -> String { try library.rollBack(name: name) }

    // MARK: - Running

    /// A language model, loaded by its first use; ``ModelRunner/prepare(priority:retryingFailure:)`` loads it ahead.
    /// - Parameters:
    ///   - name: of an installed model or a file in the folders of models, or the path of a GGUF file.
    ///   - contextLength: nil takes the default within what the model was trained for.
    /// - Throws: ``ModelCatalogError/unknownModel(_:)``; `ComputeError` for a kernel set that this processor does not run.
    public func text(_ name: String, contextLength: Int? = nil) throws -> ModelRunner<TextEngine> {
        let (path, lease) = try located(name)
        var engine = try TextEngine(path: path, contextLength: contextLength, folders: folders)
        engine.owner = lease
        return ModelRunner(engine: engine)
    }

    /// A Core ML model for images, loaded by its first use.
    /// - Parameters:
    ///   - name: of a package or a model in the folders of models, or its path.
    ///   - units: what of the device computes.
    /// - Throws: as ``text(_:contextLength:)``.
    public func images(_ name: String, units: ComputeUnits = .all) throws -> ModelRunner<CoreMLEngine> {
        let (path, lease) = try located(name)
        var engine = try CoreMLEngine(path: path, units: units, folders: folders)
        engine.owner = lease
        return ModelRunner(engine: engine)
    }

    /// Where the files of a model are. An installed one may be removed unless a runner of ``text(_:contextLength:)`` or
    /// ``images(_:units:)`` uses it.
    /// - Throws: ``ModelCatalogError/unknownModel(_:)``, ``ModelCatalogError/noSuchFile(_:)``.
    public func path(of name: String) throws(ModelCatalogError) -> String { try located(name).path }

    /// The path, and what keeps an installed model from being removed.
    private func located(_ name: String) throws(ModelCatalogError) -> (path: String, lease: ModelLease?) {
        func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        if name.contains("/") {
            guard exists(name) else { throw .noSuchFile(name) }
            return (name, nil)
        }
        if let found = installed(name) { return found }
        for folder in modelFolders {
            for ending in ["", ".gguf", ".mlpackage", ".mlmodel"] where exists("\(folder)/\(name)\(ending)") {
                return ("\(folder)/\(name)\(ending)", nil)
            }
        }
        throw .unknownModel(name)
    }

    private func installed(_ name: String) -> (path: String, lease: ModelLease?)? {
        guard ModelName.isValid(name) else { return nil }
        for _ in 0..<3 {
            guard let model = library.current(name) else { return nil }
            if let lease = library.use(model) { return (model.path, lease) }
        }
        // Somebody else's library, which cannot be written: what is there can be used.
        return library.current(name).map { ($0.path, nil) }
    }
}
