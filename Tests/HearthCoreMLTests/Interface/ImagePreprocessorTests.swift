import HearthCoreML
import HearthCoreMLFormat
import HearthImages
import Testing

@Suite("pictures as tensors", .timeLimit(.minutes(20)))
struct ImageInputTests {
    private func input(
        _ color: CoreMLImageType.ColorSpace, width: Int = 2, height: Int = 1
    ) throws -> ImagePreprocessor {
        try ImagePreprocessor(
            CoreMLImageType(width: width, height: height, colorSpace: color, isFlexible: false), crop: .scaleFill)
    }

    private let colors = [UInt8]([10, 20, 30, 200, 100, 50])

    @Test("planes lie one after the other, in the model's order of colours, values as they are")
    func order() throws {
        let picture = OrientedImage(try PixelImage(width: 2, height: 1, channels: 3, bytes: colors))
        #expect(try input(.rgb).values(picture) == [10, 200, 20, 100, 30, 50])
        #expect(try input(.bgr).values(picture) == [30, 50, 20, 100, 10, 200])
        #expect(try input(.rgb).shape == [1, 3, 1, 2])
    }

    @Test("gray is BT.601's luma, rounded; a gray picture is gray in all channels")
    func gray() throws {
        let picture = OrientedImage(try PixelImage(width: 2, height: 1, channels: 3, bytes: colors))
        // 0.299 · 10 + 0.587 · 20 + 0.114 · 30 = 18.15; 0.299 · 200 + 0.587 · 100 + 0.114 · 50 = 124.2
        #expect(try input(.grayscale).values(picture) == [18, 124])
        #expect(try input(.grayscaleFloat16).values(picture) == [18, 124])
        #expect(try input(.grayscale).shape == [1, 1, 1, 2])
        let plain = OrientedImage(try PixelImage(width: 2, height: 1, channels: 1, bytes: [7, 250]))
        #expect(try input(.grayscale).values(plain) == [7, 250])
        #expect(try input(.rgb).values(plain) == [7, 250, 7, 250, 7, 250])
    }

    @Test("luma is within half a level of the formula for every colour of a grid, and exact for grays")
    func luma() {
        for red in stride(from: 0, through: 255, by: 15) {
            for green in stride(from: 0, through: 255, by: 15) {
                for blue in stride(from: 0, through: 255, by: 15) {
                    let exact = 0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)
                    let luma = Double(ImagePreprocessor.luma(UInt8(red), UInt8(green), UInt8(blue)))
                    #expect(abs(luma - exact) <= 0.51)
                }
            }
        }
        for value in UInt8.min...UInt8.max { #expect(ImagePreprocessor.luma(value, value, value) == Float(value)) }
    }

    @Test("a model that asks for an absurd size is refused")
    func limit() {
        #expect(throws: ImageError.targetTooLarge(width: 1 << 20, height: 1 << 20, limit: 1 << 26)) {
            try input(.rgb, width: 1 << 20, height: 1 << 20)
        }
    }

    @Test("pixels have to fit their size")
    func pixels() {
        for (width, height, channels, count) in [
            (2, 2, 3, 11), (0, 2, 3, 0), (2, 2, 4, 16), (.max, .max, 3, 3), (-1, -1, 1, 1),
        ] {
            #expect(throws: ImageError.invalidPixels(width: width, height: height, channels: channels, bytes: count)) {
                try PixelImage(
                    width: width, height: height, channels: channels, bytes: [UInt8](repeating: 0, count: count))
            }
        }
    }
}
