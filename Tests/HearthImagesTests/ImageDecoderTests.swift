import Foundation
import HearthImages
import HearthSystem
import Testing

@Suite("decoding pictures", .timeLimit(.minutes(20)))
struct PictureDecoderTests {
    static let whole = PictureFixtures.goldens.filter { $0.crop == nil }

    @Test("the fixtures are there")
    func fixtures() {
        #expect(Self.whole.count > 40)
    }

    @Test("every kind of file gives the pixels that another implementation gives, upright", arguments: whole)
    func pixels(golden: PictureFixtures.Golden) throws {
        let picture = try ImageDecoder().picture(at: PictureFixtures.path(golden.file))
        let image = picture.upright
        #expect(image.width == golden.width && image.height == golden.height && image.channels == golden.channels)
        #expect(picture.width == golden.width && picture.height == golden.height && picture.reduction == 1)
        let difference = PictureFixtures.difference(image.bytes, golden)
        #expect(difference.most <= golden.tolerance && difference.mean < 0.5, "\(difference)")
    }

    @Test(
        "other formats are refused by name, whatever the file is called",
        arguments: [("gif", "GIF"), ("bmp", "BMP"), ("tiff", "TIFF"), ("jp2", "JPEG 2000")])
    func others(suffix: String, format: String) throws {
        let bytes = try PictureFixtures.bytes("other.\(suffix)")
        let error = #expect(throws: ImageError.self) { try ImageDecoder().picture(bytes, name: "photo.jpg") }
        #expect(error == .unsupportedFormat(file: "photo.jpg", format: format))
        #expect(error?.localizedDescription.contains("Convert it to PNG or JPEG") == true)
    }

    @Test("an animated WebP is refused as that")
    func animated() throws {
        #expect(throws: ImageError.unsupported(file: "a", what: "an animated WebP")) {
            try ImageDecoder().picture(try PictureFixtures.bytes("animated.webp"), name: "a")
        }
    }

    @Test("a name says nothing: a PNG called .jpg is read")
    func names() throws {
        let picture = try ImageDecoder().picture(try PictureFixtures.bytes("rgb.png"), name: "rgb.jpg")
        #expect(picture.width == 29)
    }

    @Test("what is no picture, no file or not there is refused by name")
    func noPicture() {
        func error(_ path: String) -> ImageError? {
            do throws(ImageError) {
                _ = try ImageDecoder().picture(at: path)
                return nil
            } catch { return error }
        }
        #expect(
            error(PictureFixtures.path("make_pictures.py"))
                == .notAPicture(file: PictureFixtures.path("make_pictures.py")))
        #expect(error("/dev/null") == .unreadable(file: "/dev/null", reason: "not a regular file"))
        guard case .unreadable = error(PictureFixtures.folder), case .unreadable = error("/no/such.png") else {
            Issue.record("a folder or a missing file was read")
            return
        }
        #expect(throws: ImageError.notAPicture(file: "empty")) { try ImageDecoder().picture([], name: "empty") }
    }

    @Test(
        "a file cut off at any sixteenth is an error that names it, never a part of a picture",
        arguments: [
            "rgb.jpg", "progressive.jpg", "restarts.jpg", "ycck.jpg", "large.jpg", "turned6.jpg", "rgb.png",
            "rgb-interlaced.png", "palette8.png", "rgba16-interlaced.png", "p3.png", "lossy.webp",
            "lossless-alpha.webp", "p3.webp", "420.heic", "p3.heic", "444.avif",
        ])
    func truncated(name: String) throws {
        let bytes = try PictureFixtures.bytes(name)
        for sixteenth in 0..<16 {
            for count in Set([bytes.count * sixteenth / 16, bytes.count - 1 - sixteenth]) where count > 16 {
                let error = #expect(throws: ImageError.self) {
                    try ImageDecoder().picture(Array(bytes[..<count]), name: name)
                }
                guard case .truncated(name, _) = error else {
                    Issue.record("\(count) of \(bytes.count) bytes: \(String(describing: error))")
                    continue
                }
            }
        }
    }

    @Test("missing pixels behind a whole end are damage: the library's word is not overheard")
    func shortened() throws {
        var jpeg = try PictureFixtures.bytes("rgb.jpg")
        jpeg.removeSubrange(jpeg.count - 200..<jpeg.count - 2)
        var png = RawPNG(try PictureFixtures.bytes("rgb.png"))
        png.chunks.removeAll { $0.type == "IDAT" && $0.content.count > 0 && $0.content.first != 0x78 }
        for bytes in [jpeg, png.bytes] {
            let error = #expect(throws: ImageError.self) { try ImageDecoder().picture(bytes, name: "short") }
            guard case .damaged("short", "pixels", _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("bytes between or behind the parts of a JPEG, which cameras write, do no harm")
    func extraneous() throws {
        var bytes = try PictureFixtures.bytes("rgb.jpg")
        let plain = try ImageDecoder().picture(bytes, name: "plain")
        bytes += [0xFF, 0xD8, 1, 2, 3]
        #expect(try ImageDecoder().picture(bytes, name: "more") == plain)
        bytes = try PictureFixtures.bytes("rgb.jpg")
        bytes.insert(contentsOf: [0x12, 0x34, 0x56], at: bytes.count - 2)
        #expect(try ImageDecoder().picture(bytes, name: "inside") == plain)
    }

    @Test("the check of the libraries decodes a picture with each")
    func libraries() {
        let checks = ImageLibraries.checks()
        #expect(checks.map(\.name) == ["libturbojpeg", "libpng", "libwebp", "libheif", "liblcms2"])
        for check in checks { #expect(check.detail?.isEmpty == false && check.problem == nil, "\(check)") }
    }

    @Test("a library that is not installed is named, with its package")
    func missingLibrary() {
        #if !canImport(ImageIO)
        #expect(throws: ImageError.libraryMissing("libnone.so.1", package: "libturbojpeg0")) {
            _ = try TurboJPEGLibrary(names: ["libnone.so.1"])
        }
        #expect(
            throws: ImageError.libraryMissing(
                "libc.so.6 with png_create_read_struct", package: "libpng16-16")
        ) {
            _ = try PNGLibrary(names: ["libc.so.6"])
        }
        #expect(throws: ImageError.libraryMissing("libc.so.6 with WebPDecodeRGBInto", package: "libwebp7")) {
            _ = try WebPLibrary(names: ["libc.so.6"])
        }
        #expect(throws: ImageError.libraryMissing("libc.so.6 with heif_get_version", package: "libheif1")) {
            _ = try HEIFLibrary(names: ["libc.so.6"])
        }
        #expect(throws: ImageError.libraryMissing("libnone.so.1", package: "liblcms2-2")) {
            _ = try ColorLibrary(names: ["libnone.so.1"])
        }
        #endif
    }
}
