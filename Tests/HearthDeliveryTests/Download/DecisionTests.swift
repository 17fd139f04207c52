import HearthDelivery
import HearthTestSupport
import Testing

/// The decisions that need no network, as tables.
@Suite("Download decisions", .timeLimit(.minutes(20)))
struct DecisionTests {
    private func decide(
        _ status: Int, _ headers: [String: String] = [:], from start: Int? = nil, to end: Int? = nil,
        validator: EntityValidator? = nil, declared: Int? = nil, total: Int? = nil, hasDigest: Bool = false
    ) -> String {
        let expectation = ResponseExpectation(
            url: "u", requested: start.map { ($0, end) }, validator: validator, declaredBytes: declared,
            knownTotal: total, hasDigest: hasDigest)
        let text =
            "\(expectation.decide(TransferResponse(status: status, headers: headers, location: headers["location"]), now: 784_111_777))"
        return String(text.prefix { $0 != "(" })
    }

    @Test("What an answer means")
    func answers() {
        let tag = EntityValidator.tag("\"a\"")
        #expect(decide(200, ["content-length": "5"]) == "replace")
        #expect(decide(200, ["content-length": "5"], from: 3) == "replace")
        #expect(decide(200, ["content-length": "0"]) == "refuse")
        #expect(decide(200, ["content-length": "5"], declared: 6) == "refuse")
        #expect(decide(200) == "refuse")
        #expect(decide(200, hasDigest: true) == "replace")
        #expect(decide(200, ["transfer-encoding": "chunked"]) == "replace")
        #expect(decide(200, ["content-length": "-5"]) == "refuse")
        #expect(decide(200, ["content-length": "5", "content-encoding": "br"]) == "refuse")
        #expect(decide(206, ["content-range": "bytes 3-4/5", "etag": "\"a\""], from: 3, validator: tag) == "append")
        #expect(decide(206, ["content-range": "bytes 3-4/5"], from: 3, validator: tag) == "restart")
        #expect(decide(206, ["content-range": "bytes 3-4/5", "etag": "\"b\""], from: 3, validator: tag) == "restart")
        #expect(decide(206, ["content-range": "bytes 3-4/5", "etag": "W/\"a\""], from: 3, validator: tag) == "restart")
        #expect(decide(206, ["content-range": "bytes 2-4/5"], from: 3) == "restart")
        #expect(decide(206, ["content-range": "bytes 3-9/10"], from: 3, to: 5) == "restart")
        #expect(decide(206, ["content-range": "bytes 3-4/5"]) == "restart")
        #expect(decide(206, ["content-range": "bytes 3-4/5"], from: 3, total: 6) == "restart")
        #expect(decide(206, ["content-range": "bytes 3-4/5"], from: 3, declared: 6) == "refuse")
        #expect(decide(206, ["content-range": "bytes 3-4/5", "content-length": "1"], from: 3) == "restart")
        #expect(
            decide(206, ["content-range": "bytes 3-4/5", "content-type": "multipart/byteranges"], from: 3) == "refuse")
        #expect(decide(416, ["content-range": "bytes */5"], from: 5) == "finished")
        #expect(decide(416, ["content-range": "bytes */6"], from: 5) == "restart")
        #expect(decide(416, from: 5) == "restart")
        #expect(decide(416) == "refuse")
        #expect(decide(302, ["location": "https://a/b"]) == "redirect")
        #expect(decide(302) == "refuse")
        for status in [408, 429, 500, 502, 503, 504] { #expect(decide(status) == "later") }
        for status in [204, 304, 400, 401, 403, 404, 410, 451, 501, 999, 0] { #expect(decide(status) == "refuse") }
    }

    @Test(
        "Content-Range",
        arguments: [
            ("bytes 0-99/1000", 0..<100, 1000), ("bytes 0-99/*", 0..<100, nil), ("bytes */7", nil, 7),
            ("Bytes 5-5/6", 5..<6, 6),
        ] as [(String, Range<Int>?, Int?)])
    func contentRange(text: String, range: Range<Int>?, total: Int?) {
        let parsed = ContentRange(text)
        #expect(parsed != nil)
        #expect(parsed?.range == range)
        #expect(parsed?.total == total)
    }

    @Test(
        "No Content-Range",
        arguments: [
            "", "bytes", "bytes 0-99", "bytes 9-3/10", "bytes 0-10/10", "bytes -1-5/10", "items 0-1/2",
            "bytes 0-99/1/2",
            "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes ٣-٤/٥",
        ])
    func noContentRange(text: String) { #expect(ContentRange(text) == nil) }

    @Test("HTTP dates")
    func dates() {
        // The example of RFC 9110, and two from `date -u -d @N`.
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        ] {
            #expect(HTTPDate.seconds(text) == nil)
        }
        let busy = TransferResponse(status: 503, headers: ["retry-after": "Sun, 06 Nov 1994 08:49:47 GMT"])
        #expect(ResponseExpectation.retryAfter(busy, now: 784_111_777) == 10)
        let endless = TransferResponse(status: 503, headers: ["retry-after": "\(Int.max)"])
        let after = ResponseExpectation.retryAfter(endless, now: 784_111_777)
        let error = DeliveryError.serverBusy(url: "u", status: 503, retryAfter: after)
        #expect(error.errorDescription?.contains("retry in 1099511627776 s") == true)
    }

    @Test(
        "Who can be behind an address",
        arguments: [
            ("127.0.0.1", .loopback), ("127.9.9.9", .loopback), ("::1", .loopback), ("localhost", .loopback),
            ("10.1.2.3", .restricted), ("172.16.0.1", .restricted), ("172.32.0.1", .open), ("192.168.0.1", .restricted),
            ("169.254.169.254", .restricted), ("100.64.0.1", .restricted), ("0.0.0.0", .restricted),
            ("224.0.0.1", .restricted), ("255.255.255.255", .restricted), ("8.8.8.8", .open), ("::", .restricted),
            ("fe80::1", .restricted), ("fd12::1", .restricted), ("::ffff:127.0.0.1", .loopback),
            ("::ffff:10.0.0.1", .restricted), ("64:ff9b::a00:1", .restricted), ("2002:7f00:1::", .loopback),
            ("2606:4700::1111", .open), ("ff02::1", .restricted), ("example.org", nil),
        ] as [(String, RemoteAddress.Kind?)])
    func addresses(host: String, kind: RemoteAddress.Kind?) { #expect(RemoteAddress.Kind(literal: host) == kind) }

    @Test("Redirects over https")
    func redirects() throws {
        func next(_ from: String, _ to: String, _ peer: RemoteAddress.Kind?) throws -> AddressRule {
            try RedirectPolicy.next(from: DownloadAddress(from), to: to, peer: peer, hops: 0, limit: 10).rule
        }
        #expect(try next("https://a.example/m", "https://cdn.example/m", .open) == .openOr(.open))
        #expect(!AddressRule.openOr(.open).allows(.restricted))
        #expect(!AddressRule.openOr(.open).allows(.loopback))
        #expect(try next("https://a.example/m", "https://cdn.example/m", .restricted) == .openOr(.restricted))
        #expect(throws: DeliveryError.self) { try next("https://a.example/m", "http://a.example/m", .open) }
        #expect(throws: DeliveryError.self) { try next("https://a.example/m", "http://127.0.0.1/m", .open) }
        #expect(throws: DeliveryError.self) { try next("https://a.example/m", "https://127.0.0.1/m", .open) }
        #expect(throws: DeliveryError.self) { try next("https://a.example/m", "https://10.0.0.1/m", nil) }
    }

    @Test(
        "Addresses that are not fetched from",
        arguments: [
            "", "model.gguf", "http://example.org/m", "http://127.0.0.1.example.org/", "ftp://example.org/m",
            "https://user@example.org/m", "https:///m", "https://exa mple.org/", "https://example.org:99999/m",
            "https://a\\b/m", "file://server/m", "file:m", "http://2130706433/m", "http://0x7f.1/m", "https://[::1",
            "javascript:alert(1)", "https://example.org/\u{0}",
        ])
    func badAddresses(url: String) {
        #expect(throws: DeliveryError.self) { try DownloadAddress(url) }
    }

    @Test("Byte ranges against a set of positions")
    func byteRanges() {
        var generator = SeededNumbers.fresh()
        for _ in 0..<200 {
            var ranges = ByteRanges()
            var positions = Set<Int>()
            for _ in 0..<20 {
                let lower = Int.random(in: 0..<60, using: &generator)
                let range = lower..<lower + Int.random(in: 0..<15, using: &generator)
                if Bool.random(using: &generator) {
                    ranges.insert(range)
                    positions.formUnion(range)
                } else {
                    ranges.remove(range)
                    positions.subtract(range)
                }
                #expect(ranges.count == positions.count)
                #expect(Set(ranges.ranges.flatMap { Array($0) }) == positions)
                #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
                #expect(Set(ranges.gaps(below: 50).flatMap { Array($0) }) == Set(0..<50).subtracting(positions))
                #expect(ranges.front == ((0...).first { !positions.contains($0) } ?? 0))
            }
        }
    }

    @Test("23d What is fetched again is no progress; standing still adds up until the file grows")
    func patience() {
        var watch = ProgressWatch(now: 0, limits: DeliveryLimits())
        watch.receive(100_000, now: 1)
        _ = watch.progress(bytes: 100_000, total: nil, now: 1)
        #expect(watch.idle(now: 31) == 30)
        watch.endAttempt(now: 31)
        watch.receive(100_000, now: 32)
        _ = watch.progress(bytes: 100_000, total: nil, now: 32)
        #expect(watch.standing(now: 47) == 15 && watch.idle(now: 47) == 45)
        watch.receive(1000, now: 47)
        _ = watch.progress(bytes: 101_000, total: nil, now: 47)
        #expect(watch.idle(now: 47) == 45, "a trickle")
        watch.receive(50_000, now: 48)
        _ = watch.progress(bytes: 150_000, total: nil, now: 48)
        #expect(watch.idle(now: 50) == 2)
        watch.endAttempt(now: 50)
        watch.restartPatience(now: 51)
        #expect(watch.idle(now: 52) == 1)
    }

    @Test("The time for which the program itself stood still is no stall of the server")
    func ownTime() {
        var watch = ProgressWatch(now: 0, limits: DeliveryLimits())
        watch.receive(100_000, now: 1)
        watch.leaveOut(3600, now: 3610)
        #expect(watch.standing(now: 3610) == 9 && watch.idle(now: 3610) == 9)
        watch.leaveOut(-1, now: 3611)
        #expect(watch.idle(now: 3611) == 10)
        watch.receive(100_000, now: 3612)
        watch.leaveOut(60, now: 3613)
        #expect(watch.idle(now: 3613) == 0 && watch.idle(now: 3620) == 7)
    }

    @Test("Attempts: counted without progress, pauses double, mirrors in turn")
    func retries() {
        var limits = DeliveryLimits()
        limits.firstPause = 1
        limits.longestPause = 4
        limits.fruitlessAttempts = 4
        var policy = RetryPolicy(mirrors: 1, limits: limits)
        let fruitless = RetryPolicy.Outcome.interrupted(progressed: false, retryAfter: nil)
        func next(_ outcome: RetryPolicy.Outcome, idle: Double = 0) -> RetryPolicy.Next {
            policy.next(after: outcome, idle: idle, jitter: 1)
        }
        #expect(next(fruitless) == .attempt(mirror: 0, pause: 1))
        #expect(next(fruitless) == .attempt(mirror: 0, pause: 2))
        #expect(next(fruitless) == .attempt(mirror: 0, pause: 4))
        #expect(next(.interrupted(progressed: true, retryAfter: nil)) == .attempt(mirror: 0, pause: 1))
        #expect(next(.interrupted(progressed: false, retryAfter: 20)) == .attempt(mirror: 0, pause: 20))
        #expect(next(.interrupted(progressed: true, retryAfter: 31)) == .giveUp)
        #expect(next(fruitless, idle: 44.5) == .giveUp)
        #expect(next(.mirrorRefused) == .giveUp)
        policy = RetryPolicy(mirrors: 2, limits: limits)
        #expect(next(.mirrorRefused) == .attempt(mirror: 1, pause: 0))
        #expect(next(.mirrorRefused) == .giveUp)
    }
}
