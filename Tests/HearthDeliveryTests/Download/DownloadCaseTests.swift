import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// The cases of a server, a network or another process that goes wrong. Numbers are those of the list of cases that a
/// store must pass.
@Suite("Download cases", .timeLimit(.minutes(20)))
struct DownloadCaseTests {
    typealias Server = MisbehavingServer

    private static func sha(_ bytes: [UInt8]) -> String { SHA256.digest(of: bytes) }

    /// Fetches `bytes` from a scripted server, and checks what came.
    @discardableResult
    private func expectArrival(
        of bytes: [UInt8], known: Bool = false, limits: DeliveryLimits = DownloadFixture.limits,
        _ answer: @escaping @Sendable (Server.Request) -> Server.Reply
    ) async throws -> (file: DownloadedFile, requests: [Server.Request]) {
        let fixture = DownloadFixture()
        return try await DownloadFixture.serving(answer) { server in
            let request = DownloadRequest(urls: [server.url()], sha256: known ? Self.sha(bytes) : nil)
            let file = try await fixture.download(request, limits)
            #expect(try fixture.content(file) == bytes)
            #expect(file.sha256 == Self.sha(bytes))
            #expect(file.bytes == bytes.count)
            return (file, server.requests)
        }
    }

    /// Fetches, and returns why that failed.
    private func failure(
        sha256: String? = nil, bytes: Int? = nil, path: String = "/model.gguf",
        limits: DeliveryLimits = DownloadFixture.limits,
        _ answer: @escaping @Sendable (Server.Request) -> Server.Reply
    ) async throws -> DeliveryError? {
        let fixture = DownloadFixture()
        return try await DownloadFixture.serving(answer) { server in
            do {
                let request = DownloadRequest(urls: [server.url(path)], sha256: sha256, bytes: bytes)
                let file = try await fixture.download(request, limits)
                Issue.record("\(file) arrived")
                return nil
            } catch let error as DeliveryError {
                return error
            }
        }
    }

    @Test("01a Cut at every byte of a small file")
    func cutAtEveryByteOfASmallFile() async throws {
        let bytes = DownloadFixture.bytes(100)
        for cut in 0..<bytes.count {
            try await expectArrival(of: bytes) { request in
                var reply = Server.reply(request, bytes)
                if request.number == 0 { reply.cutAfter = cut }
                return reply
            }
        }
        // One download that is cut after every single byte.
        let (_, requests) = try await expectArrival(of: bytes) { request in
            var reply = Server.reply(request, bytes)
            reply.cutAfter = 1
            return reply
        }
        #expect(requests.count == bytes.count)
    }

    @Test("01b Cut at fifty random offsets of a large file, each time in a new process's place")
    func cutAtRandomOffsetsOfALargeFile() async throws {
        let bytes = DownloadFixture.bytes(3_000_000, seed: 7)
        let fixture = DownloadFixture()
        var limits = DownloadFixture.limits
        limits.fruitlessAttempts = 1
        var random = SeededNumbers.fresh()
        let cuts = (0..<50).map { _ in random.below(bytes.count) }.sorted()
        try await DownloadFixture.serving({ request in
            var reply = Server.reply(request, bytes)
            if request.number < cuts.count {
                reply.cutAfter = max(0, cuts[request.number] - (request.range?.start ?? 0))
            }
            return reply
        }) { server in
            var resumed = 0
            while true {
                // A downloader of its own: nothing is remembered but what is on the disk.
                guard
                    let file = try? await fixture.downloader(limits).download(
                        DownloadRequest(urls: [server.url()]), into: fixture.folder)
                else {
                    try Task.checkCancellation()
                    continue
                }
                let content = try fixture.content(file)
                #expect(content == bytes)
                resumed = file.resumedFrom
                break
            }
            #expect(resumed > 0)
            #expect(server.bytesSent == bytes.count, "no byte was sent twice")
        }
    }

    @Test("02 A server that ignores Range: replace, never append")
    func rangeIgnored() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let (_, requests) = try await expectArrival(of: bytes) { request in
            var reply = Server.Reply(headers: ["ETag": "\"v1\""], body: bytes)
            if request.number == 0 { reply.cutAfter = 1234 }
            return reply
        }
        #expect(requests[1].range?.start == 1234)
    }

    @Test("03a Status 416 with our total: finished")
    func unsatisfiableAndWhole() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ Server.reply($0, bytes) }) { server in
            // Without an `install` the whole file stays; the next download asks whether it is still that.
            let request = DownloadRequest(urls: [server.url()])
            _ = try await fixture.download(request)
            let again = try await fixture.download(request)
            #expect(again.resumedFrom == 5000)
            #expect(try fixture.content(again) == bytes)
            #expect(server.requests.map { $0.range?.start } == [nil, 5000])
            #expect(server.bytesSent == 5000)
        }
    }

    @Test("03b Status 416 otherwise: start again")
    func unsatisfiableAndChanged() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let (_, requests) = try await expectArrival(of: bytes) { request in
            if request.range != nil { return Server.Reply(status: 416, headers: ["Content-Range": "bytes */77"]) }
            var reply = Server.reply(request, bytes)
            if request.number == 0 { reply.cutAfter = 1000 }
            return reply
        }
        #expect(requests.count == 3)
    }

    @Test("04 The tag changes between two attempts: no splice", arguments: [true, false])
    func tagChanges(honoursIfRange: Bool) async throws {
        let old = DownloadFixture.bytes(5000, seed: 1)
        let new = DownloadFixture.bytes(5000, seed: 2)
        try await expectArrival(of: new) { request in
            if request.number == 0 {
                var reply = Server.reply(request, old, tag: "\"old\"")
                reply.cutAfter = 2000
                return reply
            }
            var request = request
            if !honoursIfRange { request.headers["if-range"] = nil }
            return Server.reply(request, new, tag: "\"new\"")
        }
    }

    @Test(
        "04b What had arrived counts as resumed where it was used, and not where the file changed",
        arguments: [true, false])
    func resumedFrom(changes: Bool) async throws {
        let old = DownloadFixture.bytes(5000, seed: 1)
        let new = DownloadFixture.bytes(changes ? 6000 : 5000, seed: changes ? 2 : 1)
        let fixture = DownloadFixture()
        var hasty = DownloadFixture.limits
        hasty.fruitlessAttempts = 1
        try await DownloadFixture.serving({ request in
            if request.number == 0 {
                var reply = Server.reply(request, old, tag: "\"old\"")
                reply.cutAfter = 2000
                return reply
            }
            return Server.reply(request, new, tag: changes ? "\"new\"" : "\"old\"")
        }) { [hasty] server in
            let request = DownloadRequest(urls: [server.url()])
            await #expect(throws: DeliveryError.self) { try await fixture.download(request, hasty) }
            let file = try await fixture.download(request, hasty)
            #expect(try fixture.content(file) == new)
            #expect(file.resumedFrom == (changes ? 0 : 2000))
        }
    }

    @Test("05 A weak tag, a broken one or none: no resume", arguments: ["W/\"v1\"", "v1", "\"", nil])
    func noStrongValidator(tag: String?) async throws {
        let bytes = DownloadFixture.bytes(5000)
        let (_, requests) = try await expectArrival(of: bytes) { request in
            var reply = Server.reply(request, bytes, tag: tag)
            if request.number == 0 { reply.cutAfter = 2000 }
            return reply
        }
        #expect(requests.count == 2)
        #expect(requests[1].range == nil)
    }

    @Test("05b A date is strong when the answer was made a minute later")
    func strongDate() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
        for (date, resumes) in [
            ("Sun, 06 Nov 1994 08:50:37 GMT", true), ("Sun, 06 Nov 1994 08:50:36 GMT", false), ("now", false),
        ] {
            let (_, requests) = try await expectArrival(of: bytes) { request in
                var request = request
                #expect(request.headers["if-range"] ?? modified == modified)
                request.headers["if-range"] = nil
                var reply = Server.reply(request, bytes, tag: nil)
                reply.headers["Last-Modified"] = modified
                reply.headers["Date"] = date
                if request.number == 0 { reply.cutAfter = 2000 }
                return reply
            }
            #expect((requests[1].range != nil) == resumes)
        }
    }

    @Test(
        "06 A part from another place than asked for",
        arguments: ["bytes 0-4999/5000", "bytes 1999-4999/5000", "x", nil])
    func wrongPart(contentRange: String?) async throws {
        let bytes = DownloadFixture.bytes(5000)
        let (_, requests) = try await expectArrival(of: bytes) { request in
            var reply = Server.reply(request, bytes)
            if request.number == 0 { reply.cutAfter = 2000 }
            if request.range != nil { reply.headers["Content-Range"] = contentRange }
            return reply
        }
        #expect(requests.count == 3)
        #expect(requests[2].range == nil)
    }

    @Test("07a More bytes than declared: stops at the declared size")
    func tooManyBytes() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let lying = try await failure(sha256: Self.sha(bytes), bytes: 5000) { _ in Server.Reply(body: bytes + [1]) }
        guard case .wrongSize(_, 5000, 5001) = lying else { return #expect(Bool(false), "\(lying as Any)") }
        // Without a length, and without an end.
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ _ in
            var reply = Server.Reply(body: bytes)
            reply.isChunked = true
            reply.isEndless = true
            return reply
        }) { server in
            await #expect(throws: DeliveryError.self) {
                try await fixture.download(
                    DownloadRequest(urls: [server.url()], sha256: Self.sha(bytes), bytes: 5000))
            }
            let sizes = try fixture.leftovers().filter { $0.hasSuffix(".part") }.map {
                try FileManager.default.attributesOfItem(atPath: "\(fixture.folder)/\($0)")[.size] as? Int ?? 0
            }
            #expect(sizes.allSatisfy { $0 <= 5000 })
        }
    }

    @Test("07b Too few bytes: continued, and an error where there are never more")
    func tooFewBytes() async throws {
        let bytes = DownloadFixture.bytes(5000)
        // Half a file that calls itself whole, for a request that knows better.
        let short = try await failure(bytes: 5000) { _ in Server.Reply(body: Array(bytes[..<2500])) }
        guard case .wrongSize(_, 5000, 2500) = short else { return #expect(Bool(false), "\(short as Any)") }
        // A length that is never reached.
        let lying = try await failure { request in
            var reply = Server.reply(request, bytes)
            reply.claimedLength = 9000
            reply.headers["Accept-Ranges"] = nil
            return request.range == nil ? reply : Server.Reply(status: 416)
        }
        #expect(lying != nil)
    }

    @Test("07c No length and no frame: a cut would go unnoticed, so only a digest will do")
    func noLength() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let answer: @Sendable (Server.Request) -> Server.Reply = { _ in
            var reply = Server.Reply(body: bytes)
            reply.claimedLength = nil
            return reply
        }
        let unknown = try await failure(answer)
        guard case .unknownLength = unknown else { return #expect(Bool(false), "\(unknown as Any)") }
        try await expectArrival(of: bytes, known: true, answer)
        // Chunks have an end of their own.
        try await expectArrival(of: bytes) { request in
            var reply = Server.reply(request, bytes)
            reply.isChunked = true
            if request.number == 0 { reply.cutAfter = 777 }
            return reply
        }
    }

    @Test("08 A web page with status 200")
    func webPage() async throws {
        let page = Array("\n  <!DOCTYPE html><html><body>Please log in</body></html>".utf8)
        for type in ["text/html; charset=utf-8", "application/octet-stream"] {
            let error = try await failure { _ in Server.Reply(headers: ["Content-Type": type], body: page) }
            guard case .notAModel = error else { return #expect(Bool(false), "\(error as Any)") }
            let known = try await failure(sha256: String(repeating: "0", count: 64)) { _ in
                Server.Reply(headers: ["Content-Type": type], body: page)
            }
            guard case .notAModel = known else { return #expect(Bool(false), "\(known as Any)") }
        }
        let packed = try await failure { _ in Server.Reply(headers: ["Content-Encoding": "gzip"], body: [1, 2, 3]) }
        guard case .notAModel = packed else { return #expect(Bool(false), "\(packed as Any)") }
    }

    @Test("09 An empty body", arguments: [0, nil])
    func emptyBody(length: Int?) async throws {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        for sha256 in [nil, empty] {
            let error = try await failure(sha256: sha256) { _ in
                var reply = Server.Reply()
                reply.claimedLength = length
                reply.isChunked = length == nil
                return reply
            }
            guard case .notAModel = error else { return #expect(Bool(false), "\(error as Any)") }
        }
    }

    @Test("10a A redirect loop ends after ten")
    func redirectLoop() async throws {
        let count = Locked(0)
        let error = try await failure { _ in
            count.change { $0 += 1 }
            return Server.Reply(status: 302, headers: ["Location": "/again"])
        }
        guard case .redirectRefused = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(count.value == 11)
    }

    @Test(
        "10b Redirects to plain http elsewhere, to private addresses, to other schemes",
        arguments: [
            "http://example.org/m", "http://127.0.0.1:1/m", "http://localhost:1/m", "https://10.0.0.1/m",
            "https://192.168.1.1/m", "https://169.254.169.254/latest", "https://[fd00::1]/m",
            "https://[::ffff:10.0.0.1]/m", "file:///etc/passwd", "ftp://example.org/m", "gopher://127.0.0.1/x",
            "https://user:secret@example.org/m",
        ])
    func badRedirect(location: String) async throws {
        let error = try await failure { _ in Server.Reply(status: 302, headers: ["Location": location]) }
        guard case .redirectRefused(_, let target, _) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(!target.contains("secret"))
    }

    @Test("10c A redirect within the origin is followed, with the range, at every attempt")
    func goodRedirect() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let (_, requests) = try await expectArrival(of: bytes) { request in
            if request.path == "/model.gguf" { return Server.Reply(status: 302, headers: ["Location": "/real?k=1"]) }
            var reply = Server.reply(request, bytes)
            if request.number == 1 { reply.cutAfter = 2000 }
            return reply
        }
        #expect(requests.map(\.path) == ["/model.gguf", "/real?k=1", "/model.gguf", "/real?k=1"])
        #expect(requests[3].range?.start == 2000)
    }
}
