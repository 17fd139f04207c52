import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

@Suite("Parallel ranges", .timeLimit(.minutes(20)))
struct DownloadParallelTests {
    typealias Server = MisbehavingServer

    private static var limits: DeliveryLimits {
        var limits = DownloadFixture.limits
        limits.rangeBytes = 200_000
        limits.leastParallelBytes = 300_000
        limits.leastParallelSeconds = 0.05
        return limits
    }

    private static let bytes = DownloadFixture.bytes(3_000_000, seed: 3)

    /// - Parameter awaited: the first answer stops in the middle until so many requests have come.
    /// - Returns: the requests that came.
    private func fetch(
        awaited: Int, _ answer: @escaping @Sendable (Server.Request) -> Server.Reply
    ) async throws -> [Server.Request] {
        let fixture = DownloadFixture()
        let seen = Locked(0)
        return try await DownloadFixture.serving({ request in
            seen.change { $0 += 1 }
            var reply = answer(request)
            reply.slowness = 0.004
            if request.number == 0 { reply.hold = (after: 320_000, until: { seen.value >= awaited }) }
            return reply
        }) { server in
            let file = try await fixture.download(DownloadRequest(urls: [server.url()]), Self.limits)
            let content = try fixture.content(file)
            #expect(content == Self.bytes)
            return server.requests
        }
    }

    @Test("A slow, long file comes over several connections")
    func several() async throws {
        let requests = try await fetch(awaited: 4) { Server.reply($0, Self.bytes) }
        #expect(requests[0].range == nil)
        let ranges = requests.dropFirst().compactMap(\.range)
        #expect(ranges.count >= 3)
        #expect(ranges.allSatisfy { ($0.end ?? 0) - $0.start <= 200_000 })
        #expect(requests.dropFirst().allSatisfy { $0.headers["if-range"] == "\"v1\"" })
    }

    @Test("A server that only claims to serve ranges is left in peace")
    func claimsOnly() async throws {
        let requests = try await fetch(awaited: 2) { request in
            Server.Reply(headers: ["Accept-Ranges": "bytes", "ETag": "\"v1\""], body: Self.bytes)
        }
        #expect(requests.count == 2)
    }

    @Test("No strong tag: one connection")
    func noTag() async throws {
        let requests = try await fetch(awaited: 1) { Server.reply($0, Self.bytes, tag: nil) }
        #expect(requests.count == 1)
    }

    @Test("Ranges that break off are fetched again, and nothing twice that has arrived")
    func cuts() async throws {
        let requests = try await fetch(awaited: 5) { request in
            var reply = Server.reply(request, Self.bytes)
            if request.number % 3 == 1 { reply.cutAfter = 50_000 }
            return reply
        }
        #expect(requests.count > 4)
    }

    @Test("The file changes between the ranges: no splice")
    func changes() async throws {
        let old = DownloadFixture.bytes(3_000_000, seed: 4)
        for number in [3, 4] {
            _ = try await fetch(awaited: number + 1) { request in
                request.number < number
                    ? Server.reply(request, old, tag: "\"old\"") : Server.reply(request, Self.bytes)
            }
        }
    }
}
