internal import Foundation

/// A small HTTP server on this machine that does exactly what a test tells it, however wrong.
///
/// A thread for each connection; one request a connection.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package final class MisbehavingServer: @unchecked Sendable {
    package struct Request: Sendable {
        /// How many came before.
        package var number: Int
        package var path: String
        /// Names in lower case.
        package var headers: [String: String]

        /// The bounds of `Range: bytes=a-b`; the end is nil where it is open.
        package var range: (start: Int, end: Int?)? {
            guard let text = headers["range"], text.hasPrefix("bytes=") else { return nil }
            let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let start = Int(ends[0]) else { return nil }
            return (start, Int(ends[1]).map { $0 + 1 })
        }
    }

    package struct Reply: Sendable {
        package var status = 200
        package var headers: [String: String] = [:]
        package var body: [UInt8] = []
        /// The length that is claimed; nil for none at all.
        package var claimedLength: Int?
        /// The body in chunks, with their end mark unless it is cut.
        package var isChunked = false
        /// The connection is closed after so many bytes of the body.
        package var cutAfter: Int?
        /// The body pauses forever (until the other side leaves) after so many bytes.
        package var stallAfter: Int?
        /// After so many bytes of the body (0: before the head), nothing more is sent until the question is answered with
        /// yes.
        package var hold: (after: Int, until: @Sendable () -> Bool)?
        /// Seconds between single bytes.
        package var trickle: Double?
        /// Seconds between blocks of 16 KiB.
        package var slowness: Double?
        /// The body is repeated until the other side leaves.
        package var isEndless = false

        package init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
            claimedLength = body.count
        }
    }

    package let port: UInt16
    private let listener: Int32
    private let answer: @Sendable (Request) -> Reply
    private let guarding = NSLock()
    private var seen: [Request] = []
    private var sent = 0
    private var connections: Set<Int32> = []
    private var isStopped = false

    package init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        self.answer = answer
        // In no child that another test starts meanwhile: it would go on listening there.
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &size) == 0
            }
        }
        guard status else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Serves bytes as a good server does: ranges, `If-Range`, a strong tag.
    package static func reply(_ request: Request, _ bytes: [UInt8], tag: String? = "\"v1\"") -> Reply {
        var headers = ["Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"]
        if let tag { headers["ETag"] = tag }
        let isCurrent = request.headers["if-range"].map { $0 == tag } ?? true
        guard let range = request.range, isCurrent else { return Reply(headers: headers, body: bytes) }
        guard range.start < bytes.count else {
            headers["Content-Range"] = "bytes */\(bytes.count)"
            return Reply(status: 416, headers: headers)
        }
        let end = min(range.end ?? bytes.count, bytes.count)
        headers["Content-Range"] = "bytes \(range.start)-\(end - 1)/\(bytes.count)"
        return Reply(status: 206, headers: headers, body: Array(bytes[range.start..<end]))
    }

    package func url(_ path: String = "/model.gguf") -> String { "http://127.0.0.1:\(port)\(path)" }
    /// All requests so far.
    package var requests: [Request] { guarding.withLock { seen } }
    /// Bytes of bodies handed to the system so far.
    package var bytesSent: Int { guarding.withLock { sent } }

    package func stop() {
        guarding.withLock {
            isStopped = true
            for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        // Refuses connections from now on, and ends `accept`, whose thread closes it: closed here, its number could be another
        // test's server by the time that the thread asks for the next connection.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        defer { close(listener) }
        while true {
            let connection = acceptConnection(listener)
            if connection < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let isWanted = guarding.withLock { isStopped ? false : connections.insert(connection).inserted }
            guard isWanted else {
                close(connection)
                continue
            }
            Thread.detachNewThread { [self] in
                serve(connection)
                guarding.withLock { _ = connections.remove(connection) }
                // A child that another test started may hold it as well: the other side is told all the same.
                shutdown(connection, Int32(SHUT_RDWR))
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        guard let request = readRequest(connection) else { return }
        let reply = answer(request)
        if let hold = reply.hold, hold.after == 0 { waitUntil(hold.until) }
        var head = "HTTP/1.1 \(reply.status) X\r\nConnection: close\r\n"
        for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
        if reply.isChunked {
            head += "Transfer-Encoding: chunked\r\n"
        } else if let length = reply.claimedLength {
            head += "Content-Length: \(length)\r\n"
        }
        guard send(connection, Array((head + "\r\n").utf8)) else { return }
        let limit = min(reply.cutAfter ?? .max, reply.stallAfter ?? .max)
        var done = 0
        repeat {
            var position = 0
            while position < reply.body.count, done < limit {
                let step = reply.trickle != nil ? 1 : reply.slowness != nil ? 16 << 10 : 256 << 10
                var end = min(position + min(step, limit - done), reply.body.count)
                if let hold = reply.hold, hold.after > done { end = min(end, position + hold.after - done) }
                let block = Array(reply.body[position..<end])
                let framed =
                    reply.isChunked
                    ? Array(String(block.count, radix: 16).utf8) + [13, 10] + block + [13, 10] : block
                // Counted first: whoever has received them all finds them counted.
                guarding.withLock { sent += block.count }
                guard send(connection, framed) else {
                    guarding.withLock { sent -= block.count }
                    return
                }
                if let pause = reply.trickle ?? reply.slowness { Thread.sleep(forTimeInterval: pause) }
                done += end - position
                position = end
                if let hold = reply.hold, hold.after == done { waitUntil(hold.until) }
            }
        } while reply.isEndless && done < limit && !reply.body.isEmpty
        if reply.stallAfter != nil { waitForHangUp(connection) }
        if reply.isChunked, reply.cutAfter == nil { _ = send(connection, Array("0\r\n\r\n".utf8)) }
        // What was sent shall arrive: no reset.
        shutdown(connection, Int32(SHUT_WR))
        waitForHangUp(connection)
    }

    private func waitUntil(_ condition: () -> Bool) {
        while !condition(), !guarding.withLock({ isStopped }) { Thread.sleep(forTimeInterval: 0.005) }
    }

    private func waitForHangUp(_ connection: Int32) {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }

    private func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                sendBytes(connection, buffer.baseAddress.map { $0 + done }, bytes.count - done)
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    private func readRequest(_ connection: Int32) -> Request? {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while text.suffix(4) != [13, 10, 13, 10] {
            guard text.count < 16384, recv(connection, &byte, 1, 0) == 1 else { return nil }
            text.append(byte)
        }
        let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        return guarding.withLock {
            let request = Request(number: seen.count, path: String(words[1]), headers: headers)
            seen.append(request)
            return request
        }
    }
}

private func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

private func sendBytes(_ connection: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    send(connection, bytes, count, 0)
    #else
    send(connection, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
}
