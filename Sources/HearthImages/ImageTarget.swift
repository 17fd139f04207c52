/// The size that an image will be scaled to, so that it need not be decoded at full size.
public struct ImageTarget: Sendable, Equatable {
    /// The target size.
    package var size: ImageSize
    /// How the image is fitted to it.
    package var crop: CropAndScale

    /// Creates a target.
    package init(_ size: ImageSize, crop: CropAndScale) { (self.size, self.crop) = (size, crop) }

    /// The factor by which an image may be reduced while decoding: 1, 2, 4 or 8, the largest that keeps the used region at
    /// least twice as large as the target along both axes. The antialiasing of the second step then processes averages of
    /// squares of pixels, which it would have computed itself.
    /// - Parameters:
    ///   - width: the width of the upright image.
    ///   - height: its height.
    package func reduction(width: Int, height: Int) -> Int {
        let plan = crop.plan(width: width, height: height, to: size)
        return [8, 4, 2].first { factor in
            plan.source.width >= Double(2 * factor * plan.columns)
                && plan.source.height >= Double(2 * factor * plan.rows)
        } ?? 1
    }
}

extension ImageSize {
    /// The maximum number of pixels of a target.
    private static let maximumPixels = 1 << 26

    /// Checks that the size is within the limit.
    /// - Throws: `ImageError.targetTooLarge`.
    package func checkAsTarget() throws(ImageError) {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= Self.maximumPixels else {
            throw .targetTooLarge(width: width, height: height, limit: Self.maximumPixels)
        }
    }
}
