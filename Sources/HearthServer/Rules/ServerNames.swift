internal import Foundation

/// The host names that the server accepts, each with its exact port. Pure.
package enum ServerNames {
    /// - Parameters:
    ///   - host: the address it listens on; nil for the loopback addresses.
    ///   - own: addresses of this machine's interfaces, for a server that listens on all of them.
    package static func all(host: String?, port: Int, own: [String] = []) -> Set<String> {
        var names = ["localhost", "127.0.0.1", "[::1]"]
        if let host { names += isAny(host) ? own.map(bracketed) : [bracketed(host)] }
        // Clients omit the default port.
        return Set(names.flatMap { port == 80 ? ["\($0):80", $0] : ["\($0):\(port)"] }.map { $0.lowercased() })
    }

    /// Whether it is a loopback address, which other machines cannot reach.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "::1" { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    /// Whether it is the wildcard address.
    static func isAny(_ host: String) -> Bool { host == "0.0.0.0" || host == "::" }

    /// Whether it is a numeric IP address.
    static func isAddress(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    /// The address as written before a port: IPv6 in brackets.
    static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// Numeric addresses of this machine's interfaces.
    package static func interfaces() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        var entry = list
        while let current = entry?.pointee {
            entry = current.ifa_next
            guard let address = current.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            if let text = numeric(address, socklen_t(length)) { found.append(text) }
        }
        return found
    }

    /// The numeric address of a socket's name, without the port; nil if it has none.
    static func numeric(_ name: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        guard getnameinfo(name, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
