internal import Foundation
package import HearthDelivery
internal import HearthSystem

/// What the word after `hearth pull` means: an address or a path, of a model or of a manifest.
package struct PullOrigin: Sendable {
    package let source: String
    /// Of the file that `source` leads to.
    package let sha256: String?
    package let library: ModelLibrary
    package let downloader: Downloader

    package init(source: String, sha256: String?, library: ModelLibrary, downloader: Downloader) {
        self.source = source
        self.sha256 = sha256
        self.library = library
        self.downloader = downloader
    }

    /// Reads or fetches the manifest, where there is one.
    /// - Throws: `ModelCatalogError`, `DeliveryError`.
    package func resolve() async throws -> PullRequest.Origin {
        guard let scheme = source.range(of: "://") else { return try local(source) }
        let path = source.prefix { $0 != "?" && $0 != "#" }
        guard path.lowercased().hasSuffix(".json") else { return .url(source) }
        if source[..<scheme.lowerBound].lowercased() == "file", let url = URL(string: source) {
            return try local(url.path)
        }
        let fetched = try await downloader.download(
            DownloadRequest(urls: [source], sha256: sha256), into: library.partialFolder(.kept) + "/manifests",
            install: { file in
                guard file.bytes <= Self.byteLimit else { throw Self.tooLarge(source) }
                return file
            })
        defer { unlink(fetched.path) }
        return try manifest(try bytes(fetched.path), source: RemoteSource())
    }

    private static let byteLimit = 8 << 20

    private static func tooLarge(_ source: String) -> ModelCatalogError {
        .manifestTooLarge(source, limit: byteLimit)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        do throws(FileFailure) {
            return try SystemFiles().readFile(path, limit: Self.byteLimit + 1)
        } catch {
            throw ModelCatalogError.unreadable(path, reason: error.reason)
        }
    }

    private func local(_ path: String) throws -> PullRequest.Origin {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        guard let real = RealPath.of(path) else {
            throw ModelCatalogError.noSuchFile(source)
        }
        guard path.lowercased().hasSuffix(".json") else { return .url(URL(fileURLWithPath: real).absoluteString) }
        let bytes = try self.bytes(real)
        if let sha256, SHA256.digest(of: bytes) != sha256 {
            throw ModelCatalogError.otherManifest(source)
        }
        let folder = String(real[..<(real.lastIndex(of: "/") ?? real.startIndex)])
        return try manifest(bytes, source: BesideManifest(folder: folder))
    }

    private func manifest(_ bytes: [UInt8], source: any ModelSource) throws -> PullRequest.Origin {
        guard bytes.count <= Self.byteLimit else { throw Self.tooLarge(self.source) }
        return .manifest(try ModelManifest(json: Data(bytes)), source: source, address: self.source)
    }
}

/// Files that have no address lie beside their manifest.
private struct BesideManifest: ModelSource {
    let folder: String

    func location(of file: ManifestFile) async throws -> FileLocation {
        file.urls.isEmpty ? try await FolderSource(folder: folder).location(of: file) : .remote(urls: file.urls)
    }
}
