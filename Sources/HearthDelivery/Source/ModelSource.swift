/// Where the files of a model come from.
///
/// A source only says where bytes can be had; what is fetched is verified whatever the source is. Systems with their
/// own delivery (Apple's On-Demand Resources, background assets) conform by handing out local files.
package protocol ModelSource: Sendable {
    /// Where a file can be had.
    func location(of file: ManifestFile) async throws -> FileLocation
    /// The files are installed, or no longer wanted: what the source held for them may go.
    func release() async
}

extension ModelSource {
    /// Nothing is held.
    package func release() async {}
}

/// Where the bytes of a file are.
package enum FileLocation: Sendable, Equatable {
    /// A file on this device, by absolute path.
    case local(path: String)
    /// Mirrors, best first.
    case remote(urls: [String])

    /// What the downloader is asked for.
    package func request(for file: ManifestFile) -> DownloadRequest {
        var request = DownloadRequest(file)
        switch self {
        case .local(let path): request.urls = [DownloadAddress.fileURL(path)]
        case .remote(let urls): request.urls = urls
        }
        return request
    }
}

/// The addresses of the manifest itself, in their order.
package struct RemoteSource: ModelSource {
    /// A source; see the type.
    package init() {}

    /// Where a file can be had.
    package func location(of file: ManifestFile) async throws -> FileLocation { .remote(urls: file.urls) }
}

/// A folder on this device: an app's bundle, a mounted disk, a folder that was copied by hand.
package struct FolderSource: ModelSource {
    /// An absolute path.
    package var folder: String

    /// A source; see the type.
    package init(folder: String) { self.folder = folder }

    /// Where a file can be had.
    package func location(of file: ManifestFile) async throws -> FileLocation {
        if let objection = FilePathRule.objection(to: file.path) {
            throw DeliveryError.invalidManifest(field: "path", reason: objection)
        }
        return .local(path: "\(folder)/\(file.path)")
    }
}
