internal import Foundation
internal import HearthSystem

/// A hub of models that has the interface of huggingface.co.
///
/// `HF_ENDPOINT` names another one, and `HF_TOKEN` holds a token, as for the hub's own tools. The token is sent to the hub's
/// own origin only: not to a redirect's target, and never into a record, a journal or a message.
package struct Hub: Sendable {
    private static let answerBytes = 32 << 20

    private let endpoint: DownloadAddress
    private let token: String?
    private let environment: [String: String]

    /// - Throws: `DeliveryError.invalidAddress` for an endpoint that is not fetched from.
    package init(environment: [String: String]) throws(DeliveryError) {
        var text = environment["HF_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 } ?? "https://huggingface.co"
        while text.hasSuffix("/") { text.removeLast() }
        endpoint = try DownloadAddress(text)
        guard endpoint.scheme != .file, !text.contains("?") else {
            throw .invalidAddress(url: text, reason: "HF_ENDPOINT is not the address of a hub")
        }
        // A token that comes from a file often ends with a newline, which no header may have; the hub's own tools drop it too.
        let bare = environment["HF_TOKEN"]?.trimmingCharacters(in: .whitespacesAndNewlines)
        token = bare.flatMap { $0.isEmpty ? nil : $0 }
        self.environment = environment
    }

    /// The files of the model that a word names.
    /// - Parameters:
    ///   - sha256: that its one file has to have.
    ///   - folder: for what is on its way.
    /// - Throws: `DeliveryError`, `CancellationError`.
    package func files(
        of reference: HubReference, sha256: String?, limits: DeliveryLimits = DeliveryLimits(), into folder: String
    ) async throws -> PullFiles {
        let listing = try await listing(of: reference, limits, folder)
        let choice = try HubChoice(listing, reference)
        let revision = listing.commit ?? reference.revision ?? "main"
        var files = choice.files.map { file in
            var request = request(
                "\(reference.repository)/resolve/\(Self.escaped(revision))/\(Self.escaped(path: file.path))")
            (request.sha256, request.bytes) = (file.sha256, file.bytes)
            return WantedFile(path: file.path, request: request)
        }
        if let sha256 {
            guard files.count == 1 else {
                throw DeliveryError.invalidAddress(
                    url: reference.description, reason: "several files have no SHA-256 of their own")
            }
            if let known = files[0].request.sha256, known != sha256 {
                throw DeliveryError.wrongDigest(url: reference.description, expected: sha256, actual: known)
            }
            files[0].request.sha256 = sha256
        }
        // A file of its own is called after the model; files of a package keep their places.
        if files.count == 1 { files[0].path = choice.path.split(separator: "/").last.map(String.init) }
        var pulled = PullFiles(
            name: ModelName.suggested(forPath: "\(reference.repository)/resolve/main/\(choice.path)"),
            engine: choice.engine, files: files, address: reference.description)
        pulled.hub = (reference.repository, token != nil)
        return pulled
    }

    // MARK: - Asking

    /// What a mirror of the hub has at least is one of these two; the first also names the commit.
    private func listing(
        of reference: HubReference, _ limits: DeliveryLimits, _ folder: String
    ) async throws -> HubListing {
        let revision = Self.escaped(reference.revision ?? "main")
        let api = "api/models/\(reference.repository)"
        var listed: HubListing?
        do {
            listed = HubListing(
                revision: try await answer(
                    "\(api)/revision/\(revision)?blobs=true", reference, limits, folder))
            if let listed, listed.isComplete { return listed }
        } catch DeliveryError.hubRefused(_, 404, _) {
            // A repository that is not there is not there below.
        }
        let json = try await answer("\(api)/tree/\(revision)?recursive=true", reference, limits, folder)
        guard var tree = HubListing(tree: json) else {
            throw DeliveryError.invalidHubAnswer(
                repository: reference.repository, reason: "it is not a list of files")
        }
        tree.commit = listed?.commit
        return tree
    }

    private func answer(
        _ path: String, _ reference: HubReference, _ limits: DeliveryLimits, _ folder: String
    ) async throws -> Data {
        var limits = limits
        limits.largestUndeclaredFile = Self.answerBytes
        // A hub that lists a repository does so within moments.
        let downloader = Downloader(limits: limits, environment: environment)
        let files = SystemFiles()
        do {
            let file = try await downloader.download(
                request(path), into: folder,
                install: { file, _ in
                    guard file.bytes <= Self.answerBytes else {
                        throw DeliveryError.invalidHubAnswer(repository: reference.repository, reason: "it is too long")
                    }
                    return file
                })
            defer { try? files.unlink(file.path) }
            return Data(try files.readFile(file.path, limit: Self.answerBytes))
        } catch DeliveryError.refusedByServer(_, let status) {
            throw DeliveryError.hubRefused(
                repository: reference.repository, status: status, hasToken: token != nil)
        } catch DeliveryError.notAModel(_, let reason) {
            throw DeliveryError.invalidHubAnswer(repository: reference.repository, reason: reason)
        } catch let failure as FileFailure {
            throw DeliveryError(failure)
        }
    }

    private func request(_ path: String) -> DownloadRequest {
        var request = DownloadRequest(urls: ["\(endpoint.text)/\(path)"])
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        // A hub on this machine has its store on this machine.
        request.allowsLoopbackRedirects = endpoint.scheme == .http
        return request
    }

    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    private static func escaped(path: String) -> String {
        path.split(separator: "/").map { escaped(String($0)) }.joined(separator: "/")
    }
}
