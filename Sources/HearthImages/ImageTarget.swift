/// The size that an image will be scaled to, so that the decoder need not decode more.
public struct ImageTarget: Sendable, Equatable {
    /// Its size.
    package var size: ImageSize
    /// How it is made.
    package var crop: CropAndScale

    /// A size, and how a picture comes to have it.
    package init(_ size: ImageSize, crop: CropAndScale) { (self.size, self.crop) = (size, crop) }

    /// By how much a picture may be reduced while it is decoded: 1, 2, 4 or 8, the largest that leaves the region that is
    /// used at least twice as large as the target along both axes. What the antialiasing of the second step then sees is
    /// the average of squares of pixels, which is what it would have made of them.
    /// - Parameters:
    ///   - width: of the upright picture, like `height`.
    package func reduction(width: Int, height: Int) -> Int {
        let plan = crop.plan(width: width, height: height, to: size)
        return [8, 4, 2].first { factor in
            plan.source.width >= Double(2 * factor * plan.columns)
                && plan.source.height >= Double(2 * factor * plan.rows)
        } ?? 1
    }
}

extension ImageSize {
    /// Most pixels of a target.
    private static let maximumPixels = 1 << 26

    /// - Throws: `ImageError.targetTooLarge`.
    package func checkAsTarget() throws(ImageError) {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= Self.maximumPixels else {
            throw .targetTooLarge(width: width, height: height, limit: Self.maximumPixels)
        }
    }
}
