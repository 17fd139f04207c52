import HearthImages
import Testing

@Suite("Pixels of cameras and drawings")
struct PixelConversionTests {
    @Test("Blue, green, red, alpha, with gaps behind the rows")
    func bgra() {
        let bytes: [UInt8] = [1, 2, 3, 255, 4, 5, 6, 0, 99, 99, 7, 8, 9, 1, 10, 11, 12, 2, 99, 99]
        #expect(
            PixelConversion.rgb(bgra: bytes, width: 2, height: 2, bytesPerRow: 10)
                == [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10])
    }

    @Test("Multiplying with alpha is undone, to the rounding that it cost")
    func premultiplied() {
        #expect(PixelConversion.rgb(premultiplied: [255, 128, 0, 255, 0, 0, 0, 0]) == [255, 128, 0, 0, 0, 0])
        for alpha in [1, 17, 128, 254, 255] {
            for value in stride(from: 0, through: 255, by: 5) {
                let multiplied = UInt8((value * alpha + 127) / 255)
                let found = PixelConversion.rgb(premultiplied: [multiplied, 0, 255, UInt8(alpha)])
                #expect(abs(Int(found[0]) - value) <= (255 + alpha) / (2 * alpha) + 1)
                // Damaged: more than alpha allows.
                #expect(found[2] == 255)
            }
        }
    }

    @Test(
        "Primary colours of ITU-R BT.601 and BT.709 (Annex: colour bars of 75 and 100 %)",
        arguments: [
            (.bt601(isFullRange: false), [235, 128, 128], [255, 255, 255]),
            (.bt601(isFullRange: false), [16, 128, 128], [0, 0, 0]),
            (.bt601(isFullRange: false), [81, 90, 240], [255, 0, 0]),
            (.bt601(isFullRange: false), [145, 54, 34], [0, 255, 0]),
            (.bt601(isFullRange: false), [41, 240, 110], [0, 0, 255]),
            (.bt709(isFullRange: false), [63, 102, 240], [255, 0, 0]),
            (.bt709(isFullRange: false), [173, 42, 26], [0, 255, 0]),
            (.bt709(isFullRange: false), [32, 240, 118], [0, 0, 255]),
            (.bt601(isFullRange: true), [76, 85, 255], [255, 0, 0]),
            (.bt709(isFullRange: true), [128, 128, 128], [128, 128, 128]),
        ] as [(PixelConversion.VideoColors, [UInt8], [UInt8])])
    func video(_ colors: PixelConversion.VideoColors, _ video: [UInt8], _ expected: [UInt8]) {
        let found = PixelConversion.rgb(
            brightness: ([video[0]], 1), colors: ([video[1], video[2]], 2), width: 1, height: 1, as: colors)
        // Published values are whole numbers, so each channel is off by up to two.
        for (left, right) in zip(found, expected) { #expect(abs(Int(left) - Int(right)) <= 2, "\(found)") }
    }

    @Test("Four pixels share a colour; an odd last column and row have one of their own")
    func planes() {
        let found = PixelConversion.rgb(
            brightness: ([10, 20, 30, 99, 40, 50, 60, 99, 70, 80, 90, 99], 4),
            colors: ([128, 128, 128, 228, 128, 128, 128, 128], 4), width: 3, height: 3, as: .bt601(isFullRange: true))
        #expect(found.count == 27)
        #expect(Array(found[0..<6]) == [10, 10, 10, 20, 20, 20])
        #expect(found[6] == 170 && found[8] == 30)
        #expect(found[15] == 200 && Array(found[24..<27]) == [90, 90, 90])
    }
}
