package import HearthImages

/// Draws results on images, for people: boxes with their labels, or the labels of the whole image below it.
package enum ImageAnnotation {
    /// Smaller images are enlarged to this height or width, so that labels can be read.
    static let smallest = 320
    /// Columns that labels below an image have at least.
    static let narrowest = 160

    /// The image upright, with the boxes of objects; the most confident is drawn last.
    package static func drawing(_ picture: OrientedImage, _ detections: [Detection]) -> PixelImage {
        let image = legible(picture.upright)
        var canvas = ImageCanvas(image)
        let size = letterSize(image)
        let padding = (size / 2).rounded()
        let thickness = max(2, (size / 5).rounded())
        let (width, height) = (Double(image.width), Double(image.height))
        let sorted = detections.sorted { $0.confidence < $1.confidence }.map { detection in
            let box = detection.box
            return (
                detection: detection, color: color(of: detection.label),
                box: ImageBox(
                    x: box.x * width, y: box.y * height, width: box.width * width, height: box.height * height)
            )
        }
        for (_, color, box) in sorted { canvas.outline(box, thickness: thickness, color) }
        for (detection, color, box) in sorted {
            let text = fitted("\(detection.label) \(percent(detection.confidence))", width - 2 * padding, size)
            let tag = ImageCanvas.width(of: text, size: size) + 2 * padding
            let rows = size + 2 * padding
            // Above the box, or at its top where there is no room; never outside the image.
            let top = box.y >= rows ? box.y - rows : max(0, box.y)
            let left = min(max(0, box.x), max(0, width - tag))
            canvas.fill(ImageBox(x: left, y: top, width: tag, height: rows), color)
            canvas.text(text, x: left + padding, y: top + padding, size: size, color.readable)
        }
        return canvas.image
    }

    /// The image upright, and below it each label with a bar as long as its confidence.
    package static func drawing(_ picture: OrientedImage, _ classifications: [Classification]) -> PixelImage {
        let image = legible(picture.upright)
        let size = letterSize(image)
        let padding = (size / 2).rounded()
        let row = size + ImageCanvas.descent(size: size) + 2 * padding
        let texts = classifications.isEmpty ? [(label: "nothing above the threshold", share: nil as Float?)] : []
        let rows = texts + classifications.map { (label: $0.label, share: $0.confidence) }
        var canvas = ImageCanvas(image, band: Int(row) * rows.count, narrowest: narrowest)
        let width = Double(canvas.width)
        for (index, entry) in rows.enumerated() {
            let top = Double(image.height) + (Double(index) * row.rounded(.down))
            let number = entry.share.map(percent) ?? ""
            let reserved = ImageCanvas.width(of: number, size: size) + 2 * padding
            if let share = entry.share {
                let length = width * Double(min(max(share, 0), 1))
                canvas.fill(
                    ImageBox(x: 0, y: top + 1, width: length, height: row - 2), ImageCanvas.Color(0, 84, 147))
                canvas.text(
                    number, x: width - reserved + padding, y: top + padding, size: size, .white)
            }
            let label = fitted(entry.label, width - reserved - padding, size)
            canvas.text(label, x: padding, y: top + padding, size: size, .white)
        }
        return canvas.image
    }

    /// The image, enlarged by a whole number if it is small.
    private static func legible(_ image: PixelImage) -> PixelImage {
        let longer = max(image.width, image.height)
        return image.enlarged(by: (smallest + longer - 1) / longer)
    }

    /// The height of capital letters.
    private static func letterSize(_ image: PixelImage) -> Double {
        max(9, (Double(min(image.width, image.height)) / 40).rounded())
    }

    /// A text that is cut where it would be wider.
    private static func fitted(_ text: String, _ width: Double, _ size: Double) -> String {
        guard ImageCanvas.width(of: text, size: size) > width else { return text }
        var text = text
        while !text.isEmpty, ImageCanvas.width(of: text + "..", size: size) > width { text.removeLast() }
        return text + ".."
    }

    private static func percent(_ share: Float) -> String { "\(Int((min(max(share, 0), 1) * 100).rounded()))%" }

    /// A color for each label, the same on every image and in every run (FNV-1a).
    private static func color(of label: String) -> ImageCanvas.Color {
        let hash = label.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return colors[Int(hash % UInt32(colors.count))]
    }

    // Apart for most kinds of color blindness (Okabe and Ito, without black), and some between them.
    private static let colors = [
        (230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (0, 114, 178), (213, 94, 0), (204, 121, 167),
        (155, 89, 255), (120, 200, 60), (255, 110, 110),
    ].map { ImageCanvas.Color($0.0, $0.1, $0.2) }
}
