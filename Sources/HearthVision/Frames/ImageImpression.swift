package import HearthImages

/// A description of an image without a model: its dominant color and brightness. The default fallback for live frames.
///
/// It samples a few thousand pixels on a grid, which takes well under a millisecond, whatever the image size. Colors are named
/// by hue, saturation and value (A. R. Smith, Color Gamut Transform Pairs, 1978) of the stored values.
package struct ImageImpression: Sendable, Equatable {
    /// A basic color name.
    package enum Color: String, Sendable, Codable, CaseIterable {
        case black, gray, white, red, orange, brown, yellow, green, turquoise, blue, purple, pink
    }

    /// The brightness level of an image.
    package enum Light: String, Sendable, Codable, CaseIterable {
        case dark, dim, bright
    }

    /// The most frequent color; ties go to the first in the list.
    package let color: Color
    /// The fraction of pixels with that color, 0 to 1.
    package let colorShare: Double
    /// The mean luma of ITU-R BT.601, 0 (black) to 1 (white).
    package let brightness: Double

    /// The maximum number of samples along each axis.
    static let samples = 64

    /// Samples an image.
    package init(_ image: PixelImage) {
        var counts: [Color: Int] = [:]
        var (luma, seen) = (0, 0)
        let (columns, rows) = (min(image.width, Self.samples), min(image.height, Self.samples))
        for row in 0..<rows {
            // The center of each cell.
            let y = (2 * row + 1) * image.height / (2 * rows)
            for column in 0..<columns {
                let x = (2 * column + 1) * image.width / (2 * columns)
                let at = (y * image.width + x) * image.channels
                let red = Int(image.bytes[at])
                let (green, blue) =
                    image.channels == 1 ? (red, red) : (Int(image.bytes[at + 1]), Int(image.bytes[at + 2]))
                counts[Self.color(red, green, blue), default: 0] += 1
                luma += 299 * red + 587 * green + 114 * blue
                seen += 1
            }
        }
        var most = (color: Color.black, count: 0)
        for color in Color.allCases {
            let count = counts[color, default: 0]
            if count > most.count { most = (color, count) }
        }
        color = most.color
        colorShare = Double(most.count) / Double(seen)
        brightness = Double(luma) / Double(seen) / 255_000
    }

    /// The brightness level; the thresholds are 0.25 and 0.5.
    package var light: Light { brightness < 0.25 ? .dark : brightness < 0.5 ? .dim : .bright }

    /// The description in the form of classification results: the color with its fraction of the image, and the brightness
    /// level with the brightness.
    package var classifications: [Classification] {
        [
            Classification(label: color.rawValue, confidence: Float(colorShare)),
            Classification(label: light.rawValue, confidence: Float(brightness)),
        ]
    }

    /// The color name of a pixel with values from 0 to 255.
    package static func color(_ red: Int, _ green: Int, _ blue: Int) -> Color {
        let value = max(red, green, blue)
        let chroma = value - min(red, green, blue)
        if value < 40 { return .black }
        if chroma * 100 < value * 16 { return value < 70 ? .black : value > 215 ? .white : .gray }
        let hue: Int
        if value == red {
            hue = (60 * (green - blue) / chroma + 360) % 360
        } else if value == green {
            hue = 60 * (blue - red) / chroma + 120
        } else {
            hue = 60 * (red - green) / chroma + 240
        }
        // Dark orange is called brown, and light red pink.
        let isPale = chroma * 100 < value * 45 && value > 180
        switch hue {
        case ..<15: return isPale ? .pink : .red
        case ..<42: return value < 160 ? .brown : .orange
        case ..<70: return .yellow
        case ..<160: return .green
        case ..<195: return .turquoise
        case ..<260: return .blue
        case ..<305: return .purple
        case ..<345: return .pink
        default: return isPale ? .pink : .red
        }
    }
}
