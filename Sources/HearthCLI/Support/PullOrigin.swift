import Foundation
import HearthDelivery
import HearthSystem

/// What the word after `hearth pull` means: an address or a path, of a model or of a manifest.
struct PullOrigin: Sendable {
    let source: String
    /// Of the file that `source` leads to.
    let sha256: String?
    let library: ModelLibrary
    let downloader: Downloader

    /// Reads or fetches the manifest, where there is one.
    func resolve() async throws -> PullRequest.Origin {
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
        return try manifest(try InputFile.bytes(fetched.path, option: source), source: RemoteSource())
    }

    private static let byteLimit = 8 << 20

    private static func tooLarge(_ source: String) -> CommandFailure {
        CommandFailure(
            .invalidInput, "the manifest is larger than \(byteLimit >> 20) MiB", at: source,
            todo: "Check the address; it must lead to a manifest.")
    }

    private func local(_ path: String) throws -> PullRequest.Origin {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        guard let real = RealPath.of(path) else {
            throw CommandFailure(
                .invalidInput, "there is no such file", at: source,
                todo: "Pass the address or the path of a GGUF file or a manifest.")
        }
        guard path.lowercased().hasSuffix(".json") else { return .url(URL(fileURLWithPath: real).absoluteString) }
        let bytes = try InputFile.bytes(real, option: "MANIFEST")
        if let sha256, SHA256.digest(of: bytes) != sha256 {
            throw CommandFailure(
                .failure, "the manifest is not the one with that SHA-256", at: source,
                todo: "Check --sha256 with its publisher.")
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
