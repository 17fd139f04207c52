import HearthImages
import HearthVision
import Testing

@Suite("What can be said of a picture without a model", .timeLimit(.minutes(20)))
struct PictureImpressionTests {
    /// Colours by their names in CSS, and what a person calls them.
    static let colors: [(rgb: [Int], name: ImageImpression.Color)] = [
        ([0, 0, 0], .black), ([25, 25, 25], .black), ([128, 128, 128], .gray), ([192, 192, 192], .gray),
        ([255, 255, 255], .white), ([245, 245, 245], .white), ([255, 0, 0], .red), ([178, 34, 34], .red),
        ([220, 20, 60], .red), ([255, 165, 0], .orange), ([255, 140, 0], .orange), ([139, 69, 19], .brown),
        ([101, 67, 33], .brown), ([255, 255, 0], .yellow), ([255, 215, 0], .yellow), ([0, 128, 0], .green),
        ([124, 252, 0], .green), ([64, 224, 208], .turquoise), ([0, 255, 255], .turquoise), ([0, 0, 255], .blue),
        ([30, 144, 255], .blue), ([0, 0, 128], .blue), ([128, 0, 128], .purple), ([138, 43, 226], .purple),
        ([255, 192, 203], .pink), ([255, 105, 180], .pink),
    ]

    @Test("Colours have the names that people give them", arguments: colors.indices)
    func names(row: Int) {
        let (rgb, name) = Self.colors[row]
        #expect(ImageImpression.color(rgb[0], rgb[1], rgb[2]) == name)
    }

    private func picture(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]) throws -> PixelImage {
        let bytes = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        return try PixelImage(width: width, height: height, channels: bytes.count / (width * height), bytes: bytes)
    }

    @Test("The colour of most pixels, its share, and how bright the whole is")
    func shares() throws {
        let flag = try picture(300, 100) { x, _ in x < 180 ? [0, 0, 255] : [255, 255, 255] }
        let seen = ImageImpression(flag)
        #expect(seen.color == .blue)
        #expect(abs(seen.colorShare - 0.6) < 0.02)
        #expect(abs(seen.brightness - (0.6 * 0.114 + 0.4)) < 0.02)
        #expect(seen.light == .dim)
        #expect(seen.classifications.map(\.label) == ["blue", "dim"])
        #expect(seen.classifications.map(\.confidence) == [Float(seen.colorShare), Float(seen.brightness)])
    }

    @Test("Any size, and gray pictures")
    func sizes() throws {
        for (width, height) in [(1, 1), (1, 500), (500, 1), (63, 65), (64, 64), (129, 7)] {
            let gray = ImageImpression(try picture(width, height) { _, _ in [128] })
            #expect(gray.color == .gray && gray.colorShare == 1)
            #expect(abs(gray.brightness - 128.0 / 255) < 1e-9)
            let red = ImageImpression(try picture(width, height) { _, _ in [255, 0, 0] })
            #expect(red.color == .red && red.colorShare == 1 && red.light == .dim)
        }
        #expect(ImageImpression(try picture(8, 8) { _, _ in [0] }).light == .dark)
        #expect(ImageImpression(try picture(8, 8) { _, _ in [255] }).light == .bright)
    }

    @Test("Of colours that are as common, the first in the list")
    func ties() throws {
        let halves = try picture(64, 64) { x, _ in x < 32 ? [0, 0, 255] : [255, 0, 0] }
        #expect(ImageImpression(halves).color == .red)
        #expect(ImageImpression(halves).colorShare == 0.5)
    }
}
