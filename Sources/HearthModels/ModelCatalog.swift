internal import Foundation
internal import HearthCompute
public import HearthCoreML
public import HearthDelivery
public import HearthRuntime
public import HearthSystem
public import HearthText

/// Models by name: installed from an address, compiled once for this device, and run.
///
///     let catalog = try ModelCatalog()
///     try await catalog.pull("https://huggingface.co/ORG/REPO/resolve/main/FILE.gguf", name: "gemma")
///     let gemma = try catalog.text("gemma")
///     for try await piece in gemma.answer("Why is the sky blue?") { print(piece, terminator: "") }
public struct ModelCatalog: Sendable {
    /// The folders for models and artifacts.
    public let folders: HearthFolders
    private let modelFolders: [String]
    private let library: ModelLibrary

    /// - Parameters:
    ///   - folders: where models and artifacts are stored.
    ///   - modelFolders: further folders to search for `NAME.gguf`, `NAME.mlpackage` and `NAME.mlmodel`, such as an app's
    ///     resources.
    public init(folders: HearthFolders, modelFolders: [String] = []) {
        self.folders = folders
        self.modelFolders = modelFolders
        library = ModelLibrary(folders: folders)
    }

    /// The current user's catalog, shared with the program `hearth`: in `HEARTH_HOME`, or in the system's usual
    /// folders.
    /// - Parameter modelFolders: further folders to search for `NAME.gguf`, `NAME.mlpackage` and `NAME.mlmodel`.
    /// - Throws: ``ModelCatalogError/noFolder``.
    public init(modelFolders: [String] = []) throws(ModelCatalogError) {
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment) else { throw .noFolder }
        self.init(folders: folders, modelFolders: modelFolders)
    }

    // MARK: - Installing

    /// All versions of all installed models.
    public var models: [InstalledModel] { library.listing().models }

    /// Downloads, verifies, installs and compiles a model. An interrupted download resumes where it stopped; the
    /// previous version stays in use until the new one is ready.
    ///
    /// - Parameters:
    ///   - source: address or path of a GGUF file, of a Core ML package (`.mlpackage`, or a zip or tar file of one) or
    ///     of a manifest (`.json`); or a repository of the Hugging Face Hub, `ORG/REPO` or `ORG/REPO:QUANTIZATION`.
    ///   - name: name to install it under; nil takes it from the file or the manifest.
    ///   - sha256: expected SHA-256 of the file at the address, 64 hexadecimal digits; nil checks only what a manifest
    ///     specifies.
    ///   - progress: called a few times per second, on any thread.
    /// - Returns: the version that is now current.
    /// - Throws: ``ModelCatalogError``, ``DeliveryError``, ``FileError`` for a file that is not a model, `CancellationError`.
    @discardableResult
    public func pull(
        _ source: String, name: String? = nil, sha256: String? = nil,
        progress: @escaping @Sendable (PullProgress) -> Void = { _ in }
    ) async throws -> InstalledModel {
        let downloader = Downloader()
        let compilers = ModelCompilers.all(folders: folders, kernels: try KernelSet.selected(by: nil).forText())
        let installer = ModelInstaller(library: library, downloader: downloader, compilers: compilers)
        let origin = PullOrigin(
            source: source, sha256: sha256?.lowercased(), library: library, downloader: downloader)
        let result = try await installer.pull(try await origin.request(name: name), progress: progress)
        guard let installed = library.current(result.record.name) else {
            throw DeliveryError.notInstalled(name: result.record.name, version: nil)
        }
        return installed
    }

    /// Removes a model with all its versions.
    /// - Throws: ``DeliveryError/inUse(name:version:)`` if a runner of any process has one of the versions, loaded or not;
    ///   ``DeliveryError/notInstalled(name:version:)``, ``DeliveryError/storage(path:reason:)``.
    public func remove(_ name: String) throws(DeliveryError) { _ = try library.remove(name: name) }

    /// Makes the previous version current again.
    /// - Returns: that version.
    /// - Throws: ``DeliveryError/nothingBefore(name:)``, ``DeliveryError/notInstalled(name:version:)``,
    ///   ``DeliveryError/storage(path:reason:)``.
    @discardableResult
    public func rollBack(_ name: String) throws(DeliveryError) -> String { try library.rollBack(name: name) }

    // MARK: - Running

    /// A language model. It is loaded by its first use, or earlier by
    /// ``ModelRunner/prepare(priority:retryingFailure:)``.
    /// - Parameters:
    ///   - name: name of an installed model or of a file in the model folders, or the path of a GGUF file.
    ///   - contextLength: context length in tokens; nil for the default, at most what the model was trained for.
    /// - Throws: ``ModelCatalogError/unknownModel(_:)``, ``ModelCatalogError/noSuchFile(_:)``, and an error if `HEARTH_KERNELS`
    ///   names a kernel set that this processor does not support. The file is read later: what is wrong with it is the
    ///   `cause` of a ``RunnerError/failed(message:cause:)`` of the runner.
    public func text(_ name: String, contextLength: Int? = nil) throws -> ModelRunner<TextEngine> {
        let (path, lease) = try located(name)
        var engine = try TextEngine(path: path, contextLength: contextLength, folders: folders)
        engine.owner = lease
        return ModelRunner(engine: engine)
    }

    /// A Core ML model for images, loaded by its first use.
    /// - Parameters:
    ///   - name: name of an installed model or of a package in the model folders, or a path.
    ///   - units: the processors to use.
    /// - Throws: like ``text(_:contextLength:)``.
    public func images(_ name: String, units: ComputeUnits = .all) throws -> ModelRunner<CoreMLEngine> {
        let (path, lease) = try located(name)
        var engine = try CoreMLEngine(path: path, units: units, folders: folders)
        engine.owner = lease
        return ModelRunner(engine: engine)
    }

    /// The path of a model. An installed model may be removed at any time, unless a runner from
    /// ``text(_:contextLength:)`` or ``images(_:units:)`` uses it.
    /// - Throws: ``ModelCatalogError/unknownModel(_:)``, ``ModelCatalogError/noSuchFile(_:)``.
    public func path(of name: String) throws(ModelCatalogError) -> String { try located(name).path }

    /// The path, and the lease that keeps an installed model from being removed.
    private func located(_ name: String) throws(ModelCatalogError) -> (path: String, lease: ModelLease?) {
        func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
        if name.contains("/") {
            guard exists(name) else { throw .noSuchFile(name) }
            return (name, nil)
        }
        if ModelName.isValid(name), let found = library.useCurrent(name) { return (found.model.path, found.lease) }
        // An app's own file may have any name, with or without its extension.
        let endings = [""] + ModelLocator.endings
        // These would be the folder itself, or the one above.
        if !["", ".", ".."].contains(name),
            let path = ModelLocator.file(name, in: modelFolders, endings: endings, exists: exists)
        {
            return (path, nil)
        }
        // A file in the working directory, as for the program.
        guard ModelLocator.endings.contains(where: name.hasSuffix), exists(name) else { throw .unknownModel(name) }
        return (name, nil)
    }
}
