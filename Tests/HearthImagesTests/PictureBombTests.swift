import HearthImages
import HearthTestSupport
import Testing

@Suite("pictures that claim too much", .timeLimit(.minutes(20)))
struct PictureBombTests {
    /// A PNG of this size with `count` bytes of pixel data, all zero.
    private func png(_ width: UInt32, _ height: UInt32, zeros count: Int) -> [UInt8] {
        var png = RawPNG()
        png.chunks = [
            ("IHDR", RawPNG.header(width, height)), ("IDAT", RawPNG.zeros(count)), ("IEND", []),
        ]
        return png.bytes
    }

    private func refusal(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits(memory: 1 << 30)) -> ImageError? {
        do throws(ImageError) {
            _ = try ImageDecoder(limits: limits).picture(bytes, name: "bomb")
            return nil
        } catch {
            return error
        }
    }

    @Test("a size is refused before any memory is taken for it")
    func sizes() throws {
        let huge = UInt32(Int32.max)
        #expect(
            refusal(png(huge, huge, zeros: 10))
                == .tooLarge(file: "bomb", what: "pixels", claimed: Int(huge) * Int(huge), limit: 1 << 28))
        guard case .damaged("bomb", "IHDR", _) = refusal(png(1 << 31, 1 << 31, zeros: 10)) else {
            Issue.record("2^31 × 2^31 pixels are no size that the format has")
            return
        }
        guard case .damaged("bomb", "IHDR", _) = refusal(png(0, 5, zeros: 10)) else {
            Issue.record("no width")
            return
        }
        #expect(
            refusal(png(20000, 10000, zeros: 10), ImageLimits(memory: 1 << 20))
                == .tooLarge(file: "bomb", what: "bytes of memory", claimed: 600_000_000, limit: 1 << 20))
    }

    @Test("a JPEG of the largest size is refused by its pixels, and a progressive one by its coefficients")
    func jpegSizes() throws {
        var bytes = try PictureFixtures.bytes("progressive.jpg")
        let frame = try #require((2..<bytes.count - 8).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC2 })
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(
            refusal(bytes) == .tooLarge(file: "bomb", what: "pixels", claimed: 65535 * 65535, limit: 1 << 28))
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x20, 0, 0x20, 0])
        #expect(
            refusal(bytes, ImageLimits(memory: 1 << 28))
                == .tooLarge(file: "bomb", what: "bytes of memory", claimed: 9 << 26, limit: 1 << 28))
    }

    @Test("a JPEG of thousands of passes is refused by their number")
    func scans() throws {
        var bytes = try PictureFixtures.bytes("progressive.jpg")
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0]
        bytes.insert(contentsOf: Array(repeating: scan, count: 5000).joined(), at: bytes.count - 2)
        #expect(refusal(bytes) == .tooLarge(file: "bomb", what: "scans", claimed: 101, limit: 100))
    }

    @Test("data that unpacks to 100 MB for a picture of a few pixels takes no memory, and is refused")
    func packedData() throws {
        let bytes = png(4, 4, zeros: 100_000_000)
        #expect(bytes.count < 1_000_000)
        let added = PeakMemory.added(upTo: 50 << 20) {
            guard case .damaged("bomb", "pixels", _) = refusal(bytes) else {
                Issue.record("too much data was taken for a picture")
                return
            }
        }
        #expect(added <= 50 << 20)
        // The same stream for a picture that has as many pixels is one.
        let picture = try ImageDecoder().picture(png(1000, 100, zeros: 300_100), name: "black")
        #expect(picture.pixels.bytes.allSatisfy { $0 == 0 })
    }

    @Test("text that unpacks to 100 MB is not unpacked")
    func packedText() throws {
        var png = RawPNG(try PictureFixtures.bytes("rgb.png"))
        png.chunks.insert(("zTXt", [0x61, 0, 0] + RawPNG.zeros(100_000_000)), at: 1)
        png.chunks.insert(("iCCP", [0x61, 0, 0] + RawPNG.zeros(100_000_000)), at: 1)
        let bytes = png.bytes
        let added = PeakMemory.added(upTo: 50 << 20) { #expect(refusal(bytes) == nil) }
        #expect(added <= 50 << 20)
    }
}
