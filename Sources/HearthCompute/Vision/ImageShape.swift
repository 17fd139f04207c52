/// The shape of activations of a convolutional network, and how many values they take in either layout.
///
/// Blocked: [batch][channels / 16, rounded up][height][width][16]; lanes past the last channel may hold anything.
/// Plain: [batch][channels][height][width].
package struct ImageShape: Hashable, Sendable {
    /// Pictures.
    package let batch: Int
    /// Channels, not rounded up.
    package let channels: Int
    /// Rows.
    package let height: Int
    /// Columns.
    package let width: Int

    /// - Throws: `ComputeError.shapeMismatch` for sizes below 1 or whose product is absurd.
    package init(batch: Int = 1, channels: Int, height: Int, width: Int) throws(ComputeError) {
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
    package static let block = 16

    /// Blocks of channels of one picture.
    package var blocks: Int { (channels + Self.block - 1) / Self.block }
    /// Positions of one channel.
    package var positions: Int { height * width }
    /// Values of the blocked layout.
    package var blockedCount: Int { batch * blocks * positions * Self.block }
    /// Values of the plain layout.
    package var plainCount: Int { batch * channels * positions }
}
