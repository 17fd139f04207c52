/// The orientation of a file's pixels: the values of EXIF tag 0x0112. The names give the side of the displayed image where the
/// file's first row and first column belong.
package enum ImageOrientation: Int, Sendable, CaseIterable {
    /// Unchanged.
    case topLeft = 1
    /// Mirrored left to right.
    case topRight = 2
    /// Turned by 180°.
    case bottomRight = 3
    /// Mirrored top to bottom.
    case bottomLeft = 4
    /// Mirrored along the diagonal from the top left.
    case leftTop = 5
    /// Has to be rotated clockwise by 90°: a phone held upright.
    case rightTop = 6
    /// Mirrored along the other diagonal.
    case rightBottom = 7
    /// Has to be rotated counterclockwise by 90°.
    case leftBottom = 8

    /// Whether width and height are swapped.
    package var isTransposed: Bool { rawValue >= 5 }

    // The displayed pixel at column x and row y is stored at
    //     (x, y), mirrored along each axis as the properties below say, for upright cases, and at
    //     (y, x), mirrored likewise, for transposed ones.

    /// Whether the file's columns are in reverse order.
    var mirrorsColumns: Bool { [.topRight, .bottomRight, .rightBottom, .leftBottom].contains(self) }
    /// Whether the file's rows are in reverse order.
    var mirrorsRows: Bool { [.bottomRight, .bottomLeft, .rightTop, .rightBottom].contains(self) }

    /// The pixels rotated for display.
    package func upright(_ image: PixelImage) -> PixelImage {
        if self == .topLeft { return image }
        let (columns, rows, channels) = (image.width, image.height, image.channels)
        let (width, height) = isTransposed ? (rows, columns) : (columns, rows)
        let (mirrorsColumns, mirrorsRows) = (mirrorsColumns, mirrorsRows)
        var bytes = [UInt8](repeating: 0, count: image.bytes.count)
        var at = 0
        for y in 0..<height {
            for x in 0..<width {
                let (across, down) = isTransposed ? (y, x) : (x, y)
                let column = mirrorsColumns ? columns - 1 - across : across
                let row = mirrorsRows ? rows - 1 - down : down
                let from = (row * columns + column) * channels
                for channel in 0..<channels { bytes[at + channel] = image.bytes[from + channel] }
                at += channels
            }
        }
        return PixelImage(unchecked: bytes, width: width, height: height, channels: channels)
    }

    /// The region of the file's pixels that is displayed as `box` in the upright image.
    /// - Parameters:
    ///   - width: the width of the file's pixels.
    ///   - height: their height.
    func stored(_ box: ImageBox, width: Double, height: Double) -> ImageBox {
        var result = box
        if isTransposed {
            result = ImageBox(x: box.y, y: box.x, width: box.height, height: box.width)
        }
        if mirrorsColumns { result.x = width - result.x - result.width }
        if mirrorsRows { result.y = height - result.y - result.height }
        return result
    }
}
