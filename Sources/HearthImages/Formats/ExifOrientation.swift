/// Finds the orientation in Exif data (CIPA DC-008): an embedded TIFF file whose first directory may have the tag 0x0112.
///
/// Damaged, out-of-bounds or invalid data counts as missing: invalid Exif data is common, and an image with the wrong
/// orientation is better than none.
package enum ExifOrientation {
    private static let tag = 0x0112

    /// Returns the orientation; nil if there is none.
    /// - Parameter bytes: the data, starting with the byte order mark.
    package static func find(in bytes: ArraySlice<UInt8>) -> ImageOrientation? {
        var tiff = BoundedBytes(bytes)
        switch tiff.half(0) {
        case 0x4949: tiff.isLittleEndian = true
        case 0x4D4D: break
        default: return nil
        }
        guard tiff.half(2) == 42, let directory = tiff.word(4), let count = tiff.half(directory) else { return nil }
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let found = tiff.half(entry), let type = tiff.half(entry + 2), let values = tiff.word(entry + 4)
            else {
                return nil
            }
            guard found == tag else { continue }
            guard values == 1 else { return nil }
            // The standard requires a short; some programs write a byte or a long.
            let value: Int? =
                switch type {
                case 1: tiff.byte(entry + 8)
                case 3: tiff.half(entry + 8)
                case 4: tiff.word(entry + 8)
                default: nil
                }
            return value.flatMap(ImageOrientation.init(rawValue:))
        }
        return nil
    }
}
