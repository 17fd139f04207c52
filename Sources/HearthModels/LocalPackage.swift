internal import Foundation
internal import HearthDelivery
internal import HearthSystem

/// A Core ML package on disk to be installed: its files and their digests.
struct LocalPackage {
    private static let deepest = 8
    private static let most = 256

    private let path: String
    private let system = SystemFiles()

    /// - Parameter path: absolute, without symbolic links.
    init(_ path: String) { self.path = path }

    /// Lists and hashes all files.
    /// - Throws: `ModelCatalogError.unreadable`, `CancellationError`.
    func files(_ isCancelled: () -> Bool) throws -> PullFiles {
        var wanted: [WantedFile] = []
        for (name, place, size) in try list("", depth: 0) where size > 0 {
            let sha256: String
            do {
                sha256 = try FileDigest.sha256(place) { _ in if isCancelled() { throw CancellationError() } }
            } catch let failure as FileFailure {
                throw ModelCatalogError.unreadable(place, reason: failure.reason)
            }
            let address = URL(fileURLWithPath: place).absoluteString
            wanted.append(
                WantedFile(path: name, request: DownloadRequest(urls: [address], sha256: sha256, bytes: size)))
        }
        guard wanted.contains(where: { $0.path == "Manifest.json" }) else {
            throw ModelCatalogError.unreadable(path, reason: "it is a folder, and no .mlpackage")
        }
        return PullFiles(
            name: PullRequest.suggestedName(for: path), engine: .coreml, files: wanted,
            address: URL(fileURLWithPath: path).absoluteString)
    }

    private func list(_ prefix: String, depth: Int) throws -> [(name: String, place: String, size: Int)] {
        let folder = prefix.isEmpty ? path : "\(path)/\(prefix.dropLast())"
        func unreadable(_ reason: String) -> ModelCatalogError { .unreadable(folder, reason: reason) }
        guard depth <= Self.deepest else { throw unreadable("its folders are more than \(Self.deepest) deep") }
        var found: [(name: String, place: String, size: Int)] = []
        var irregular: (String, FileStatus.Kind)?
        do throws(FileFailure) {
            for name in try system.list(folder) where name != ".DS_Store" && !name.hasPrefix("._") {
                guard let status = try system.status("\(folder)/\(name)") else { continue }
                found.append((prefix + name + (status.kind == .folder ? "/" : ""), "\(folder)/\(name)", status.size))
                if status.kind == .link || status.kind == .other { irregular = ("\(folder)/\(name)", status.kind) }
            }
        } catch {
            throw ModelCatalogError.unreadable(error.path, reason: error.reason)
        }
        if let (place, kind) = irregular {
            throw ModelCatalogError.unreadable(
                place, reason: kind == .link ? "it is a link" : "it is not a regular file")
        }
        let inside = try found.filter { $0.name.hasSuffix("/") }.flatMap { try list($0.name, depth: depth + 1) }
        let all = found.filter { !$0.name.hasSuffix("/") } + inside
        guard all.count <= Self.most else { throw unreadable("it has more than \(Self.most) files") }
        return all
    }
}
