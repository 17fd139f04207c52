import Foundation
import HearthImages

extension FuzzTarget {
    /// A picture's file: what is decoded has as many values as its size says, is the same when it is decoded again, and can
    /// be turned and scaled; a smaller decoding is of the same picture.
    static let picture = FuzzTarget(name: "picture", longestInput: 16 << 10) {
        var limits = ImageLimits(memory: 8 << 20)
        limits.pixels = 1 << 20
        limits.scans = 20
        let decoder = ImageDecoder(limits: limits)
        return { bytes in
            _ = ExifOrientation.find(in: bytes[...])
            guard let picture = try? decoder.picture(bytes, name: "fuzz") else { return }
            PictureChecks.check(picture)
            // What libjpeg-turbo leaves as it finds it would differ.
            require((try? decoder.picture(bytes, name: "fuzz")) == picture, "another picture of the same bytes")
            let target = HearthImages.ImageTarget(ImageSize(width: 5, height: 7), crop: .centerCrop)
            guard let small = try? decoder.picture(bytes, name: "fuzz", for: target) else {
                require(false, "a picture that cannot be decoded smaller")
                return
            }
            PictureChecks.check(small)
            require(small.width == picture.width && small.height == picture.height, "another size")
            require(small.orientation == picture.orientation, "another orientation")
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        for file in try Fixture.files(
            "pictures",
            { file in
                [".jpg", ".png", ".webp", ".heic", ".avif"].contains { file.hasSuffix($0) }
            })
        {
            seeds[Fixture.flatName(file)] = try Fixture.bytes(file)
        }
        return seeds
    }
}

private enum PictureChecks {
    static func check(_ picture: OrientedImage) {
        let image = picture.pixels
        require(image.width > 0 && image.height > 0 && [1, 3].contains(image.channels), "no size")
        require(image.bytes.count == image.width * image.height * image.channels, "values that are no pixels")
        require([1, 2, 4, 8].contains(picture.reduction), "the reduction \(picture.reduction)")
        let upright = picture.upright
        require(upright.bytes.count == image.bytes.count, "turning loses values")
        for crop in CropAndScale.allCases {
            let target = HearthImages.ImageTarget(ImageSize(width: 5, height: 7), crop: crop)
            do {
                let scaled = try picture.scaled(to: target)
                require(scaled.width == 5 && scaled.height == 7, "another size than was wanted")
            } catch {
                require(false, "a picture that cannot be scaled: \(error)")
            }
        }
    }
}
