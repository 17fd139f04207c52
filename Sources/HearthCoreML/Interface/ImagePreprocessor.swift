package import HearthCoreMLFormat
package import HearthImages

/// An image input of a model: makes its tensor of a picture.
///
/// Values are those of the pixels, 0 to 255, in the model's order of colours. Scale and bias are operations of the model and
/// not applied here. A gray picture for a model that takes colours has three equal channels. A colour picture for a model
/// that takes gray becomes the luma of ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B, rounded to a whole number as pixels are.
package struct ImagePreprocessor: Sendable, Equatable {
    /// What the model asks for.
    package let type: CoreMLImageType
    /// Its size, and how pictures come to have it.
    package let target: ImageTarget

    /// - Throws: `ImageError.targetTooLarge`.
    package init(_ type: CoreMLImageType, crop: CropAndScale = .centerCrop) throws(ImageError) {
        self.type = type
        target = ImageTarget(ImageSize(width: type.width, height: type.height), crop: crop)
        try target.size.checkAsTarget()
    }

    /// The tensor's dimensions: 1, channels, height, width.
    package var shape: [Int] { [1, type.colorSpace.channels, type.height, type.width] }

    /// What of a picture goes where; also the way back for boxes.
    package func plan(for picture: OrientedImage) -> CropPlan {
        target.crop.plan(width: picture.width, height: picture.height, to: target.size)
    }

    /// The tensor's values, row by row, plane after plane.
    /// - Throws: `ImageError`.
    package func values(_ picture: OrientedImage) throws(ImageError) -> [Float] {
        values(exactly: try picture.scaled(to: target))
    }

    /// The tensor of an image that has the size already.
    func values(exactly image: PixelImage) -> [Float] {
        let bytes = image.bytes
        let count = image.width * image.height
        if image.channels == 1 {
            let plane = bytes.map(Float.init)
            return type.colorSpace.channels == 1 ? plane : plane + plane + plane
        }
        if type.colorSpace.channels == 1 {
            return stride(from: 0, to: bytes.count, by: 3).map { at in
                Self.luma(bytes[at], bytes[at + 1], bytes[at + 2])
            }
        }
        let order = type.colorSpace == .bgr ? [2, 1, 0] : [0, 1, 2]
        var result: [Float] = []
        result.reserveCapacity(3 * count)
        for channel in order {
            for at in stride(from: channel, to: bytes.count, by: 3) { result.append(Float(bytes[at])) }
        }
        return result
    }

    /// BT.601 in 16 fractional bits; the weights add up to 1.
    package static func luma(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Float {
        Float((19595 * UInt32(red) + 38470 * UInt32(green) + 7471 * UInt32(blue) + 32768) >> 16)
    }
}
