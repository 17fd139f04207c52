/// Where a server may redirect a download to.
///
/// To https anywhere on the internet; otherwise only to the same origin. A server on the internet must not make
/// this machine fetch from its own network, whether by address or by a name that resolves there.
package enum RedirectPolicy {
    /// - Parameters:
    ///   - peer: the kind of address that sent the redirect; nil behind a proxy.
    ///   - hops: redirects followed so far.
    ///   - allowsLoopback: whether plain http on this machine may lead to another server on this machine.
    /// - Returns: the next address, and which IP addresses its host may have.
    package static func next(
        from address: DownloadAddress, to location: String, peer: RemoteAddress.Kind?, hops: Int, limit: Int,
        allowsLoopback: Bool = false
    ) throws(DeliveryError) -> (address: DownloadAddress, rule: AddressRule) {
        func refused(_ reason: String) -> DeliveryError {
            .redirectRefused(url: address.shown, to: DownloadAddress.withoutSecrets(location), reason: reason)
        }
        guard hops < limit else { throw refused("it is redirect number \(limit + 1)") }
        let target: DownloadAddress
        do { target = try DownloadAddress(location) } catch {
            if case .invalidAddress(_, let reason) = error { throw refused(reason) }
            throw error
        }
        if target.origin == address.origin {
            return (target, target.scheme == .http ? .loopbackOnly : peer.map(AddressRule.openOr) ?? .any)
        }
        // A plain http address is one of this machine, or was refused above.
        if allowsLoopback, address.scheme == .http, target.scheme == .http { return (target, .loopbackOnly) }
        guard target.scheme == .https else { throw refused("it leaves the origin without https") }
        let kind = peer ?? RemoteAddress.Kind(literal: address.host)
        if let literal = RemoteAddress.Kind(literal: target.host), literal != .open, literal != kind {
            throw refused("it leads into a private network")
        }
        return (target, kind.map(AddressRule.openOr) ?? .any)
    }
}
