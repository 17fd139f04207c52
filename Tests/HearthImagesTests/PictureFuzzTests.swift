import Foundation
import HearthImages
import HearthTestSupport
import Testing

@Suite("damaged pictures", .timeLimit(.minutes(20)))
struct PictureFuzzTests {
    /// Mutants of each format; more by HEARTH_PICTURE_MUTANTS.
    static let count = ProcessInfo.processInfo.environment["HEARTH_PICTURE_MUTANTS"].flatMap(Int.init) ?? 3000

    static let jpegs = [
        "rgb.jpg", "progressive.jpg", "420.jpg", "restarts.jpg", "gray.jpg", "cmyk.jpg", "ycck.jpg", "turned6.jpg",
        "1x1.jpg",
    ]
    static let pngs = [
        "rgb.png", "rgb-interlaced.png", "palette4.png", "gray1.png", "rgba16-interlaced.png", "gray-alpha.png",
        "turned6.png", "1x37.png",
    ]

    /// Decoded or refused in words; never a crash, never more than the limits say.
    private func take(_ bytes: [UInt8], target: ImageTarget?) {
        do throws(ImageError) {
            let picture = try ImageDecoder(limits: ImageLimits(memory: 1 << 24)).picture(
                bytes, name: "mutant", for: target)
            let image = picture.upright
            #expect(image.bytes.count == image.width * image.height * image.channels)
            if let target {
                let scaled = try picture.scaled(to: target)
                #expect(scaled.width == target.size.width && scaled.height == target.size.height)
            }
        } catch {
            #expect(error.localizedDescription.contains("mutant"))
        }
    }

    private func change(_ bytes: inout [UInt8], _ random: inout SeededNumbers) {
        guard !bytes.isEmpty else { return }
        for _ in 0...random.below(3) {
            let at = random.below(bytes.count)
            switch random.below(7) {
            case 0, 1: bytes[at] ^= 1 << random.below(8)
            case 2: bytes[at] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][random.below(6)]
            case 3: bytes[at] = UInt8(truncatingIfNeeded: random.next())
            case 4: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 1 + random.below(40))], at: at)
            case 5: if bytes.count > 40 { bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(20))) }
            default: for next in at..<min(bytes.count, at + 4) { bytes[next] = 0xFF }
            }
        }
    }

    private func target(_ random: inout SeededNumbers) -> ImageTarget? {
        guard random.below(2) == 0 else { return nil }
        let crop = CropAndScale.allCases[random.below(CropAndScale.allCases.count)]
        return ImageTarget(ImageSize(width: 1 + random.below(20), height: 1 + random.below(20)), crop: crop)
    }

    @Test("mutants of JPEG files are decoded or refused, with no crash and no hang")
    func jpeg() throws {
        let originals = try Self.jpegs.map(PictureFixtures.bytes)
        var random = SeededNumbers(seed: 6)
        for index in 0..<Self.count {
            var bytes = originals[index % originals.count]
            change(&bytes, &random)
            // Half of them in the headers, where the decisions are.
            if random.below(2) == 0 {
                var head = Array(bytes.prefix(300))
                change(&head, &random)
                bytes.replaceSubrange(..<min(300, bytes.count), with: head)
            }
            take(bytes, target: target(&random))
        }
    }

    @Test("mutants of PNG files, most with right checksums, are decoded or refused, with no crash and no hang")
    func png() throws {
        let originals = try Self.pngs.map { RawPNG(try PictureFixtures.bytes($0)) }
        var random = SeededNumbers(seed: 7)
        for index in 0..<Self.count {
            var png = originals[index % originals.count]
            let chunk = random.below(png.chunks.count)
            switch random.below(8) {
            case 0: png.chunks.remove(at: chunk)
            case 1: png.chunks.insert(png.chunks[random.below(png.chunks.count)], at: chunk)
            case 2:
                var type = Array(png.chunks[chunk].type.utf8)
                type[random.below(4)] ^= 0x20
                png.chunks[chunk].type = String(decoding: type, as: UTF8.self)
            default: change(&png.chunks[chunk].content, &random)
            }
            var bytes = png.bytes
            if random.below(4) == 0 { change(&bytes, &random) }
            take(bytes, target: target(&random))
        }
    }

    @Test(
        "mutants of WebP, HEIC and AVIF files, and of color profiles, are decoded or refused, with no crash and no hang"
    )
    func others() throws {
        let names = [
            "lossy.webp", "lossless-alpha.webp", "turned6.webp", "p3.webp", "p3.jpg", "cmyk-press.jpg", "420.heic",
            "p3.heic", "444.avif",
        ]
        let originals = try names.map(PictureFixtures.bytes)
        var random = SeededNumbers(seed: 9)
        for index in 0..<Self.count / 3 {
            var bytes = originals[index % originals.count]
            change(&bytes, &random)
            if random.below(2) == 0 {
                var head = Array(bytes.prefix(700))
                change(&head, &random)
                bytes.replaceSubrange(..<min(700, bytes.count), with: head)
            }
            take(bytes, target: target(&random))
        }
    }

    @Test("mutants of Exif data give an orientation or none")
    func exif() {
        var random = SeededNumbers(seed: 8)
        for number in 0..<Self.count {
            let orientation = UInt8(1 + number % 8)
            var bytes: [UInt8] =
                number % 2 == 0
                ? [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
                : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
            #expect(ExifOrientation.find(in: bytes[...])?.rawValue == Int(orientation))
            change(&bytes, &random)
            _ = ExifOrientation.find(in: bytes[...])
            #expect(ExifOrientation.find(in: bytes.prefix(random.below(18))) == nil)
        }
    }
}
