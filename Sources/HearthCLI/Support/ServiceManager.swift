import Foundation

/// What systemd passes to a service and wants to be told: sd_listen_fds(3) and sd_notify(3). Under other managers, and in a shell,
/// there is nothing of it, and nothing is done.
enum ServiceManager {
    /// The first passed descriptor.
    private static let firstSocket: Int32 = 3
    private static let mostSockets: Int32 = 64

    /// The listening sockets that were opened for this process.
    static func sockets(_ environment: [String: String], process: Int32 = getpid()) -> [Int32] {
        guard environment["LISTEN_PID"].flatMap(Int32.init) == process,
            let count = environment["LISTEN_FDS"].flatMap(Int32.init), (1...mostSockets).contains(count)
        else { return [] }
        return (0..<count).map { firstSocket + $0 }
    }

    /// Tells the manager the state of the service, such as `READY=1`. Without a manager, or if it does not listen, nothing happens.
    static func notify(_ state: String, _ environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return }
        #if canImport(Darwin)
        let socket = Foundation.socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
        let socket = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        guard socket >= 0 else { return }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading @ stands for the abstract namespace.
        var bytes = Array(path.utf8)
        if path.hasPrefix("@") { bytes[0] = 0 }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = socklen_t(offset + bytes.count)
        let message = Array(state.utf8)
        withUnsafeBytes(of: &address) { name in
            guard let start = name.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            _ = sendto(socket, message, message.count, 0, start, length)
        }
    }
}
