import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Digests, patience, cancelling and sharing.
@Suite("Download trust and patience", .timeLimit(.minutes(20)))
struct DownloadTrustTests {
    typealias Server = MisbehavingServer

    private static func sha(_ bytes: some Sequence<UInt8>) -> String { SHA256.digest(of: bytes) }

    @Test("11a Wrong digest with known ranges: only the bad range comes again")
    func badRange() async throws {
        let bytes = DownloadFixture.bytes(300_000)
        var bad = bytes
        bad[70_000] ^= 1
        let size = 1 << 16
        let digests = stride(from: 0, to: bytes.count, by: size).map {
            Self.sha(bytes[$0..<min($0 + size, bytes.count)])
        }
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ [bad] request in
            Server.reply(request, request.number == 0 ? bad : bytes)
        }) { server in
            let file = try await fixture.download(
                DownloadRequest(
                    urls: [server.url()], sha256: Self.sha(bytes), bytes: bytes.count,
                    rangeDigests: RangeDigests(size: size, sha256: digests)))
            #expect(try fixture.content(file) == bytes)
            #expect(server.requests.count == 2)
            #expect(server.requests[1].range?.start == size)
            #expect(server.requests[1].range?.end == 2 * size)
        }
    }

    @Test("11b Wrong digest otherwise: the whole file once more, from the next mirror first")
    func wrongThenRight() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ request in
            Server.reply(request, request.path == "/bad" ? DownloadFixture.bytes(5000, seed: 9) : bytes)
        }) { server in
            let file = try await fixture.download(
                DownloadRequest(urls: [server.url("/bad"), server.url("/good")], sha256: Self.sha(bytes)))
            #expect(try fixture.content(file) == bytes)
            #expect(server.requests.map(\.path) == ["/bad", "/good"])
        }
    }

    @Test("11c Wrong digest twice: an error, nothing published, nothing kept")
    func alwaysWrong() async throws {
        let fixture = DownloadFixture()
        let installed = Locked(false)
        try await DownloadFixture.serving({ Server.reply($0, DownloadFixture.bytes(5000, seed: 9)) }) { server in
            let expected = String(repeating: "0", count: 64)
            await #expect {
                try await fixture.downloader().download(
                    DownloadRequest(urls: [server.url()], sha256: expected), into: fixture.folder,
                    install: { file, _ in
                        installed.change { $0 = true }
                        return file
                    })
            } throws: { error in
                if case DeliveryError.wrongDigest(_, expected, _) = error { true } else { false }
            }
            #expect(server.requests.count == 2)
        }
        #expect(!installed.value)
        #expect(try fixture.leftovers().isEmpty)
    }

    @Test("23a A server that stands still is left, asked again, and given up")
    func stall() async throws {
        let bytes = DownloadFixture.bytes(50_000)
        var limits = DownloadFixture.limits
        // As often as a busy machine needs to send the beginning in time.
        (limits.stallSeconds, limits.giveUpSeconds, limits.fruitlessAttempts) = (0.4, 3600, 30)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ request in
            var reply = Server.reply(request, bytes)
            reply.stallAfter = request.range == nil ? 10_000 : 0
            return reply
        }) { [limits] server in
            await #expect {
                try await fixture.download(DownloadRequest(urls: [server.url()]), limits)
            } throws: {
                if case DeliveryError.stalled = $0 { true } else { false }
            }
            #expect(server.requests.count >= 2)
        }
        #expect(try fixture.leftovers().count == 2, "the partial file and its journal are kept")
    }

    @Test("23b A stall that ends with a new connection costs nothing but time")
    func stallOnce() async throws {
        let bytes = DownloadFixture.bytes(50_000)
        var limits = DownloadFixture.limits
        (limits.stallSeconds, limits.fruitlessAttempts) = (2, 100)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ request in
            // However late it begins on a busy machine: who asks from the start on is left standing.
            var reply = Server.reply(request, bytes)
            if request.range == nil { reply.stallAfter = 20_000 }
            return reply
        }) { [limits] server in
            let file = try await fixture.download(DownloadRequest(urls: [server.url()]), limits)
            #expect(try fixture.content(file) == bytes)
            let start = try #require(server.requests.last?.range?.start)
            #expect(start > 0 && start <= 20_000, "what had arrived is not asked for again")
        }
    }

    @Test("23c A trickle is no progress")
    func trickle() async throws {
        var limits = DownloadFixture.limits
        limits.stallSeconds = 0.3
        limits.giveUpSeconds = 0.4
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ request in
            var reply = Server.reply(request, DownloadFixture.bytes(50_000))
            reply.trickle = 0.05
            return reply
        }) { [limits] server in
            await #expect {
                try await fixture.download(DownloadRequest(urls: [server.url()]), limits)
            } throws: {
                if case DeliveryError.stalled = $0 { true } else { false }
            }
        }
    }

    @Test(
        "23d A server that sends the same start again and again and stops there is given up", .timeLimit(.minutes(20)))
    func standsStillAtOnePlace() async throws {
        let bytes = DownloadFixture.bytes(200_000)
        var limits = DownloadFixture.limits
        (limits.stallSeconds, limits.giveUpSeconds) = (0.4, 60)
        // Each attempt brings 100 kB; without a tag none of it can be used by the next one.
        try await DownloadFixture.serving({ request in
            var reply = Server.Reply(body: bytes)
            reply.stallAfter = 100_000 + request.number % 2
            return reply
        }) { [limits] server in
            let fixture = DownloadFixture()
            await #expect {
                try await fixture.download(DownloadRequest(urls: [server.url()]), limits)
            } throws: {
                if case DeliveryError.stalled = $0 { true } else { false }
            }
            #expect(server.requests.count > 1)
            let left = try fixture.leftovers()
            #expect(left.isEmpty, "what cannot be continued is not kept")
        }
    }

    @Test("24 Progress never goes back, over cuts and over a start from nothing")
    func monotonicProgress() async throws {
        let bytes = DownloadFixture.bytes(2_000_000)
        let fixture = DownloadFixture()
        let told = Locked<[DownloadProgress]>([])
        // Two parts of the same file, then two of another one, each from its beginning, and all of that one.
        let cuts = [1_500_000, 100_000, 1_000_000, 1_500_000]
        try await DownloadFixture.serving({ request in
            var reply = Server.reply(request, bytes, tag: request.number < 2 ? "\"v1\"" : nil)
            if request.number < cuts.count { reply.cutAfter = cuts[request.number] }
            reply.slowness = 0.0005
            return reply
        }) { server in
            _ = try await fixture.download(DownloadRequest(urls: [server.url()])) { progress in
                told.change { $0.append(progress) }
            }
        }
        let values = told.value
        #expect(values.count > 3)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0.bytes <= $1.bytes })
        #expect(values.last?.bytes == bytes.count)
        #expect(
            values.allSatisfy { $0.bytes <= ($0.total ?? .max) && $0.bytesPerSecond >= 0 && ($0.secondsLeft ?? 0) >= 0 }
        )
    }

    @Test("25 Cancelling answers at once and keeps the partial file")
    func cancel() async throws {
        let bytes = DownloadFixture.bytes(2_000_000)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ request in
            var reply = Server.reply(request, bytes)
            if request.number == 0 { reply.stallAfter = 1_000_000 }
            return reply
        }) { server in
            let request = DownloadRequest(urls: [server.url()])
            let arrived = Locked(0)
            let task = Task {
                try await fixture.download(request) { progress in arrived.change { $0 = progress.bytes } }
            }
            while arrived.value < 1_000_000 { try await Task.sleep(for: .milliseconds(5)) }
            let begin = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ContinuousClock.now - begin < .seconds(600))
            let file = try await fixture.download(request)
            #expect(file.resumedFrom == 1_000_000)
            #expect(try fixture.content(file) == bytes)
        }
    }

    @Test("16 Two tasks, one download; one that is cancelled leaves the other alone")
    func twoTasks() async throws {
        let bytes = DownloadFixture.bytes(400_000)
        let fixture = DownloadFixture()
        let downloader = fixture.downloader()
        let isCancelled = Locked(false)
        try await DownloadFixture.serving({ request in
            // Nothing arrives before one of the four has left.
            var reply = Server.reply(request, bytes)
            reply.hold = (after: 0, until: { isCancelled.value })
            return reply
        }) { server in
            let request = DownloadRequest(urls: [server.url()])
            let joined = Locked<Set<Int>>([])
            let tasks = (0..<4).map { number in
                Task {
                    try await downloader.download(
                        request, into: fixture.folder, progress: { _ in joined.change { $0.insert(number) } })
                }
            }
            while joined.value.count < 4 { try await Task.sleep(for: .milliseconds(5)) }
            tasks[0].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[0].value }
            isCancelled.change { $0 = true }
            for task in tasks.dropFirst() {
                let file = try await task.value
                #expect(try fixture.content(file) == bytes)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("15a Two processes, locks honoured: one downloads, the other shares")
    func twoProcesses() async throws {
        let bytes = DownloadFixture.bytes(400_000)
        let fixture = DownloadFixture()
        let waits = Locked(0)
        try await DownloadFixture.serving({ request in
            var reply = Server.reply(request, bytes)
            reply.hold = (after: bytes.count / 2, until: { waits.value > 0 })
            return reply
        }) { server in
            let request = DownloadRequest(urls: [server.url()], sha256: Self.sha(bytes))
            // Two downloaders know as little of each other as two processes do.
            let store = fixture.folder + "-store"
            defer { try? FileManager.default.removeItem(atPath: store) }
            let tasks = (0..<2).map { _ in
                Task {
                    try await fixture.downloader().download(
                        request, into: fixture.folder,
                        alreadyThere: { sha256, _ in
                            #expect(sha256 == Self.sha(bytes))
                            guard FileManager.default.fileExists(atPath: store) else { return nil }
                            return DownloadedFile(
                                path: store, bytes: bytes.count, sha256: Self.sha(bytes), resumedFrom: 0)
                        },
                        install: { file, _ in
                            try SystemFiles().rename(file.path, to: store)
                            var file = file
                            file.path = store
                            return file
                        },
                        progress: { progress in if progress.isWaiting { waits.change { $0 += 1 } } })
                }
            }
            for task in tasks {
                let file = try await task.value
                #expect(try fixture.content(file) == bytes)
            }
            #expect(server.requests.count == 1)
            #expect(waits.value > 0, "who waits says so")
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).isEmpty)
        }
    }

    @Test("15b Two processes, no lock honoured: both finish, bytes right")
    func twoProcessesWithoutLocks() async throws {
        let bytes = DownloadFixture.bytes(400_000)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ request in
            var reply = Server.reply(request, bytes)
            reply.slowness = 0.002
            return reply
        }) { server in
            let request = DownloadRequest(urls: [server.url()])
            let store = fixture.folder + "-store"
            defer { try? FileManager.default.removeItem(atPath: store) }
            let tasks = (0..<3).map { _ in
                Task {
                    let files = FaultyFiles(SystemFiles(), .ignoresLocks)
                    return try await fixture.downloader(files: files).download(
                        request, into: fixture.folder,
                        install: { file, _ in
                            try SystemFiles().rename(file.path, to: store)
                            var file = file
                            file.path = store
                            return file
                        })
                }
            }
            for task in tasks {
                let file = try await task.value
                #expect(file.sha256 == Self.sha(bytes))
            }
            #expect(try Array(Data(contentsOf: URL(filePath: store))) == bytes)
        }
    }

    @Test("Busy servers: Retry-After within limits is waited for, beyond them it is told")
    func retryAfter() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let fixture = DownloadFixture()
        let begin = ContinuousClock.now
        try await DownloadFixture.serving({ request in
            request.number == 0
                ? Server.Reply(status: 503, headers: ["Retry-After": "1"]) : Server.reply(request, bytes)
        }) { server in
            let file = try await fixture.download(DownloadRequest(urls: [server.url()]))
            #expect(try fixture.content(file) == bytes)
        }
        #expect(ContinuousClock.now - begin >= .seconds(1))
        try await DownloadFixture.serving({ _ in
            Server.Reply(status: 429, headers: ["Retry-After": "3600"])
        }) { server in
            await #expect {
                try await fixture.download(DownloadRequest(urls: [server.url("/other")]))
            } throws: {
                if case DeliveryError.serverBusy(_, 429, 3600) = $0 { true } else { false }
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("A size that no disk has is refused, whatever says it", arguments: [Int.max, Int.max - 1, 1 << 62])
    func endlessSize(size: Int) async throws {
        let fixture = DownloadFixture()
        var limits = DownloadFixture.limits
        limits.diskReserve = 16 << 20
        try await DownloadFixture.serving({ _ in
            var reply = Server.Reply(body: [1, 2, 3])
            reply.claimedLength = size
            return reply
        }) { server in
            await #expect {
                try await fixture.download(DownloadRequest(urls: [server.url()]), limits)
            } throws: {
                if case DeliveryError.diskFull = $0 { true } else { false }
            }
        }
    }

    @Test("Mirrors are asked in order; bytes of one go on at the next where a digest will judge")
    func mirrors() async throws {
        let bytes = DownloadFixture.bytes(5000)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ request in
            switch request.path {
            case "/gone": return Server.Reply(status: 404)
            case "/broken":
                var reply = Server.reply(request, bytes)
                reply.cutAfter = request.range == nil ? 2000 : 0
                return reply
            default: return Server.reply(request, bytes, tag: "\"other\"")
            }
        }) { server in
            let urls = ["/gone", "/broken", "/good"].map { server.url($0) }
            let file = try await fixture.download(DownloadRequest(urls: urls, sha256: Self.sha(bytes)))
            #expect(try fixture.content(file) == bytes)
            #expect(server.requests.last?.path == "/good")
            #expect(server.requests.last?.range?.start == 2000)
            #expect(server.requests.last?.headers["if-range"] == nil)
        }
    }

    @Test("Headers of the request go to the first origin only")
    func headersStayHome() async throws {
        let bytes = DownloadFixture.bytes(500)
        let fixture = DownloadFixture()
        try await DownloadFixture.serving({ Server.reply($0, bytes) }) { second in
            try await DownloadFixture.serving({ _ in Server.Reply(status: 404) }) { first in
                let request = DownloadRequest(
                    urls: [first.url(), second.url()], headers: ["Authorization": "Bearer secret"])
                _ = try await fixture.download(request)
                #expect(first.requests[0].headers["authorization"] == "Bearer secret")
                #expect(second.requests[0].headers["authorization"] == nil)
                #expect(second.requests[0].headers["accept-encoding"] == "identity")
            }
        }
    }
}
