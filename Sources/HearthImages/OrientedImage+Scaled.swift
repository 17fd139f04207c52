internal import HearthCompute

extension OrientedImage {
    /// The upright image, cropped and scaled.
    ///
    /// Downscaling computes each pixel as the weighted mean of the surrounding pixels, with weights that fall linearly to zero
    /// over the size of a new pixel (a triangle filter), which prevents aliasing; upscaling is bilinear. This equals Pillow's
    /// `BILINEAR`. The arithmetic is in float32, rounded once at the end.
    /// - Throws: `ImageError.targetTooLarge`.
    package func scaled(to target: ImageTarget) throws(ImageError) -> PixelImage {
        let size = target.size
        try size.checkAsTarget()
        let plan = target.crop.plan(width: width, height: height, to: size)
        // Scaled in the file's orientation, then rotated, because the result is small.
        var box = orientation.stored(plan.source, width: Double(storedWidth), height: Double(storedHeight))
        let factor = Double(reduction)
        box = ImageBox(
            x: box.x / factor, y: box.y / factor, width: box.width / factor, height: box.height / factor)
        let (columns, rows) = orientation.isTransposed ? (plan.rows, plan.columns) : (plan.columns, plan.rows)
        let resampler = ImageResampler(
            columns: ResamplingAxis(count: pixels.width, from: box.x, size: box.width, to: columns),
            rows: ResamplingAxis(count: pixels.height, from: box.y, size: box.height, to: rows),
            channels: pixels.channels)
        let small = PixelImage(
            unchecked: resampler.apply(to: pixels.bytes), width: columns, height: rows, channels: pixels.channels)
        return orientation.upright(small).padded(by: plan)
    }
}

extension PixelImage {
    /// The image placed on a black background.
    fileprivate func padded(by plan: CropPlan) -> PixelImage {
        let size = plan.target
        if size.width == width, size.height == height { return self }
        var result = [UInt8](repeating: 0, count: size.width * size.height * channels)
        let count = width * channels
        for row in 0..<height {
            let to = ((plan.top + row) * size.width + plan.left) * channels
            result.replaceSubrange(to..<to + count, with: bytes[row * count..<(row + 1) * count])
        }
        return PixelImage(unchecked: result, width: size.width, height: size.height, channels: channels)
    }
}
