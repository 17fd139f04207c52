import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// The system is played by hand: it is asked what a plan says, and puts bodies into files.
@Suite("Downloads that outlive the app", .timeLimit(.minutes(20)))
struct BackgroundTransferTests {
    private let fixture = DownloadFixture()
    private let content = DownloadFixture.bytes(3_000_000)
    private var sha256: String { SHA256.digest(of: content) }
    /// A download that was cancelled may end late on a busy machine: it is waited for.
    private var delivery: BackgroundDelivery {
        BackgroundDelivery(folder: fixture.folder, limits: DownloadFixture.limits)
    }

    private func request(_ server: MisbehavingServer, hasDigest: Bool = true) -> DownloadRequest {
        DownloadRequest(
            urls: ["http://127.0.0.1:\(server.port)/model.gguf"], sha256: hasDigest ? sha256 : nil,
            bytes: hasDigest ? content.count : nil)
    }

    /// What the system does: the body in a file of its own.
    private func body(_ bytes: some Collection<UInt8>) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/hearth-body-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func adopt(
        _ transfer: BackgroundTransfer, _ response: TransferResponse, _ bytes: some Collection<UInt8>
    ) throws -> BackgroundDelivery.Outcome {
        try delivery.adopt(transfer, response, body: try body(bytes))
    }

    private func whole(_ bytes: [UInt8], tag: String? = "\"v1\"") -> TransferResponse {
        var headers = ["content-length": "\(bytes.count)"]
        headers["etag"] = tag
        return TransferResponse(status: 200, headers: headers)
    }

    private func part(from start: Int, tag: String = "\"v1\"") -> TransferResponse {
        TransferResponse(
            status: 206,
            headers: [
                "content-length": "\(content.count - start)", "etag": tag,
                "content-range": "bytes \(start)-\(content.count - 1)/\(content.count)",
            ])
    }

    @Test("What came whole is installed by the next pull without asking anybody", arguments: ["\"v1\"", nil])
    func whole(tag: String?) async throws {
        try await DownloadFixture.serving { _ in
            .init(status: 500)
        } _: { server in
            let request = request(server)
            guard case .begin(let transfer) = try delivery.plan(request, underWay: []) else {
                Issue.record("nothing was begun")
                return
            }
            #expect(transfer.start == 0 && transfer.headers["Range"] == nil)
            // The app ends here; the task's description comes back.
            let restored = try #require(BackgroundTransfer(description: transfer.description))
            #expect(restored == transfer)
            let path = try body(content)
            #expect(try delivery.adopt(restored, whole(content, tag: tag), body: path) == .complete)
            #expect(!FileManager.default.fileExists(atPath: path))
            if tag != nil { #expect(try delivery.plan(request, underWay: []) == .complete) }
            let file = try await fixture.download(request)
            #expect(file.sha256 == sha256 && file.resumedFrom == content.count)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("The system goes on where a download was cut off, and the next pull finds all of it")
    func rest() async throws {
        let content = content
        try await DownloadFixture.serving { _ in
            var reply = MisbehavingServer.Reply(headers: ["ETag": "\"v1\"", "Accept-Ranges": "bytes"], body: content)
            reply.stallAfter = 1_000_000
            return reply
        } _: { server in
            let request = request(server)
            let (arrived, more) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await fixture.download(request) { if $0.bytes >= 500_000 { more.finish() } }
            }
            for await _ in arrived {}
            task.cancel()
            _ = try? await task.value
            guard case .begin(let transfer) = try delivery.plan(request, underWay: []) else {
                Issue.record("nothing was begun")
                return
            }
            let start = transfer.start
            #expect(start > 0 && start < content.count)
            #expect(transfer.headers["Range"] == "bytes=\(start)-" && transfer.headers["If-Range"] == "\"v1\"")
            let asked = server.requests.count
            // The file has another tag: the part is of no use, and what was there stays.
            #expect(
                try adopt(transfer, part(from: start, tag: "\"v2\""), content[start...])
                    == .again(reason: "the file has changed"))
            #expect(try adopt(transfer, part(from: start), content[start...]) == .complete)
            let file = try await fixture.download(request)
            #expect(file.sha256 == sha256 && server.requests.count == asked)
            #expect(try fixture.content(file) == content)
        }
    }

    @Test("A wrong file is found out by the pull, which fetches the right one")
    func wrong() async throws {
        let content = content
        try await DownloadFixture.serving { _ in
            .init(headers: ["ETag": "\"v1\""], body: content)
        } _: { server in
            let request = request(server)
            let transfer = BackgroundTransfer(
                url: request.urls[0], sha256: sha256, bytes: content.count, start: 0, validator: nil)
            let wrong = DownloadFixture.bytes(content.count, seed: 9)
            let outcome = try adopt(transfer, whole(wrong), wrong)
            let file = try await fixture.download(request)
            #expect(outcome == .complete && file.sha256 == sha256)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A body that was cut, another size, an error of the server")
    func refused() throws {
        let transfer = BackgroundTransfer(
            url: "https://models.example/m.gguf", sha256: sha256, bytes: content.count, start: 0, validator: nil)
        let half = Array(content[..<1000])
        #expect(
            try adopt(transfer, whole(content), half)
                == .again(reason: "1000 of \(content.count) bytes came"))
        guard case .refused(.wrongSize) = try adopt(transfer, whole(half), half),
            case .refused(.refusedByServer(_, 404)) = try adopt(
                transfer, TransferResponse(status: 404, headers: [:]), [UInt8]()),
            case .again = try adopt(transfer, TransferResponse(status: 503, headers: [:]), [UInt8]())
        else {
            Issue.record("another outcome")
            return
        }
        #expect(try fixture.leftovers().isEmpty)
        // Asked for again, and not for ever.
        let request = DownloadRequest(urls: [transfer.url], sha256: sha256, bytes: content.count)
        var tried = 1
        var last = transfer
        while let next = try delivery.next(after: last, request) { (tried, last) = (tried + 1, next) }
        #expect(tried == 5 && BackgroundTransfer(description: last.description)?.attempt == 5)
    }

    @Test("What was adopted survives a loss of power: the journal vouches for it")
    func powerLoss() throws {
        let request = DownloadRequest(urls: ["https://models.example/m.gguf"], sha256: sha256)
        let transfer = BackgroundTransfer(url: request.urls[0], sha256: sha256, bytes: nil, start: 0, validator: nil)
        _ = try adopt(transfer, whole(content), content)
        let afterwards = BackgroundDelivery(folder: fixture.folder, boot: "another run of the system")
        #expect(try afterwards.plan(request, underWay: []) == .complete)
    }

    @Test("One transfer a file; a task of somebody else's is none")
    func descriptions() throws {
        let request = DownloadRequest(urls: ["https://models.example/m.gguf"], sha256: sha256)
        guard case .begin(let transfer) = try delivery.plan(request, underWay: []) else {
            Issue.record("nothing was begun")
            return
        }
        #expect(try delivery.plan(request, underWay: [transfer]) == .underWay)
        var other = request
        other.sha256 = SHA256.digest(of: [1])
        guard case .begin = try delivery.plan(other, underWay: [transfer]) else {
            Issue.record("another file was taken for this one")
            return
        }
        let texts: [String?] = [
            nil, "", "7", "hearth-transfer-1 ", "hearth-transfer-1 {}", #"hearth-transfer-1 {"url":"u","start":-1}"#,
            #"hearth-transfer-1 {"url":"u","start":0,"sha256":"../../x"}"#, "hearth-transfer-2 " + transfer.description,
        ]
        for text in texts { #expect(BackgroundTransfer(description: text) == nil, "\(text ?? "")") }
        #expect(throws: DeliveryError.self) {
            _ = try delivery.plan(DownloadRequest(urls: ["file:///m.gguf"]), underWay: [])
        }
    }
}
