/// The shape of a convolutional network's activations, and their number of values in either layout.
///
/// Blocked: [batch][channels / 16, rounded up][height][width][16]; lanes after the last channel are undefined. Plain:
/// [batch][channels][height][width].
package struct ImageShape: Hashable, Sendable {
    /// Number of images.
    package let batch: Int
    /// Number of channels, not rounded up.
    package let channels: Int
    /// Number of rows.
    package let height: Int
    /// Number of columns.
    package let width: Int

    /// - Throws: `ComputeError.shapeMismatch` if a size is below 1, or their product is too large.
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

    /// Channels per block, in every kernel set.
    package static let block = 16

    /// Channel blocks per image.
    package var blocks: Int { (channels + Self.block - 1) / Self.block }
    /// Positions per channel.
    package var positions: Int { height * width }
    /// Number of values in the blocked layout.
    package var blockedCount: Int { batch * blocks * positions * Self.block }
    /// Number of values in the plain layout.
    package var plainCount: Int { batch * channels * positions }
}
