import HearthImages
import HearthTestSupport
import Testing

@Suite("crop and scale", .timeLimit(.minutes(20)))
struct CropAndScaleTests {
    static let goldens = PictureFixtures.goldens.filter { $0.crop != nil && $0.file != "large.jpg" }
    static let photos = PictureFixtures.goldens.filter { $0.file == "large.jpg" }

    @Test("pixels are those of Pillow's BILINEAR in the same box, within one level", arguments: goldens)
    func pixels(golden: PictureFixtures.Golden) throws {
        let target = ImageTarget(ImageSize(width: golden.width, height: golden.height), crop: golden.option)
        let picture = try ImageDecoder().picture(at: PictureFixtures.path(golden.file))
        let image = try picture.scaled(to: target)
        #expect(image.channels == golden.channels && image.width == golden.width && image.height == golden.height)
        let difference = PictureFixtures.difference(image.bytes, golden)
        #expect(difference.most <= 1 && difference.mean < 0.3, "\(difference)")
    }

    @Test("a photo that is decoded at a part of its size comes out the same, within a few levels", arguments: photos)
    func reduced(golden: PictureFixtures.Golden) throws {
        let target = ImageTarget(ImageSize(width: golden.width, height: golden.height), crop: golden.option)
        let whole = try ImageDecoder().picture(at: PictureFixtures.path(golden.file))
        let part = try ImageDecoder().picture(at: PictureFixtures.path(golden.file), for: target)
        #expect(part.reduction > 1 && part.width == whole.width && part.height == whole.height)
        #expect(part.pixels.width == (whole.pixels.width + part.reduction - 1) / part.reduction)
        let exact = PictureFixtures.difference(try whole.scaled(to: target).bytes, golden)
        #expect(exact.most <= 2, "whole: \(exact)")
        let close = PictureFixtures.difference(try part.scaled(to: target).bytes, golden)
        #expect(close.most <= 12 && close.mean < 1, "1/\(part.reduction): \(close)")
    }

    @Test("a picture is only reduced where twice the target remains")
    func reduction() {
        func factor(_ width: Int, _ height: Int, _ crop: CropAndScale = .centerCrop) -> Int {
            ImageTarget(ImageSize(width: 224, height: 224), crop: crop).reduction(width: width, height: height)
        }
        #expect(factor(4000, 3000) == 4)
        #expect(factor(3584, 3584) == 8)
        #expect(factor(3583, 4000) == 4)
        #expect(factor(895, 5000) == 1)
        #expect(factor(896, 5000) == 2)
        // 3584 × 1792 fits as 224 × 112.
        #expect(factor(3584, 1792, .scaleFit) == 8)
        #expect(factor(3584, 1792, .centerCrop) == 4)
        #expect(factor(3584, 896, .scaleFill) == 2)
        #expect(factor(100, 100) == 1)
    }

    @Test("regions are those of Vision's definitions")
    func plans() {
        let size = ImageSize(width: 224, height: 224)
        let crop = CropAndScale.centerCrop.plan(width: 1281, height: 720, to: size)
        #expect(crop.source == ImageBox(x: 280.5, y: 0, width: 720, height: 720))
        #expect((crop.left, crop.top, crop.columns, crop.rows) == (0, 0, 224, 224))
        let tall = CropAndScale.centerCrop.plan(width: 300, height: 400, to: ImageSize(width: 200, height: 100))
        #expect(tall.source == ImageBox(x: 0, y: 125, width: 300, height: 150))
        let fit = CropAndScale.scaleFit.plan(width: 1280, height: 720, to: size)
        #expect(fit.source == ImageBox(x: 0, y: 0, width: 1280, height: 720))
        #expect((fit.left, fit.top, fit.columns, fit.rows) == (0, 49, 224, 126))
        let line = CropAndScale.scaleFit.plan(width: 1, height: 10000, to: size)
        #expect((line.left, line.top, line.columns, line.rows) == (111, 0, 1, 224))
        let fill = CropAndScale.scaleFill.plan(width: 1280, height: 720, to: size)
        #expect(fill.source == ImageBox(x: 0, y: 0, width: 1280, height: 720))
        #expect((fill.columns, fill.rows) == (224, 224))
    }

    @Test("a box in the target leads back to its place in the picture")
    func back() {
        let size = ImageSize(width: 200, height: 100)
        let whole = ImageBox(x: 0, y: 0, width: 1, height: 1)
        let crop = CropAndScale.centerCrop.plan(width: 300, height: 400, to: size)
        #expect(crop.picture(whole) == ImageBox(x: 0, y: 125, width: 300, height: 150))
        #expect(
            crop.picture(ImageBox(x: 0.5, y: 0.5, width: 0.25, height: 0.5))
                == ImageBox(x: 150, y: 200, width: 75, height: 75))
        let fit = CropAndScale.scaleFit.plan(width: 400, height: 400, to: size)
        #expect(fit.picture(whole) == ImageBox(x: -200, y: 0, width: 800, height: 400))
        #expect(
            fit.picture(ImageBox(x: 0.25, y: 0, width: 0.5, height: 1))
                == ImageBox(x: 0, y: 0, width: 400, height: 400))
    }

    @Test("a black margin, and nothing else that is not in the picture")
    func margin() throws {
        let white = try PixelImage(width: 4, height: 2, channels: 3, bytes: [UInt8](repeating: 255, count: 24))
        let image = try OrientedImage(white).scaled(to: ImageTarget(ImageSize(width: 8, height: 8), crop: .scaleFit))
        let rows = (0..<8).map { row in Set(image.bytes[row * 24..<(row + 1) * 24]) }
        #expect(rows == [[0], [0], [255], [255], [255], [255], [0], [0]])
    }

    @Test("one colour stays that colour, whatever the sizes are")
    func constant() throws {
        var random = SeededNumbers(seed: 1)
        for _ in 0..<200 {
            let (width, height) = (1 + random.below(90), 1 + random.below(90))
            let value = UInt8(random.below(256))
            let channels = random.below(2) == 0 ? 1 : 3
            let image = try PixelImage(
                width: width, height: height, channels: channels,
                bytes: [UInt8](repeating: value, count: width * height * channels))
            let orientation = ImageOrientation.allCases[random.below(8)]
            let size = ImageSize(width: 1 + random.below(60), height: 1 + random.below(60))
            let crop = random.below(2) == 0 ? CropAndScale.centerCrop : .scaleFill
            let result = try OrientedImage(image, orientation: orientation).scaled(to: ImageTarget(size, crop: crop))
            #expect(result.bytes == [UInt8](repeating: value, count: size.width * size.height * channels))
        }
    }

    @Test("turning a small image and turning the large one come to the same", arguments: ImageOrientation.allCases)
    func order(orientation: ImageOrientation) throws {
        var random = SeededNumbers(seed: 2)
        for _ in 0..<20 {
            let (width, height) = (1 + random.below(50), 1 + random.below(50))
            let bytes = (0..<width * height * 3).map { _ in UInt8(random.below(256)) }
            let picture = OrientedImage(
                try PixelImage(width: width, height: height, channels: 3, bytes: bytes), orientation: orientation)
            let size = ImageSize(width: 1 + random.below(40), height: 1 + random.below(40))
            let target = ImageTarget(size, crop: CropAndScale.allCases[random.below(3)])
            let late = try picture.scaled(to: target)
            let early = try OrientedImage(picture.upright).scaled(to: target)
            // Sums in another order may round the other way.
            #expect(zip(late.bytes, early.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        }
    }

    @Test("a target beyond the limit is refused")
    func limit() throws {
        let picture = OrientedImage(try PixelImage(width: 1, height: 1, channels: 1, bytes: [7]))
        let size = ImageSize(width: 1 << 20, height: 1 << 20)
        #expect(throws: ImageError.targetTooLarge(width: 1 << 20, height: 1 << 20, limit: 1 << 26)) {
            _ = try picture.scaled(to: ImageTarget(size, crop: .scaleFill))
        }
    }
}
