internal import Foundation

/// A socket that listens on one address.
struct ListeningSocket {
    let descriptor: Int32
    /// The bound port.
    let port: Int

    /// - Parameters:
    ///   - address: numeric, such as `127.0.0.1` or `::1`.
    ///   - port: 0 for any free port.
    /// - Throws: `ServerError.cannotListen`.
    init(address: String, port: Int) throws(ServerError) {
        func failure(_ reason: String) -> ServerError { .cannotListen(address: address, port: port, reason: reason) }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address, String(port), &hints, &found)
        guard status == 0, let info = found?.pointee else { throw failure(String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(found) }

        let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        var on: Int32 = 1
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if info.ai_family == AF_INET6 {
            // IPv4 has a socket of its own.
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 128) == 0,
            let bound = Self.port(of: descriptor)
        else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw failure(reason)
        }
        self.descriptor = descriptor
        self.port = bound
    }

    private static func port(of descriptor: Int32) -> Int? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes -> Int? in
            guard let start = bytes.baseAddress,
                getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            // In both families the port is bytes 2 and 3, big-endian.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
