/// A connection's share of the file. An object, so that its buffer is never copied.
final class FetchPiece {
    let isLeading: Bool
    var address: DownloadAddress
    var rule: AddressRule
    var hops = 0
    /// What was asked for; nil for the whole file.
    var requested: (start: Int, end: Int?)?
    /// Where the next byte belongs.
    var position: Int
    /// Where its share ends; nil for wherever the body does.
    var end: Int?
    var isAccepted = false
    /// The next address, where the answer was a redirect.
    var redirect: (address: DownloadAddress, rule: AddressRule)?
    var buffer: [UInt8] = []

    init(
        isLeading: Bool, address: DownloadAddress, rule: AddressRule, requested: (start: Int, end: Int?)?,
        position: Int, end: Int?
    ) {
        self.isLeading = isLeading
        self.address = address
        self.rule = rule
        self.requested = requested
        self.position = position
        self.end = end
    }
}
