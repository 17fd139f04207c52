internal import Foundation

/// An IP address, as the four or sixteen bytes that are connected to.
package struct RemoteAddress: Sendable, Equatable {
    /// The kinds of hosts behind an address (RFC 6890 and its registries).
    package enum Kind: Sendable, Equatable {
        /// This machine.
        case loopback
        /// A network that is not globally reachable: private, link-local, shared, reserved, multicast.
        case restricted
        /// The internet.
        case open
    }

    let kind: Kind

    init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: kind = Self.kind4(bytes)
        case 16: kind = Self.kind6(bytes)
        default: return nil
        }
    }

    private static func kind4(_ bytes: [UInt8]) -> Kind {
        switch (bytes[0], bytes[1]) {
        case (127, _): .loopback
        case (0, _), (10, _), (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19), (224..., _):
            .restricted
        case (192, 0) where bytes[2] == 0 || bytes[2] == 2, (198, 51) where bytes[2] == 100,
            (203, 0) where bytes[2] == 113:
            .restricted
        default: .open
        }
    }

    private static func kind6(_ bytes: [UInt8]) -> Kind {
        let start = bytes[..<12]
        if start.allSatisfy({ $0 == 0 }) {
            let rest = Array(bytes[12...])
            if rest == [0, 0, 0, 1] { return .loopback }
            return rest[0] == 0 ? .restricted : kind4(rest)
        }
        // IPv4 embedded in IPv6: mapped, NAT64, 6to4.
        if start.elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) { return kind4(Array(bytes[12...])) }
        if start.elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { return kind4(Array(bytes[12...])) }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return kind4(Array(bytes[2..<6])) }
        // Only 2000::/3 is allocated; of it, 2001:db8::/32 is for documentation and 2001::/32 is Teredo.
        guard bytes[0] & 0xE0 == 0x20 else { return .restricted }
        if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] == 0, bytes[3] == 0 { return .restricted }
        if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] == 0x0D, bytes[3] == 0xB8 { return .restricted }
        return .open
    }
}

extension RemoteAddress.Kind {
    /// The scope of a host that is written as an address; nil for a name, which has to be resolved first.
    package init?(literal host: String) {
        if host == "localhost" || host.hasSuffix(".localhost") {
            self = .loopback
            return
        }
        var four = in_addr()
        var six = in6_addr()
        let bytes: [UInt8]
        if inet_pton(AF_INET, host, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            bytes = withUnsafeBytes(of: six) { Array($0) }
        } else {
            return nil
        }
        guard let address = RemoteAddress(bytes: bytes) else { return nil }
        self = address.kind
    }
}

/// Which addresses a request may connect to.
package enum AddressRule: Sendable, Equatable {
    case any
    /// Plain http.
    case loopbackOnly
    /// After a redirect: the internet, or the kind of network that the redirect came from.
    case openOr(RemoteAddress.Kind)

    package func allows(_ kind: RemoteAddress.Kind) -> Bool {
        switch self {
        case .any: true
        case .loopbackOnly: kind == .loopback
        case .openOr(let other): kind == .open || kind == other
        }
    }
}
