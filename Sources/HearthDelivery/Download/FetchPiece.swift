/// One connection's share of the file. A class, so that its buffer is never copied.
final class FetchPiece {
    let isLeading: Bool
    var address: DownloadAddress
    var rule: AddressRule
    var hops = 0
    /// The requested bytes; nil for the whole file.
    var requested: (start: Int, end: Int?)?
    /// Where the next byte belongs.
    var position: Int
    /// The end of its share; nil for the end of the body.
    var end: Int?
    var isAccepted = false
    /// The next address, if the response was a redirect.
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
