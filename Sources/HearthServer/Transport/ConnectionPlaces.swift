/// Who has to make room for a new connection. A pure decision.
package enum ConnectionPlaces {
    /// What a connection is there for.
    package enum Use: Int, Sendable, Comparable, CaseIterable {
        /// It has said nothing since it was opened.
        case silent
        /// It was answered, and has said nothing since.
        case idle
        /// A head is on its way, and takes its time.
        case head
        /// A request is read, answered or refused: it stays.
        case busy

        package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }
    /// A connection that holds a place.
    package struct Holder: Sendable, Equatable {
        package var serial: UInt64
        package var use: Use
        /// Of the other side, without its port.
        package var address: String
        /// Since when it is used like that.
        package var since: ContinuousClock.Instant

        package init(serial: UInt64, use: Use, address: String, since: ContinuousClock.Instant) {
            (self.serial, self.use, self.address, self.since) = (serial, use, address, since)
        }
    }

    /// The one that is closed so that another one finds a place; nil where all are busy. Who said nothing goes before who was
    /// answered, and that before who has not finished its head; among them one of the address that holds most places, and of
    /// those the one that has waited longest.
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
