internal import Foundation

/// What images are decoded with, for those who look a machine over.
package enum ImageLibraries {
    /// A library, and whether it decodes a picture.
    package struct Check: Sendable, Equatable {
        /// What it is called, such as `libpng`.
        package var name: String
        /// The package that Debian has it in; nil where it is a part of the system.
        package var package: String?
        /// What it is and does; nil where it does not.
        package var detail: String?
        /// Why it does not.
        package var problem: ImageError?
    }

    /// Decodes a picture of one pixel with each: loads them.
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
            // A known value shows that it works, not only that it is there.
            let value = picture.pixels.bytes.first ?? 0
            guard picture.pixels.bytes.count == 1, (196...204).contains(value) else {
                throw .damaged(file: name, part: "pixels", problem: "\(value) instead of 200")
            }
            return Check(name: name, package: package, detail: try detail())
        } catch {
            return Check(name: name, package: package, problem: error)
        }
    }

    // One gray pixel of the value 200.

    private static let jpeg =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////"
        + "////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8Ad//Z"

    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mM4AQAAygDJNEIn8wAAAABJRU5ErkJggg=="
}
