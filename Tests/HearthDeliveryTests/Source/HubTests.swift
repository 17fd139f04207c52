import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Repositories of a hub: which files are meant, and who gets to see the token.
@Suite("the hub", .timeLimit(.minutes(20)))
struct HubTests {
    @Test("Words that name a repository, and words that do not")
    func references() throws {
        let whole = try #require(HubReference("hf://org/Repo-1.0@refs/pr/3:Q4_K_M"))
        #expect(whole.repository == "org/Repo-1.0" && whole.revision == "refs/pr/3" && whole.choice == "Q4_K_M")
        #expect(whole.description == "hf://org/Repo-1.0@refs/pr/3:Q4_K_M")
        #expect(HubReference("org/repo")?.description == "hf://org/repo")
        for word in [
            "repo", "a/b/c", "/a/b", "a//b", "a/b:", "a/b@", "a/b@:Q4", "-a/b", "a/b-", "a/..", "a/b--c", "a/b c",
            "a/b\n", ".a/b",
            "ä/b", "a/" + String(repeating: "b", count: 97), "", "hf://", "hf://a", "a/b?x",
        ] {
            #expect(HubReference(word) == nil, "\(word)")
        }
    }

    private static func listing(_ paths: String...) -> HubListing {
        HubListing(files: paths.map { .init(path: $0, bytes: 10, sha256: nil) })
    }

    private func chosen(_ listing: HubListing, _ choice: String? = nil) -> String {
        var reference = HubReference("org/repo")
        reference?.choice = choice
        guard let reference else { return "" }
        do { return try HubChoice(listing, reference).path } catch {
            guard case .notInRepository(_, let reason, let available) = error else { return "\(error)" }
            return "\(reason): \(available.joined(separator: " "))"
        }
    }

    @Test("A quantization by its name, whatever its case and wherever it stands; the usual one where none is named")
    func quantizations() {
        let gemma = Self.listing(
            "README.md", "gemma-Q8_0.gguf", "gemma-Q4_K_M.gguf", "gemma-f16.gguf", "gemma.IQ3_XXS.gguf",
            "UD/gemma-UD-Q4_K_XL.gguf",
            "mmproj-gemma-F16.gguf", "gemma.imatrix.gguf")
        #expect(chosen(gemma) == "gemma-Q4_K_M.gguf")
        #expect(chosen(gemma, "q8_0") == "gemma-Q8_0.gguf")
        #expect(chosen(gemma, "F16") == "gemma-f16.gguf")
        #expect(chosen(gemma, "fp16") == "gemma-f16.gguf")
        #expect(chosen(gemma, "iq3_xxs") == "gemma.IQ3_XXS.gguf")
        #expect(chosen(gemma, "UD-Q4_K_XL") == "UD/gemma-UD-Q4_K_XL.gguf")
        #expect(chosen(gemma, "mmproj-gemma-F16.gguf") == "mmproj-gemma-F16.gguf")
        #expect(chosen(gemma, "Q2_K") == "there is no 'Q2_K' in the repository: Q8_0 Q4_K_M F16 IQ3_XXS UD-Q4_K_XL")
        let order = HubChoice.usual
        for (index, name) in order.enumerated() {
            let left = HubListing(files: order[index...].reversed().map { .init(path: "m-\($0).gguf", bytes: 1) })
            #expect(chosen(left) == "m-\(name).gguf")
        }
        #expect(
            chosen(Self.listing("a-IQ2_M.gguf", "a-IQ1_S.gguf"))
                == "the repository has none of the usual quantizations: IQ2_M IQ1_S")
        #expect(chosen(Self.listing("only.gguf")) == "only.gguf")
        #expect(chosen(Self.listing("README.md")) == "the repository holds no GGUF file and no Core ML model: ")
        #expect(chosen(Self.listing("a-Q4_0.gguf", "b-Q4_0.gguf")) == "several files fit: a-Q4_0.gguf b-Q4_0.gguf")
        #expect(chosen(Self.listing("a-Q4_0.gguf", "b-Q4_0.gguf"), "b-q4_0") == "b-Q4_0.gguf")
    }

    @Test("Parts of a model are recognised, and refused by name")
    func shards() {
        let parts = Self.listing(
            "m-Q8_0-00001-of-00002.gguf", "m-Q8_0-00002-of-00002.gguf", "m-Q4_0.gguf", "m-F16-00001-of-00001.gguf")
        #expect(chosen(parts, "Q8_0") == "the model is in 2 parts, which this program does not read: Q4_0 F16")
        #expect(chosen(parts) == "m-Q4_0.gguf")
        #expect(chosen(parts, "F16") == "m-F16-00001-of-00001.gguf")
    }

    @Test("Packages, bare models and archives")
    func packages() throws {
        let one = Self.listing(
            "README.md", "a/D.mlpackage/Manifest.json", "a/D.mlpackage/Data/m", "config.json", "data.zip")
        #expect(chosen(one) == "a/D.mlpackage")
        let files = try HubChoice(one, #require(HubReference("org/repo"))).files
        #expect(files.map(\.path) == ["a/D.mlpackage/Manifest.json", "a/D.mlpackage/Data/m"])
        let two = Self.listing(
            "A.mlpackage/Manifest.json", "B.mlpackage/Manifest.json", "C.mlmodel", "D.mlpackage.zip", "e.tar")
        #expect(chosen(two) == "the repository holds several models: A.mlpackage B.mlpackage C.mlmodel D.mlpackage.zip")
        #expect(chosen(two, "B") == "B.mlpackage")
        #expect(chosen(two, "d.mlpackage.zip") == "D.mlpackage.zip")
        #expect(chosen(two, "e.tar") == "e.tar")
    }

    @Test("Lists of both kinds; paths that have no place here, sizes and digests that are none are left out")
    func listings() throws {
        let digest = String(repeating: "ab", count: 32)
        let commit = String(repeating: "1", count: 40)
        let revision = """
            {"id":"o/r","sha":"\(commit)","gated":"auto","siblings":[
              {"rfilename":"a.gguf","size":10,"blobId":"x","lfs":{"sha256":"\(digest)","size":12,"pointerSize":134}},
              {"rfilename":"../evil","size":1},{"rfilename":"b.json","size":3}]}
            """
        let listed = try #require(HubListing(revision: Data(revision.utf8)))
        #expect(listed.commit == commit && listed.isComplete)
        #expect(listed.files == [.init(path: "a.gguf", bytes: 12, sha256: digest), .init(path: "b.json", bytes: 3)])
        let tree = """
            [{"type":"directory","oid":"1","size":0,"path":"d"},
             {"type":"file","oid":"2","size":134,"lfs":{"oid":"\(digest)","size":12,"pointerSize":134},"path":"d/a.gguf"},
             {"type":"file","oid":"3","size":-1,"path":"b"}]
            """
        let walked = try #require(HubListing(tree: Data(tree.utf8)))
        #expect(walked.files == [.init(path: "d/a.gguf", bytes: 12, sha256: digest), .init(path: "b", bytes: nil)])
        #expect(HubListing(tree: Data(revision.utf8)) == nil && HubListing(revision: Data(tree.utf8)) == nil)
        #expect(HubListing(revision: Data("{\"error\":\"no\"}".utf8)) == nil)
    }

    // MARK: - Over the network

    private struct AnyModel: ModelCompiler {
        func validate(_ path: String) throws {}
        func compile(_ path: String, sha256: String, progress: (Int, Int) throws -> Void) -> CompilationOutcome {
            .compiled
        }
    }

    private static let model = LibraryFixture.content("hub", count: 300_000)

    /// A hub and the store that it sends to, two servers of this machine.
    private final class Scene {
        let hub: MisbehavingServer
        let store: MisbehavingServer
        let fixture: LibraryFixture

        init(_ special: @escaping @Sendable (MisbehavingServer.Request) -> MisbehavingServer.Reply? = { _ in nil })
            throws
        {
            let bytes = HubTests.model
            let store = try MisbehavingServer { request in
                request.path.hasPrefix("/store/") ? MisbehavingServer.reply(request, bytes) : .init(status: 404)
            }
            let port = store.port
            hub = try MisbehavingServer { request in
                if let reply = special(request) { return reply }
                let path = String(request.path.prefix { $0 != "?" })
                switch path {
                case "/api/models/org/repo/revision/main":
                    let json = """
                        {"sha":"\(String(repeating: "c", count: 40))","siblings":[{"rfilename":"m-Q8_0.gguf","size":\(bytes.count),
                        "lfs":{"sha256":"\(SHA256.digest(of: bytes))","size":\(bytes.count)}}]}
                        """
                    return .init(headers: ["Content-Type": "application/json"], body: Array(json.utf8))
                case "/api/models/org/old/tree/v1":
                    let json = "[{\"type\":\"file\",\"path\":\"m-Q4_0.gguf\",\"size\":\(bytes.count)}]"
                    return .init(body: Array(json.utf8))
                case "/org/repo/resolve/\(String(repeating: "c", count: 40))/m-Q8_0.gguf",
                    "/org/old/resolve/v1/m-Q4_0.gguf":
                    return .init(
                        status: 302, headers: ["Location": "http://127.0.0.1:\(port)/store/\(bytes.count)?signature=s"])
                default: return .init(status: 404)
                }
            }
            self.store = store
            fixture = LibraryFixture(SystemFiles(), home: try LibraryFixture.temporaryHome())
        }

        deinit {
            hub.stop()
            store.stop()
            try? FileManager.default.removeItem(atPath: fixture.home)
        }

        var environment: [String: String] { ["HF_ENDPOINT": hub.url("/"), "HF_TOKEN": "hf_secret"] }

        func pull(_ word: String, sha256: String? = nil, environment: [String: String]? = nil) async throws
            -> PullResult
        {
            var limits = DeliveryLimits()
            (limits.firstPause, limits.fruitlessAttempts, limits.longestRetryAfter) = (0.001, 2, 0)
            let hub = try Hub(environment: environment ?? self.environment)
            let files = try await hub.files(
                of: #require(HubReference(word)), sha256: sha256, limits: limits,
                into: fixture.library.partialFolder(.kept) + "/manifests")
            let installer = ModelInstaller(
                library: fixture.library, downloader: Downloader(limits: limits), compilers: [.text: AnyModel()])
            return try await installer.pull(PullRequest(.files(files)))
        }
    }

    @Test("Listed, resolved by commit, fetched from another origin, verified; the token stays with the hub")
    func pull() async throws {
        let scene = try Scene()
        let result = try await scene.pull("org/repo")
        #expect(result.record.name == "m-Q8_0" && result.record.source == "hf://org/repo")
        #expect(try scene.fixture.bytes("m-Q8_0") == Self.model)
        #expect(!scene.hub.requests.isEmpty)
        #expect(scene.hub.requests.allSatisfy { $0.headers["authorization"] == "Bearer hf_secret" })
        #expect(!scene.store.requests.isEmpty)
        #expect(scene.store.requests.allSatisfy { $0.headers["authorization"] == nil })
        for path in scene.fixture.allFiles() {
            let content = String(decoding: try scene.fixture.disk.readFile(path, limit: 1 << 20), as: UTF8.self)
            #expect(!content.contains("hf_secret") && !content.contains("signature="), "\(path)")
        }
        // Without a token none is sent.
        _ = try await scene.pull("org/repo", environment: ["HF_ENDPOINT": scene.hub.url("")])
        #expect(scene.hub.requests.last?.headers["authorization"] == nil)
        // One that was read from a file.
        let environment = ["HF_ENDPOINT": scene.hub.url(""), "HF_TOKEN": "hf_file\r\n"]
        _ = try await scene.pull("org/repo", environment: environment)
        #expect(scene.hub.requests.last?.headers["authorization"] == "Bearer hf_file")
    }

    @Test("A mirror that has the tree only; a revision of its own")
    func tree() async throws {
        let scene = try Scene()
        let result = try await scene.pull("org/old@v1:q4_0")
        #expect(result.record.source == "hf://org/old@v1:q4_0")
        #expect(try scene.fixture.bytes("m-Q4_0") == Self.model)
    }

    @Test("Other bytes than the hub lists, or than --sha256 says, install nothing")
    func digests() async throws {
        let digest = String(repeating: "0", count: 64)
        let scene = try Scene()
        await #expect(throws: DeliveryError.self) { try await scene.pull("org/repo", sha256: digest) }
        let lying = try Scene { request in
            guard request.path.contains("/revision/main") else { return nil }
            let json = """
                {"sha":"\(String(repeating: "c", count: 40))","siblings":[{"rfilename":"m-Q8_0.gguf","size":\(Self.model.count),
                "lfs":{"sha256":"\(digest)","size":\(Self.model.count)}}]}
                """
            return .init(body: Array(json.utf8))
        }
        await #expect {
            try await lying.pull("org/repo")
        } throws: { error in
            if case DeliveryError.wrongDigest = error { true } else { false }
        }
        #expect(scene.fixture.versions.isEmpty && lying.fixture.versions.isEmpty)
    }

    @Test("Gated, private, missing, busy, no list", arguments: [401, 403, 404, 429, 200])
    func refusals(status: Int) async throws {
        let scene = try Scene { request in
            let headers = status == 429 ? ["Retry-After": "7"] : [:]
            return .init(status: status, headers: headers, body: Array("{\"error\":\"hf_secret\"}".utf8))
        }
        do {
            _ = try await scene.pull("org/repo")
            Issue.record("it was pulled")
        } catch let error as DeliveryError {
            switch status {
            case 200: #expect(error == .invalidHubAnswer(repository: "org/repo", reason: "it is not a list of files"))
            case 429:
                guard case .serverBusy(_, 429, 7) = error else {
                    Issue.record("\(error)")
                    return
                }
            default: #expect(error == .hubRefused(repository: "org/repo", status: status, hasToken: true))
            }
            #expect(!error.localizedDescription.contains("hf_secret"))
        }
        // A gated repository may be listed, and its files refused.
        let gated = try Scene { $0.path.contains("/resolve/") ? .init(status: 403) : nil }
        await #expect(throws: DeliveryError.hubRefused(repository: "org/repo", status: 403, hasToken: true)) {
            try await gated.pull("org/repo")
        }
    }

    @Test("An endpoint is https, or http of this machine")
    func endpoints() throws {
        for address in [
            "http://example.org", "ftp://example.org", "file:///tmp", "https://u:p@example.org", "https://a?b=c",
        ] {
            #expect(throws: DeliveryError.self, "\(address)") { try Hub(environment: ["HF_ENDPOINT": address]) }
        }
        _ = try Hub(environment: ["HF_ENDPOINT": "https://mirror.example/hf/"])
        _ = try Hub(environment: ["HF_ENDPOINT": ""])
    }
}
