#if canImport(CoreVideo) && canImport(ImageIO)
public import CoreGraphics
public import CoreVideo
public import ImageIO

extension OrientedImage {
    /// Creates an image from one that was decoded or drawn.
    /// - Parameter orientation: the orientation of the pixels.
    /// - Throws: `ImageError` if there is not enough memory.
    public init(_ image: CGImage, orientation: CGImagePropertyOrientation = .up) throws(ImageError) {
        let isGray = image.colorSpace?.model == .monochrome
        let size = ImageSize(width: image.width, height: image.height)
        self.init(
            try ImageIODecoder.pixels(of: image, size, isGray: isGray, "image"),
            orientation: Self.orientation(orientation))
    }

    /// Creates an image from a frame of a camera or a video: BGRA, or biplanar 4:2:0.
    /// - Parameter orientation: the orientation of the pixels.
    /// - Throws: `ImageError.unsupportedFormat` for other pixel formats, by their four-character code.
    public init(_ buffer: CVPixelBuffer, orientation: CGImagePropertyOrientation = .up) throws(ImageError) {
        guard CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess else {
            throw .unreadable(file: "pixel buffer", reason: "it cannot be locked")
        }
        defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
        let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
        let bytes: [UInt8]
        let format = CVPixelBufferGetPixelFormatType(buffer)
        switch format {
        case kCVPixelFormatType_32BGRA:
            bytes = PixelConversion.rgb(
                bgra: Self.plane(buffer, nil), width: width, height: height,
                bytesPerRow: CVPixelBufferGetBytesPerRow(buffer))
        case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange:
            let isFullRange = format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
            let matrix = CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, nil) as? String
            let is601 = matrix == kCVImageBufferYCbCrMatrix_ITU_R_601_4 as String
            bytes = PixelConversion.rgb(
                brightness: (Self.plane(buffer, 0), CVPixelBufferGetBytesPerRowOfPlane(buffer, 0)),
                colors: (Self.plane(buffer, 1), CVPixelBufferGetBytesPerRowOfPlane(buffer, 1)), width: width,
                height: height, as: is601 ? .bt601(isFullRange: isFullRange) : .bt709(isFullRange: isFullRange))
        default:
            let code = String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: format >> $0) }, as: UTF8.self)
            throw .unsupportedFormat(file: "pixel buffer", format: code)
        }
        self.init(
            try PixelImage(width: width, height: height, channels: 3, bytes: bytes),
            orientation: Self.orientation(orientation))
    }

    private static func orientation(_ orientation: CGImagePropertyOrientation) -> ImageOrientation {
        ImageOrientation(rawValue: Int(orientation.rawValue)) ?? .topLeft
    }

    /// The bytes of a plane, including row padding. `index` is nil for a non-planar buffer.
    private static func plane(_ buffer: CVPixelBuffer, _ index: Int?) -> [UInt8] {
        let base = index.map { CVPixelBufferGetBaseAddressOfPlane(buffer, $0) } ?? CVPixelBufferGetBaseAddress(buffer)
        let row = index.map { CVPixelBufferGetBytesPerRowOfPlane(buffer, $0) } ?? CVPixelBufferGetBytesPerRow(buffer)
        let height = index.map { CVPixelBufferGetHeightOfPlane(buffer, $0) } ?? CVPixelBufferGetHeight(buffer)
        return base.map { Array(UnsafeRawBufferPointer(start: $0, count: row * height)) } ?? []
    }
}
#endif
