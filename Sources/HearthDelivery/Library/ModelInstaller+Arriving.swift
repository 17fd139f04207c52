internal import Foundation
internal import HearthSystem
internal import Synchronization

/// A model whose verified files are among the blobs.
struct ArrivedModel: Sendable, Equatable {
    var engine: ModelEngineKind
    /// The files, as in the record of a version.
    var files: [ModelRecord.File]
    /// The archive that contained them.
    var archive: ModelRecord.File?

    var sha256: String {
        ModelRecord(name: "", version: "", files: files, engine: engine, source: "", installed: 0, sequence: 0).sha256
    }
}

/// A file to download, and what is known about it.
package struct WantedFile: Sendable, Equatable {
    /// Its path within the model; nil if its content decides.
    package var path: String?
    package var request: DownloadRequest

    package init(path: String?, request: DownloadRequest) { (self.path, self.request) = (path, request) }
}

extension ModelInstaller {
    struct Arrival: Sendable {
        var model: ArrivedModel
        var resumedFrom: Int
        /// Keep the files from being removed until the record names them.
        var holds: [ModelLease]
    }

    typealias Report = @Sendable (PullProgress) -> Void

    // MARK: - One file

    /// Downloads a model that is a single file: a GGUF file, a `.mlmodel`, or an archive, which is unpacked.
    func fetchModel(
        _ want: WantedFile, declared: ModelEngineKind?, _ target: Target, _ progress: @escaping Report
    ) async throws -> Arrival {
        let holds = Mutex<[ModelLease]>([])
        let address = want.request.urls.first ?? ""
        let done = try await downloader.download(
            want.request, into: library.partialFolder(target.storage),
            alreadyThere: { sha256, check in
                guard let sha256 else { return nil }
                if let (record, held) = try library.version(fromArchive: sha256, storage: target.storage, check: check)
                {
                    holds.withLock { $0 += held }
                    var file = DownloadedFile(
                        path: library.path(of: record, storage: target.storage), bytes: record.archive?.bytes ?? 0,
                        sha256: sha256, resumedFrom: 0)
                    file.content = ArrivedModel(engine: record.engine, files: record.files, archive: record.archive)
                    return file
                }
                guard let (found, hold) = try soundBlob(sha256, target.storage, check) else { return nil }
                var file = found
                let kind = try ArrivedFile(file.path, library.files, address: address, declared: declared)
                file.content = kind.model(file, want, name: target.name)
                holds.withLock { $0.append(hold) }
                return file
            },
            install: { file, check in
                let shown = DownloadAddress.withoutSecrets(address)
                do {
                    let kind = try ArrivedFile(file.path, library.files, address: address, declared: declared)
                    let (installed, held) = try install(file, kind, want, target, shownAs: shown, check, progress)
                    holds.withLock { $0 += held }
                    return installed
                } catch let error as DeliveryError {
                    // A file that is not a model is not worth keeping; after other failures the download can be resumed.
                    switch error {
                    case .invalidArchive, .notAModel: try? library.files.unlink(file.path)
                    default: break
                    }
                    throw error
                }
            },
            progress: { progress(PullProgress($0)) })
        guard let model = done.content else {
            throw DeliveryError.notAModel(url: DownloadAddress.withoutSecrets(address), reason: "it was not checked")
        }
        var held = holds.withLock { $0 }
        // If another task of this process did the work, the files are locked here for the first time.
        if held.isEmpty { held = model.files.compactMap { library.holdBlob($0, storage: target.storage) } }
        return Arrival(model: model, resumedFrom: done.resumedFrom, holds: held)
    }

    /// A file that is already in the library.
    private func soundBlob(
        _ sha256: String, _ storage: StorageClass, _ check: () throws -> Void
    ) throws -> (file: DownloadedFile, hold: ModelLease)? {
        let blob = library.blobPath(sha256, storage: storage)
        guard let status = try library.files.status(blob), status.kind == .file,
            let hold = library.holdBlob(.init(path: "", bytes: status.size, sha256: sha256), storage: storage),
            // Pulling a model again repairs damaged files.
            try FileDigest.sha256(blob, progress: { _ in try check() }) == sha256
        else { return nil }
        return (DownloadedFile(path: blob, bytes: status.size, sha256: sha256, resumedFrom: 0), hold)
    }

    /// Validates a downloaded file, and moves it, or its contents, to the blobs.
    private func install(
        _ file: DownloadedFile, _ kind: ArrivedFile, _ want: WantedFile, _ target: Target, shownAs shown: String,
        _ check: () throws -> Void, _ progress: Report
    ) throws -> (DownloadedFile, [ModelLease]) {
        var installed = file
        guard case .archive(let format) = kind else {
            let model = kind.model(file, want, name: target.name)
            try validate(file.path, model.engine, target, shownAs: shown, called: model.files[0].path)
            let holds = try library.stage([(model.files[0], file.path)], storage: target.storage)
            installed.content = model
            installed.path = library.blobPath(file.sha256, storage: target.storage)
            return (installed, holds)
        }
        let unpacker = ArchiveUnpacker(files: library.files, reserve: DeliveryLimits().diskReserve)
        let name = String(PullRequest.path(of: shown).split(separator: "/").last ?? "archive")
        let prefix = file.path.hasSuffix(".part") ? String(file.path.dropLast(5)) : file.path
        let unpacked = try unpacker.unpack(file.path, format, name: name, prefix: prefix, check: check) {
            progress(PullProgress(phase: .unpacking, bytes: $0, total: $1, bytesPerSecond: 0, secondsLeft: nil))
        }
        let model = ArrivedModel(
            engine: .coreml, files: unpacked.map(\.file),
            archive: .init(path: name, bytes: file.bytes, sha256: file.sha256))
        var holds: [ModelLease] = []
        var new: [(file: ModelRecord.File, path: String)] = []
        for made in unpacked {
            // A file that another version already has is not replaced, such as weights that did not change.
            if let (_, hold) = try soundBlob(made.file.sha256, target.storage, check) {
                holds.append(hold)
                try? library.files.unlink(made.place)
            } else {
                new.append((made.file, made.place))
            }
        }
        holds += try library.stage(new, storage: target.storage)
        try validatePackage(model, target, shownAs: shown)
        // Before the archive is removed, so that whatever ends the process, either the archive or the version exists.
        _ = try library.install(target.candidate(model))
        installed.content = model
        installed.path = library.path(of: target.candidate(model).content, storage: target.storage)
        return (installed, holds)
    }

    // MARK: - Several files

    /// Downloads the files of a model one after the other.
    func fetchFiles(
        _ wanted: [WantedFile], engine: ModelEngineKind, _ target: Target, _ progress: @escaping Report
    ) async throws -> Arrival {
        var files: [ModelRecord.File] = []
        var holds: [ModelLease] = []
        var resumedFrom = 0
        let sizes = wanted.map { $0.request.bytes ?? 0 }
        for (index, want) in wanted.enumerated() {
            let share = PullShare(before: sizes.prefix(index).reduce(0, +), all: sizes.reduce(0, +))
            let held = Mutex<ModelLease?>(nil)
            let path = want.path ?? "model"
            let address = DownloadAddress.withoutSecrets(want.request.urls.first ?? "")
            let done = try await downloader.download(
                want.request, into: library.partialFolder(target.storage),
                alreadyThere: { sha256, check in
                    guard let sha256, let (file, hold) = try soundBlob(sha256, target.storage, check) else {
                        return nil
                    }
                    held.withLock { $0 = hold }
                    return file
                },
                install: { file, _ in
                    if engine == .text, index == 0 {
                        do { try validate(file.path, .text, target, shownAs: address, called: path) } catch {
                            try? library.files.unlink(file.path)
                            throw error
                        }
                    }
                    let record = ModelRecord.File(path: path, bytes: file.bytes, sha256: file.sha256)
                    let hold = try library.stage([(record, file.path)], storage: target.storage).first
                    held.withLock { $0 = hold }
                    var moved = file
                    moved.path = library.blobPath(file.sha256, storage: target.storage)
                    return moved
                },
                progress: { progress(share.widened(PullProgress($0))) })
            let file = ModelRecord.File(path: path, bytes: done.bytes, sha256: done.sha256)
            files.append(file)
            resumedFrom += done.resumedFrom
            if let hold = held.withLock({ $0 }) ?? library.holdBlob(file, storage: target.storage) {
                holds.append(hold)
            }
        }
        guard engine == .coreml else {
            return Arrival(
                model: ArrivedModel(engine: engine, files: files), resumedFrom: resumedFrom, holds: holds)
        }
        let model: ArrivedModel
        do throws(PackageChoice.Problem) {
            let choice = try PackageChoice(files.map(\.path))
            model = ArrivedModel(
                engine: .coreml,
                files: choice.files.map {
                    .init(path: $0.path, bytes: files[$0.index].bytes, sha256: files[$0.index].sha256)
                })
        } catch {
            throw DeliveryError.unsafeManifest(name: target.name, reason: error.reason)
        }
        try await OwnThread.run { _ in try validatePackage(model, target, shownAs: target.source) }
        return Arrival(model: model, resumedFrom: resumedFrom, holds: holds)
    }

    // MARK: - Validation

    /// Refuses an invalid package before it is installed.
    private func validatePackage(_ model: ArrivedModel, _ target: Target, shownAs address: String) throws {
        let path = try library.layOut(target.candidate(model))
        try validate(path, model.engine, target, shownAs: address, called: model.archive?.path ?? target.name)
    }

    private func validate(
        _ path: String, _ engine: ModelEngineKind, _ target: Target, shownAs address: String, called name: String
    ) throws {
        let compiler = try compiler(for: engine, name: target.name)
        do { try compiler.validate(path) } catch {
            // Messages name the model, not the temporary path.
            let reason = error.localizedDescription.replacing(path, with: name)
            throw DeliveryError.notAModel(url: address, reason: reason)
        }
    }
}

/// The kind of a downloaded file, by its first bytes and its description.
enum ArrivedFile: Equatable {
    case gguf
    /// A bare Core ML model, whose first bytes are not distinctive.
    case coreMLModel
    case archive(ArchiveUnpacker.Format)

    /// - Parameters:
    ///   - address: its origin; the extension identifies a `.mlmodel`.
    ///   - declared: the engine of its manifest.
    /// - Throws: `DeliveryError.notAModel` if the content is not for the declared engine; `FileFailure`.
    init(_ path: String, _ files: any FileOperations, address: String, declared: ModelEngineKind?) throws {
        let file = try files.open(path, .read, permissions: 0)
        defer { files.close(file) }
        var first = [UInt8](repeating: 0, count: ArchiveUnpacker.Format.bytes)
        let count = try first.withUnsafeMutableBytes { try files.readFully(into: $0, from: file, at: 0) }
        self.init(first.prefix(count), address: address, declared: declared)
        guard let declared, declared != engine else { return }
        throw DeliveryError.notAModel(
            url: DownloadAddress.withoutSecrets(address),
            reason: "its manifest says that it is for the engine \(declared.rawValue), and it is \(described)")
    }

    init(_ first: some RandomAccessCollection<UInt8>, address: String, declared: ModelEngineKind?) {
        if first.starts(with: "GGUF".utf8) {
            self = .gguf
        } else if let format = ArchiveUnpacker.Format(first) {
            self = .archive(format)
        } else if declared == .coreml || PullRequest.path(of: address).lowercased().hasSuffix(".mlmodel") {
            self = .coreMLModel
        } else {
            self = .gguf
        }
    }

    private var engine: ModelEngineKind { self == .gguf ? .text : .coreml }
    private var described: String {
        switch self {
        case .gguf: "a GGUF file"
        case .coreMLModel: "a Core ML model"
        case .archive: "an archive"
        }
    }

    /// The model in a single file.
    func model(_ file: DownloadedFile, _ want: WantedFile, name: String) -> ArrivedModel {
        let path = want.path ?? name + (self == .gguf ? ".gguf" : ".mlmodel")
        // The extension of a single file decides its layout.
        let isNamed = self == .gguf || path.lowercased().hasSuffix(".mlmodel")
        return ArrivedModel(
            engine: engine,
            files: [.init(path: isNamed ? path : name + ".mlmodel", bytes: file.bytes, sha256: file.sha256)])
    }
}

/// One file's part of the whole download, if the total size is known.
struct PullShare: Sendable {
    var before: Int
    var all: Int

    /// The whole download's progress, from that of a file.
    func widened(_ progress: PullProgress) -> PullProgress {
        guard all > 0 else { return progress }
        var progress = progress
        progress.bytes += before
        progress.total = all
        if progress.bytesPerSecond > 0 {
            progress.secondsLeft = Double(max(0, all - progress.bytes)) / progress.bytesPerSecond
        }
        return progress
    }
}
