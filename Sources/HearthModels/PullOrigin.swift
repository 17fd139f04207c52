internal import Foundation
package import HearthDelivery
internal import HearthSystem

/// Interprets the argument of `hearth pull`: an address or a path, of a model or of a manifest, or a repository of the
/// hub.
///
///     https://…, http://…, file://…    an address
///     hf://ORG/REPO                    a repository of the hub
///     an existing path                 a file, a manifest, or a package
///     /…, ./…, ../…, …/model.gguf      a path, even of a missing file: a misspelt path causes no network request
///     ORG/REPO                         a repository of the hub
///     anything else                    a path
package struct PullOrigin: Sendable {
    /// See `PullOrigin`.
    package enum Kind: Equatable {
        case address, path
        case hub(HubReference)
    }

    package let source: String
    /// Expected digest of the file that `source` leads to.
    package let sha256: String?
    package let library: ModelLibrary
    package let downloader: Downloader
    private let environment: [String: String]

    /// - Parameter environment: specifies the hub and its token; see ``Hub``.
    package init(
        source: String, sha256: String?, library: ModelLibrary, downloader: Downloader,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.environment = environment
        self.source = source
        self.sha256 = sha256
        self.library = library
        self.downloader = downloader
    }

    /// Classifies a source. Pure except for checking whether the file exists.
    /// - Throws: `DeliveryError.invalidAddress` if `hf://` is not followed by a valid repository.
    package static func kind(of source: String, exists: (String) -> Bool) throws(DeliveryError) -> Kind {
        if source.hasPrefix(HubReference.scheme) {
            guard let reference = HubReference(source) else {
                throw .invalidAddress(url: source, reason: "it is not hf://ORG/REPO, with @REVISION or :NAME after it")
            }
            return .hub(reference)
        }
        if source.contains("://") { return .address }
        let endings = [".gguf", ".json", ".mlpackage", ".mlmodel", ".zip", ".tar", ".tar.gz", ".tgz"]
        let isPath =
            ["/", "./", "../", "~"].contains(where: source.hasPrefix)
            || endings.contains(where: source.lowercased().hasSuffix) && !source.contains(":")
        if isPath || exists(source) { return .path }
        return HubReference(source).map(Kind.hub) ?? .path
    }

    /// The request for the installer.
    /// - Parameter name: nil takes it from the file or the manifest.
    /// - Throws: like `resolve`.
    package func request(name: String?) async throws -> PullRequest {
        var request = PullRequest(try await resolve())
        request.name = name
        // A manifest contains its files' digests; `sha256` was the manifest's own then.
        if case .url = request.origin { request.sha256 = sha256 }
        return request
    }

    /// Reads or downloads the manifest, if there is one.
    /// - Throws: `ModelCatalogError`, `DeliveryError`.
    package func resolve() async throws -> PullRequest.Origin {
        switch try Self.kind(of: source, exists: { RealPath.of(Self.absolute($0)) != nil }) {
        case .path: return try await local(source)
        case .hub(let reference):
            let hub = try Hub(environment: environment)
            return .files(
                try await hub.files(of: reference, sha256: sha256, into: library.partialFolder(.kept) + "/manifests"))
        case .address: break
        }
        let path = source.prefix { $0 != "?" && $0 != "#" }
        if source.lowercased().hasPrefix("file://"), let url = URL(string: source) {
            // Another machine's file is not this one's file of that name.
            try PullRequest.check(address: source)
            return try await local(url.path)
        }
        guard path.lowercased().hasSuffix(".json") else { return .url(source) }
        let fetched = try await downloader.download(
            DownloadRequest(urls: [source], sha256: sha256), into: library.partialFolder(.kept) + "/manifests",
            install: { file, _ in
                guard file.bytes <= Self.byteLimit else { throw Self.tooLarge(source) }
                return file
            })
        defer { try? SystemFiles().unlink(fetched.path) }
        return try manifest(try bytes(fetched.path), source: RemoteSource())
    }

    private static let byteLimit = 8 << 20

    private static func tooLarge(_ source: String) -> ModelCatalogError {
        .manifestTooLarge(source, limit: byteLimit)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        do throws(FileFailure) {
            return try SystemFiles().readFile(path, limit: Self.byteLimit)
        } catch {
            if error.code == SystemFiles.tooLarge { throw Self.tooLarge(source) }
            throw ModelCatalogError.unreadable(path, reason: error.reason)
        }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private func local(_ path: String) async throws -> PullRequest.Origin {
        guard let real = RealPath.of(Self.absolute(path)) else {
            throw ModelCatalogError.noSuchFile(source)
        }
        switch (try? SystemFiles().status(real))??.kind {
        case .folder:
            return .files(try await OwnThread.run { isCancelled in try LocalPackage(real).files(isCancelled) })
        // Opening a pipe would wait for somebody who writes.
        case .other: throw ModelCatalogError.unreadable(source, reason: "it is not a regular file")
        default:
            // A file that may not be read is refused as such, and not as a copy that failed.
            do throws(FileFailure) { try WholeFile.check(real) } catch {
                throw ModelCatalogError.unreadable(source, reason: error.reason)
            }
        }
        guard path.lowercased().hasSuffix(".json") else { return .url(URL(fileURLWithPath: real).absoluteString) }
        let bytes = try self.bytes(real)
        if let sha256, SHA256.digest(of: bytes) != sha256 {
            throw ModelCatalogError.otherManifest(source)
        }
        let folder = String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)])
        return try manifest(bytes, source: BesideManifest(folder: folder))
    }

    private func manifest(
        _ bytes: [UInt8], source: any ModelSource
    ) throws(DeliveryError) -> PullRequest.Origin {
        do throws(DeliveryError) {
            return .manifest(try ModelManifest(json: Data(bytes)), source: source, address: self.source)
        } catch .invalidManifest(let field, let reason) {
            // It does not know where it is from.
            throw .invalidManifest(field: "\(self.source): \(field)", reason: reason)
        }
    }
}

/// Files without an address are next to their manifest.
private struct BesideManifest: ModelSource {
    let folder: String

    func location(of file: ManifestFile) async throws -> FileLocation {
        file.urls.isEmpty ? try await FolderSource(folder: folder).location(of: file) : .remote(urls: file.urls)
    }
}
