/// The shape of activations of a convolutional network, and how many values they take in either layout.
///
/// Blocked: [batch][channels / 16, rounded up][height][width][16]; lanes past the last channel may hold anything.
/// Plain: [batch][channels][height][width].
public struct ImageShape: Hashable, Sendable {
    /// Pictures.
    public let batch: Int
    /// Channels, not rounded up.
    public let channels: Int
    /// Rows.
    public let height: Int
    /// Columns.
    public let width: Int

    /// - Throws: `ComputeError.shapeMismatch` for sizes below 1 or whose product is absurd.
    public init(batch: Int = 1, channels: Int, height: Int, width: Int) throws(ComputeError) {
        var total = 16
        for size in [batch, channels + 15, height, width] {
            let (product, overflow) = total.multipliedReportingOverflow(by: size)
            guard size > 0, channels > 0, !overflow, product < 1 << 44 else {
                throw .shapeMismatch(what: "size of a picture", expected: 1, found: size)
            }
            total = product
        }
        self.batch = batch
        self.channels = channels
        self.height = height
        self.width = width
    }

    /// Channels a block, in every kernel set.
    public static let block = 16

    /// Blocks of channels of one picture.
    public var blocks: Int { (channels + Self.block - 1) / Self.block }
    /// Positions of one channel.
    public var positions: Int { height * width }
    /// Values of the blocked layout.
    public var blockedCount: Int { batch * blocks * positions * Self.block }
    /// Values of the plain layout.
    public var plainCount: Int { batch * channels * positions }
}
