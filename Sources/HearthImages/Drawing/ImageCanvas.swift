/// An image to draw on: red, green, blue.
package struct ImageCanvas {
    /// A color: red, green and blue from 0 to 255.
    package struct Color: Sendable, Equatable {
        package var red: UInt8
        package var green: UInt8
        package var blue: UInt8

        package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        package static let black = Color(0, 0, 0)
        package static let white = Color(255, 255, 255)

        /// Black or white, whichever is easier to read on this color (by luma, ITU-R BT.601).
        package var readable: Color {
            299 * Int(red) + 587 * Int(green) + 114 * Int(blue) > 140_000 ? .black : .white
        }
    }

    package let width: Int
    package let height: Int
    /// Rows from the top, three bytes a pixel.
    private var bytes: [UInt8]

    /// Starts with an image.
    /// - Parameters:
    ///   - band: rows of black to add below it.
    ///   - narrowest: columns that there are at least; those beside the image are black.
    package init(_ image: PixelImage, band: Int = 0, narrowest: Int = 0) {
        (width, height) = (max(image.width, narrowest), image.height + band)
        let pixels = image.channels == 3 ? image.bytes : image.bytes.flatMap { [$0, $0, $0] }
        if width == image.width {
            bytes = pixels
        } else {
            let margin = [UInt8](repeating: 0, count: 3 * (width - image.width))
            bytes = []
            for start in stride(from: 0, to: pixels.count, by: 3 * image.width) {
                bytes += pixels[start..<start + 3 * image.width] + margin
            }
        }
        bytes += [UInt8](repeating: 0, count: 3 * width * band)
    }

    /// What has been drawn.
    package var image: PixelImage { PixelImage(unchecked: bytes, width: width, height: height, channels: 3) }

    /// Fills a rectangle; what is outside of the image is left out.
    package mutating func fill(_ box: ImageBox, _ color: Color) {
        let columns = Self.pixels(box.x, box.x + box.width, below: width)
        for y in Self.pixels(box.y, box.y + box.height, below: height) {
            for x in columns { set(x, y, color) }
        }
    }

    /// Draws the edges of a rectangle, on the inside.
    package mutating func outline(_ box: ImageBox, thickness: Double, _ color: Color) {
        let high = min(thickness, box.height), wide = min(thickness, box.width)
        fill(ImageBox(x: box.x, y: box.y, width: box.width, height: high), color)
        fill(ImageBox(x: box.x, y: box.y + box.height - high, width: box.width, height: high), color)
        fill(ImageBox(x: box.x, y: box.y, width: wide, height: box.height), color)
        fill(ImageBox(x: box.x + box.width - wide, y: box.y, width: wide, height: box.height), color)
    }

    /// Draws a line of text.
    /// - Parameters:
    ///   - x: left edge.
    ///   - y: top edge of capital letters.
    ///   - size: the height of capital letters.
    package mutating func text(_ text: String, x: Double, y: Double, size: Double, _ color: Color) {
        let unit = size / StrokeFont.height
        var left = x
        for glyph in StrokeFont.glyphs(text) {
            for line in glyph.lines {
                for (from, to) in zip(line, line.dropFirst()) {
                    stroke(
                        (left + from.x * unit, y + from.y * unit), (left + to.x * unit, y + to.y * unit),
                        radius: max(0.55, unit * 0.42), color)
                }
            }
            left += glyph.advance * unit
        }
    }

    /// The width of a text.
    package static func width(of text: String, size: Double) -> Double {
        StrokeFont.glyphs(text).reduce(0) { $0 + $1.advance } * size / StrokeFont.height
    }

    /// How far letters reach below capitals of this height.
    package static func descent(size: Double) -> Double { size * StrokeFont.descent / StrokeFont.height }

    /// Draws a line with round ends and smooth edges.
    private mutating func stroke(
        _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), radius: Double, _ color: Color
    ) {
        let reach = radius + 0.5
        let (across, down) = (to.x - from.x, to.y - from.y)
        let length = across * across + down * down
        let columns = Self.pixels(min(from.x, to.x) - reach, max(from.x, to.x) + reach, below: width)
        for row in Self.pixels(min(from.y, to.y) - reach, max(from.y, to.y) + reach, below: height) {
            for column in columns {
                // From the centre of the pixel to the nearest point of the line.
                let (x, y) = (Double(column) + 0.5 - from.x, Double(row) + 0.5 - from.y)
                let share = length > 0 ? min(1, max(0, (x * across + y * down) / length)) : 0
                let (dx, dy) = (x - share * across, y - share * down)
                let cover = reach - (dx * dx + dy * dy).squareRoot()
                if cover > 0 { blend(column, row, color, min(1, cover)) }
            }
        }
    }

    /// The pixels between two edges, from 0 on and below a limit; an edge belongs to the pixel it is nearest to.
    private static func pixels(_ from: Double, _ to: Double, below limit: Int) -> Range<Int> {
        let bounds = 0...Double(limit)
        func edge(_ value: Double) -> Int {
            value.isNaN ? 0 : Int(min(max(value.rounded(), bounds.lowerBound), bounds.upperBound))
        }
        let start = edge(from)
        return start..<max(start, edge(to))
    }

    private mutating func set(_ x: Int, _ y: Int, _ color: Color) {
        let at = 3 * (y * width + x)
        (bytes[at], bytes[at + 1], bytes[at + 2]) = (color.red, color.green, color.blue)
    }

    private mutating func blend(_ x: Int, _ y: Int, _ color: Color, _ cover: Double) {
        let at = 3 * (y * width + x)
        func mixed(_ old: UInt8, _ new: UInt8) -> UInt8 {
            let (old, new) = (Double(old), Double(new))
            return UInt8((old + (new - old) * cover).rounded())
        }
        bytes[at] = mixed(bytes[at], color.red)
        bytes[at + 1] = mixed(bytes[at + 1], color.green)
        bytes[at + 2] = mixed(bytes[at + 2], color.blue)
    }
}
