import Foundation
import HearthDelivery
import HearthModels
import HearthSystem
import HearthTestSupport
import Testing

/// The argument of `hearth pull`: what it is taken for, and what is wrong with it.
@Suite("What is to be pulled", .timeLimit(.minutes(20)))
struct PullOriginTests {
    private func resolve(_ source: String, sha256: String? = nil) async throws -> PullRequest.Origin {
        let home = NSTemporaryDirectory() + "hearth-origin-\(UUID().uuidString)"
        let library = ModelLibrary(folders: HearthFolders(data: home, cache: home))
        defer { try? FileManager.default.removeItem(atPath: home) }
        return try await PullOrigin(
            source: source, sha256: sha256, library: library, downloader: Downloader(), environment: [:]
        ).resolve()
    }

    private static let manifest = """
        {"schema": 1, "name": "bed", "version": "1.0", "engine": "text", "files": [{"path": "bed.gguf", "bytes": 3,
         "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "urls": []}]}
        """

    /// A folder as `PullOrigin` sees it, without links.
    private static func real(_ folder: TemporaryFolder) throws -> String { try #require(RealPath.of(folder.path)) }

    @Test("Addresses, paths and repositories are told apart without a look at the network")
    func kinds() throws {
        func kind(_ source: String, exists: Bool = false) throws(DeliveryError) -> PullOrigin.Kind {
            try PullOrigin.kind(of: source) { _ in exists }
        }
        for source in ["https://x.example/a.gguf", "file:///a.gguf", "http://127.0.0.1/a", "ftp://x"] {
            #expect(try kind(source) == .address)
        }
        for source in ["/a", "./org/repo", "../org/repo", "~/a", "org/model.gguf", "a/b.JSON", "a.tgz", "plain", ""] {
            #expect(try kind(source) == .path, "\(source)")
        }
        #expect(try kind("org/repo", exists: true) == .path)
        let hub = try #require(HubReference("org/repo:q4_0"))
        #expect(try kind("org/repo:q4_0") == .hub(hub))
        #expect(try kind("hf://org/repo:q4_0") == .hub(hub))
        for source in ["hf://", "hf://org", "hf://org/../repo"] {
            #expect(throws: DeliveryError.self, "\(source)") { try kind(source) }
        }
    }

    @Test("Files become addresses, a file of another machine does not")
    func files() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Data("abc".utf8), "a b.gguf")
        for source in [path, URL(fileURLWithPath: path).absoluteString] {
            guard case .url(let address) = try await resolve(source) else {
                Issue.record("\(source) is no file")
                continue
            }
            #expect(address == URL(fileURLWithPath: try Self.real(folder) + "/a b.gguf").absoluteString)
        }
        let none = folder["none.gguf"]
        await #expect(throws: ModelCatalogError.noSuchFile(none)) { _ = try await resolve(none) }
        await #expect(throws: DeliveryError.self) { _ = try await resolve("file://elsewhere/a.gguf") }
        await #expect(throws: DeliveryError.self) { _ = try await resolve("hf://org") }
    }

    @Test("A pipe is refused instead of waited for", arguments: ["pipe.gguf", "pipe.json"])
    func pipes(_ name: String) async throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder[name], 0o600) == 0)
        await #expect(throws: ModelCatalogError.unreadable(folder[name], reason: "it is not a regular file")) {
            _ = try await resolve(folder[name])
        }
    }

    @Test("A manifest's files lie beside it, and its own digest counts")
    func manifests() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Data("abc".utf8), "bed.gguf")
        let bytes = Data(Self.manifest.utf8)
        let path = try folder.write(bytes, "bed.json")
        guard case .manifest(let manifest, let source, let address) = try await resolve(path) else {
            Issue.record("no manifest")
            return
        }
        #expect(manifest.name == "bed" && address == path)
        _ = try await source.location(of: manifest.files[0])
        _ = try await resolve(path, sha256: SHA256.digest(of: [UInt8](bytes)))
        await #expect(throws: ModelCatalogError.otherManifest(path)) {
            _ = try await resolve(path, sha256: String(repeating: "0", count: 64))
        }
    }

    @Test("A manifest that is not one is an error that names file and field")
    func malformedManifests() async throws {
        let folder = try TemporaryFolder()
        let cases = [
            ("{", "file"), (Self.manifest.replacingOccurrences(of: "\"bed\"", with: "\"../bed\""), "name"),
            (Self.manifest.replacingOccurrences(of: "\"schema\": 1", with: "\"schema\": 9"), "schema"),
            (Self.manifest.replacingOccurrences(of: "\"bytes\": 3", with: "\"bytes\": -3"), "files[0].bytes"),
        ]
        for (text, field) in cases {
            let path = try folder.write(Data(text.utf8), "bed.json")
            let error = await #expect(throws: DeliveryError.self, "\(text)") { _ = try await resolve(path) }
            let message = error?.localizedDescription ?? ""
            #expect(message.contains("(\(path): \(field))"), "\(message)")
            #expect(error?.category == .invalidInput)
        }
        let large = try folder.write(Data(count: 8 << 20 + 1), "large.json")
        await #expect(throws: ModelCatalogError.manifestTooLarge(large, limit: 8 << 20)) {
            _ = try await resolve(large)
        }
        let locked = folder["folder.json"]
        try FileManager.default.createDirectory(atPath: locked, withIntermediateDirectories: true)
        await #expect(throws: ModelCatalogError.self) { _ = try await resolve(locked) }
    }

    @Test("A package is taken with all its files but the system's own")
    func packages() async throws {
        let folder = try TemporaryFolder()
        let package = try self.package(in: folder)
        _ = try folder.write(Data([1]), "Model.mlpackage/.DS_Store")
        _ = try folder.write(Data([1]), "Model.mlpackage/Data/._model")
        _ = try folder.write(Data(), "Model.mlpackage/Data/empty")
        guard case .files(let files) = try await resolve(package) else {
            Issue.record("no files")
            return
        }
        #expect(files.engine == .coreml && files.name == "Model")
        #expect(Set(files.files.map(\.path)) == ["Data/model", "Manifest.json"])
    }

    /// A folder that looks like a package.
    private func package(in folder: TemporaryFolder) throws -> String {
        try FileManager.default.createDirectory(
            atPath: folder["Model.mlpackage/Data"], withIntermediateDirectories: true)
        _ = try folder.write(Data("{}".utf8), "Model.mlpackage/Manifest.json")
        _ = try folder.write(Data("model".utf8), "Model.mlpackage/Data/model")
        return folder["Model.mlpackage"]
    }

    @Test("Folders that are no packages, links in them, too many files and too many folders are refused by name")
    func wrongPackages() async throws {
        func refusal(_ source: String) async -> (place: String, reason: String) {
            let error = await #expect(throws: ModelCatalogError.self) { _ = try await resolve(source) }
            guard case .unreadable(let place, let reason)? = error else { return ("", "\(String(describing: error))") }
            return ((place as NSString).lastPathComponent, reason)
        }
        var folder = try TemporaryFolder()
        let empty = folder["empty.mlpackage"]
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        #expect(await refusal(empty) == ("empty.mlpackage", "it is a folder, and no .mlpackage"))

        folder = try TemporaryFolder()
        var path = try package(in: folder)
        try FileManager.default.createSymbolicLink(atPath: path + "/Data/link", withDestinationPath: "/etc/passwd")
        #expect(await refusal(path) == ("link", "it is a link"))

        folder = try TemporaryFolder()
        path = try package(in: folder)
        #expect(mkfifo(path + "/Data/pipe", 0o600) == 0)
        #expect(await refusal(path) == ("pipe", "it is not a regular file"))

        folder = try TemporaryFolder()
        path = try package(in: folder)
        for number in 0..<256 { _ = try folder.write(Data([1]), "Model.mlpackage/Data/\(number)") }
        #expect(await refusal(path).reason == "it has more than 256 files")

        folder = try TemporaryFolder()
        path = try package(in: folder)
        try FileManager.default.createDirectory(
            atPath: path + String(repeating: "/d", count: 9), withIntermediateDirectories: true)
        #expect(await refusal(path).reason == "its folders are more than 8 deep")
    }
}
