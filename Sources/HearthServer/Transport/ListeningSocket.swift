internal import Foundation

/// A socket that listens on one address.
struct ListeningSocket {
    let descriptor: Int32
    /// The bound address, numeric.
    let address: String
    /// The bound port.
    let port: Int
    /// Whether another program opened it, and keeps it open when this one has closed it.
    let isInherited: Bool

    #if canImport(Darwin)
    private static let closeOnExec: Int32 = 0  // the system has no such flag
    #else
    // From the first moment on: a child would go on listening there.
    private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
    #endif
    private static let backlog = 128
    /// Maximum number of connections that wait to be accepted: Linux lets one more wait than it was asked for.
    static let mostWaiting = backlog + 1

    /// - Parameters:
    ///   - address: numeric, such as `127.0.0.1` or `::1`.
    ///   - port: 0 for any free port.
    /// - Throws: `ServerError.cannotListen`.
    init(address: String, port: Int) throws(ServerError) {
        func failure(_ reason: String) -> ServerError { .cannotListen(address: address, port: port, reason: reason) }
        // getaddrinfo takes larger numbers, and drops their upper bits.
        guard (0...65535).contains(port) else { throw failure("a port is a number from 0 to 65535") }
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

        let descriptor = socket(info.ai_family, info.ai_socktype | Self.closeOnExec, info.ai_protocol)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        var on: Int32 = 1
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if info.ai_family == AF_INET6 {
            // IPv4 has a socket of its own.
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, Int32(Self.backlog)) == 0,
            let bound = Self.name(of: descriptor)
        else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw failure(reason)
        }
        self.descriptor = descriptor
        self.address = address
        self.port = bound.port
        isInherited = false
    }

    /// Listens on both loopback addresses on the same port; on a machine without IPv6, on IPv4 only.
    /// - Parameter host: an address to listen on instead.
    /// - Throws: `ServerError.cannotListen`.
    static func open(_ host: String? = nil, port: Int) throws -> [ListeningSocket] {
        if let host { return [try ListeningSocket(address: host, port: port)] }
        var last: (any Error)?
        // A port that is free for IPv4 may be in use for IPv6.
        for _ in 0..<8 {
            let four = try ListeningSocket(address: "127.0.0.1", port: port)
            guard hasSixth else { return [four] }
            do {
                return [four, try ListeningSocket(address: "::1", port: four.port)]
            } catch {
                close(four.descriptor)
                last = error
                if port != 0 { break }
            }
        }
        throw last ?? ServerError.cannotListen(address: "::1", port: port, reason: "no port is free")
    }

    /// Whether this machine has the IPv6 loopback address.
    private static var hasSixth: Bool {
        guard let probe = try? ListeningSocket(address: "::1", port: 0) else { return false }
        close(probe.descriptor)
        return true
    }

    /// Takes over a socket that another program opened, such as systemd's.
    /// - Throws: `InheritedSocketError` if it is not a listening TCP socket.
    init(inherited descriptor: Int32) throws(InheritedSocketError) {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        guard option(SO_ACCEPTCONN) == 1, let bound = Self.name(of: descriptor) else {
            throw InheritedSocketError(descriptor: descriptor)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.descriptor = descriptor
        (address, port) = bound
        isInherited = true
    }

    /// The bound address; nil if it is not one of the internet.
    private static func name(of descriptor: Int32) -> (address: String, port: Int)? {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &name) { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getsockname(descriptor, start, &length) == 0,
                [AF_INET, AF_INET6].contains(Int32(start.pointee.sa_family)),
                let address = ServerNames.numeric(start, length)
            else { return nil }
            // In both families the port is bytes 2 and 3, big-endian.
            return (address, Int(bytes[2]) << 8 | Int(bytes[3]))
        }
    }
}

/// A descriptor that was passed to the server is not a listening TCP socket.
package struct InheritedSocketError: LocalizedError, Equatable {
    package var descriptor: Int32
    package var errorDescription: String? {
        "the passed descriptor is not a listening TCP socket (LISTEN_FDS, descriptor \(descriptor)). Use ListenStream= with an "
            + "address and a port."
    }
}
