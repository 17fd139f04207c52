/// How the pixels of a file are to be turned before they are shown: EXIF's tag 0x0112, with its numbers. The names say
/// where the first row and the first column of the file belong.
package enum ImageOrientation: Int, Sendable, CaseIterable {
    /// As it is.
    case topLeft = 1
    /// Mirrored left to right.
    case topRight = 2
    /// Turned by 180°.
    case bottomRight = 3
    /// Mirrored top to bottom.
    case bottomLeft = 4
    /// Mirrored along the diagonal from the upper left.
    case leftTop = 5
    /// To be turned clockwise by 90°: a phone held upright.
    case rightTop = 6
    /// Mirrored along the other diagonal.
    case rightBottom = 7
    /// To be turned counterclockwise by 90°.
    case leftBottom = 8

    /// Whether width and height change places.
    package var isTransposed: Bool { rawValue >= 5 }

    // What is shown at column x and row y is in the file at
    //     (x, y), mirrored along each axis where the following say so, for the upright cases, and at
    //     (y, x), mirrored likewise, for the transposed ones.

    /// Whether the file's columns run against what is shown.
    var mirrorsColumns: Bool { [.topRight, .bottomRight, .rightBottom, .leftBottom].contains(self) }
    /// Whether the file's rows run against what is shown.
    var mirrorsRows: Bool { [.bottomRight, .bottomLeft, .rightTop, .rightBottom].contains(self) }

    /// The pixels turned to how they are to be shown.
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

    /// The region of the file's pixels that is shown as `box` of the upright picture.
    /// - Parameters:
    ///   - width: of the file's pixels, like `height`.
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
