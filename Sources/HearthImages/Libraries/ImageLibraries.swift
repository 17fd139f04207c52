internal import Foundation

/// The libraries used for decoding, for diagnostics.
package enum ImageLibraries {
    /// A library, and whether it can decode an image.
    package struct Check: Sendable, Equatable {
        /// The library's name, such as `libpng`.
        package var name: String
        /// Debian's package with the library; nil if it is part of the system.
        package var package: String?
        /// What is missing without the library.
        package var need: String
        /// A description; nil if it cannot decode.
        package var detail: String?
        /// The reason why it cannot decode.
        package var problem: ImageError?
    }

    /// Loads each library and decodes an image of one pixel with it.
    package static func checks() -> [Check] {
        #if canImport(ImageIO)
        let system = "ImageIO of \(ProcessInfo.processInfo.operatingSystemVersionString)"
        return [
            check("JPEG", nil, "JPEG images cannot be read", jpeg) { "\(system)" },
            check("PNG", nil, "PNG images cannot be read", png) { "\(system)" },
            check("WebP", nil, "WebP images cannot be read", webp) { "\(system)" },
            check("HEIC", nil, "HEIC images cannot be read", heic) { "\(system)" },
        ]
        #else
        return [
            check("libturbojpeg", TurboJPEGLibrary.package, "JPEG images cannot be read", jpeg) { "decodes JPEG" },
            check("libpng", PNGLibrary.package, "PNG images cannot be read", png) { () throws(ImageError) in
                "\(try PNGLibrary.shared().version), decodes PNG"
            },
            check("libwebp", WebPLibrary.package, "WebP images cannot be read", webp) { () throws(ImageError) in
                "\(try WebPLibrary.shared().version), decodes WebP"
            },
            check("libheif", HEIFLibrary.package, "HEIC and AVIF images cannot be read", heic) {
                () throws(ImageError) in "\(try HEIFLibrary.shared().version), decodes HEIC and AVIF"
            },
            colors(),
        ]
        #endif
    }

    private static func check(
        _ name: String, _ package: String?, _ need: String, _ file: String, detail: () throws(ImageError) -> String
    ) -> Check {
        do throws(ImageError) {
            let bytes = Data(base64Encoded: file).map(Array.init) ?? []
            let picture = try ImageDecoder().picture(bytes, name: name)
            // A known value shows that it decodes correctly, not only that it is installed.
            let value = picture.pixels.bytes.first ?? 0
            guard picture.width == 1, picture.height == 1, (196...204).contains(value) else {
                throw .damaged(file: name, part: "pixels", problem: "\(value) instead of 200")
            }
            return Check(name: name, package: package, need: need, detail: try detail())
        } catch {
            return Check(name: name, package: package, need: need, problem: error)
        }
    }

    #if !canImport(ImageIO)
    private static func colors() -> Check {
        var check = Check(name: "liblcms2", package: ColorLibrary.package, need: "color profiles are ignored")
        do throws(ImageError) {
            check.detail = "\(try ColorLibrary.shared().version), converts color profiles"
        } catch {
            check.problem = error
        }
        return check
    }
    #endif

    // A single pixel: gray, with the value 200.

    private static let jpeg =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////"
        + "////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8Ad//Z"

    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mM4AQAAygDJNEIn8wAAAABJRU5ErkJggg=="

    private static let webp =
        "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAMASJaQAA3AA/vyGgAA="

    private static let heic =
        "AAAAGGZ0eXBoZWljAAAAAG1pZjFoZWljAAABfG1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAAAImlsb2MAAAAA"
        + "REAAAQABAAAAAAGcAAEAAAAAAAAALgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAADnBpdG0AAAAAAAEAAAD8aXBycAAA"
        + "ANxpcGNvAAAAdWh2Y0MBA3AAAACQAAAAAAAe8AD8/fj4AAAPA2AAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAYQABAClCAQEDcAAAAwCQ"
        + "AAADAAADAB6gIIEFluqumubgIaDAgAAADIAAAAMAhGIAAQAGRAHBc8GJAAAAE2NvbHJuY2x4AAEADQAGgAAAABRpc3BlAAAAAAAAAEAAAABA"
        + "AAAAKGNsYXAAAAABAAAAAQAAAAEAAAAB////wQAAAAL////BAAAAAgAAABBwaXhpAAAAAAMICAgAAAAYaXBtYQAAAAAAAAABAAEFgQIDBYQA"
        + "AAA2bWRhdAAAACooAa8GMhMdoIm9P2b+y5b5gFhKvehjx8lpteZ7oF961jbsA8gfdJ5oPss="
}
