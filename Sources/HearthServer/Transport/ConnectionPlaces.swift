/// Decides which connection is closed to make way for a new one. Pure.
package enum ConnectionPlaces {
    /// What a connection is doing.
    package enum Use: Int, Sendable, Comparable, CaseIterable {
        /// Nothing received since it was opened.
        case silent
        /// Idle since the last response.
        case idle
        /// A head is partly received.
        case head
        /// A request is being read, answered or refused: never closed.
        case busy

        package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }
    /// A connection that occupies a slot.
    package struct Holder: Sendable, Equatable {
        package var serial: UInt64
        package var use: Use
        /// The client's address, without the port.
        package var address: String
        /// When this use began.
        package var since: ContinuousClock.Instant

        package init(serial: UInt64, use: Use, address: String, since: ContinuousClock.Instant) {
            (self.serial, self.use, self.address, self.since) = (serial, use, address, since)
        }
    }

    /// The connection to close for a new one; nil if all are busy. Silent connections go first, then idle ones, then
    /// those with an incomplete head; among equals one of the address with the most connections, and of those the one
    /// in this use for longest.
    package static func victim(among holders: [Holder]) -> UInt64? {
        var counts: [String: Int] = [:]
        for holder in holders { counts[holder.address, default: 0] += 1 }
        return holders.filter { $0.use != .busy }.min { a, b in
            if a.use != b.use { return a.use < b.use }
            let (ofA, ofB) = (counts[a.address] ?? 0, counts[b.address] ?? 0)
            if ofA != ofB { return ofA > ofB }
            return (a.since, a.serial) < (b.since, b.serial)
        }?.serial
    }
}
