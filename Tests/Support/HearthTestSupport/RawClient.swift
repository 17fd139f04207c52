internal import Foundation
internal import HearthSystem

/// A socket and the bytes that go through it: requests that no well-behaved client would send.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package final class RawClient: @unchecked Sendable {
    private let descriptor: Int32
    private var isOpen = true
    /// Whether the other side has ended the connection, and not patience.
    package private(set) var hasEnded = false

    package init(port: Int, address: String = "127.0.0.1", patience: Double = 300) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found?.pointee else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(found) }
        // In no child that another test starts meanwhile: `close` has to end the connection.
        let descriptor = socket(info.ai_family, info.ai_socktype | SOCK_CLOEXEC, 0)
        var limit = timeval(tv_sec: Int(patience), tv_usec: Int(patience.truncatingRemainder(dividingBy: 1) * 1e6))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            Foundation.close(descriptor)
            throw POSIXError(code)
        }
        // Last: once everything is set, a throw runs `deinit`, which would close a number that another test has by then.
        self.descriptor = descriptor
    }

    deinit { close() }

    /// - Returns: whether all of it was taken.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// What is there, waiting for the first byte; empty at the end.
    package func receive(_ most: Int = 65_536) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: most)
        var count = 0
        repeat { count = recv(descriptor, &buffer, most, 0) } while count < 0 && errno == EINTR
        if count == 0 { hasEnded = true }
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// All that comes up to the end of the connection.
    package func rest() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = receive()
            if piece.isEmpty { return all }
            all += piece
        }
    }

    /// Waits for a text to come.
    package func read(until text: String) -> String {
        var all: [UInt8] = []
        while !String(decoding: all, as: UTF8.self).contains(text) {
            let piece = receive()
            if piece.isEmpty { break }
            all += piece
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Says that nothing more comes; the answer can still be read.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Goes away; the other side is told at once.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        Foundation.close(descriptor)
    }
}

#if canImport(Darwin)
private let MSG_NOSIGNAL = 0
private let SOCK_CLOEXEC: Int32 = 0
#else
private let SOCK_CLOEXEC = Int32(Foundation.SOCK_CLOEXEC.rawValue)
#endif

/// One answer, taken apart.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package struct RawAnswer: Sendable {
    public private(set) var status = 0
    public private(set) var head = ""
    public private(set) var body: [UInt8] = []

    package init(_ bytes: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        let at = bytes.indices.first { bytes[$0...].starts(with: end) } ?? bytes.count
        head = String(decoding: bytes[..<at], as: UTF8.self)
        body = Array(bytes[min(bytes.count, at + 4)...])
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        if head.lowercased().contains("transfer-encoding: chunked") { body = Self.unchunked(body) }
    }

    package var text: String { String(decoding: body, as: UTF8.self) }
    package var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }
    package var error: [String: Any] { json["error"] as? [String: Any] ?? [:] }
    package func header(_ name: String) -> String? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ": ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }

    private static func unchunked(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 13),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16)
        {
            let start = end + 2
            guard size > 0, start + size <= rest.endIndex else { break }
            result += rest[start..<start + size]
            rest = rest[min(rest.endIndex, start + size + 2)...]
        }
        return result
    }
}

/// Blocking calls, on a thread that may block.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
package func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await OwnThread.run { _ in try work() }
}
