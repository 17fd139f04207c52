internal import Foundation

/// The libraries used for decoding, for diagnostics.
package enum ImageLibraries {
    /// A library, and whether it can decode an image.
    package struct Check: Sendable, Equatable {
        /// The library's name, such as `libpng`.
        package var name: String
        /// Debian's package with the library; nil if it is part of the system.
        package var package: String?
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
            check("JPEG", nil, jpeg) { "\(system)" },
            check("PNG", nil, png) { "\(system)" },
        ]
        #else
        return [
            check("libturbojpeg", TurboJPEGLibrary.package, jpeg) { "decodes JPEG" },
            check("libpng", PNGLibrary.package, png) { () throws(ImageError) in
                "\(try PNGLibrary.shared().version), decodes PNG"
            },
        ]
        #endif
    }

    private static func check(
        _ name: String, _ package: String?, _ file: String, detail: () throws(ImageError) -> String
    ) -> Check {
        do throws(ImageError) {
            let bytes = Data(base64Encoded: file).map(Array.init) ?? []
            let picture = try ImageDecoder().picture(bytes, name: name)
            // A known value shows that it decodes correctly, not only that it is installed.
            let value = picture.pixels.bytes.first ?? 0
            guard picture.pixels.bytes.count == 1, (196...204).contains(value) else {
                throw .damaged(file: name, part: "pixels", problem: "\(value) instead of 200")
            }
            return Check(name: name, package: package, detail: try detail())
        } catch {
            return Check(name: name, package: package, problem: error)
        }
    }

    // A single gray pixel with the value 200.

    private static let jpeg =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////"
        + "////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8Ad//Z"

    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mM4AQAAygDJNEIn8wAAAABJRU5ErkJggg=="
}
