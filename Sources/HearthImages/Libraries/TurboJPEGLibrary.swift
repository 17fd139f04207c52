#if !canImport(ImageIO)
internal import CTurboJPEG
internal import Foundation

/// libjpeg-turbo's TurboJPEG functions, loaded for the first JPEG.
package struct TurboJPEGLibrary: Sendable {
    typealias Handle = UnsafeMutableRawPointer
    typealias Header =
        @convention(c) (
            Handle?, UnsafePointer<UInt8>?, UInt, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?,
            UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
        ) -> Int32
    typealias Decompress =
        @convention(c) (
            Handle?, UnsafePointer<UInt8>?, UInt, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32, Int32, Int32
        ) -> Int32

    typealias Compress =
        @convention(c) (
            Handle?, UnsafePointer<UInt8>?, Int32, Int32, Int32, Int32,
            UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, UnsafeMutablePointer<UInt>?, Int32, Int32, Int32
        ) -> Int32

    /// The library's current names on Linux.
    static let names = ["libturbojpeg.so.0", "libturbojpeg.so"]
    /// Debian's package.
    static let package = "libturbojpeg0"

    private let initDecompress: @convention(c) () -> Handle?
    private let header: Header
    private let decompress: Decompress
    private let initCompress: @convention(c) () -> Handle?
    private let compress: Compress
    private let free: @convention(c) (UnsafeMutablePointer<UInt8>?) -> Void
    private let errorText: @convention(c) (Handle?) -> UnsafeMutablePointer<CChar>?
    private let errorCode: @convention(c) (Handle?) -> Int32
    private let destroy: @convention(c) (Handle?) -> Int32

    private static let loaded = Result { () throws(ImageError) in try TurboJPEGLibrary(names: names) }

    static func shared() throws(ImageError) -> TurboJPEGLibrary { try loaded.get() }

    /// Loads the library.
    /// - Throws: `ImageError.libraryMissing` if none of these is installed.
    package init(names: [String]) throws(ImageError) {
        let library = try LoadedLibrary(names: names, package: Self.package)
        initDecompress = try library.function("tjInitDecompress")
        header = try library.function("tjDecompressHeader3")
        decompress = try library.function("tjDecompress2")
        initCompress = try library.function("tjInitCompress")
        compress = try library.function("tjCompress2")
        free = try library.function("tjFree")
        errorText = try library.function("tjGetErrorStr2")
        errorCode = try library.function("tjGetErrorCode")
        destroy = try library.function("tjDestroy")
    }

    /// Decodes the pixels, `layout.components` bytes each, at the size `layout.reduced(by:)`.
    func decode(
        _ bytes: [UInt8], _ layout: JPEGLayout, reduction: Int, _ file: String
    ) throws(ImageError) -> [UInt8] {
        func damaged(_ problem: String) -> ImageError { .damaged(file: file, part: "pixels", problem: problem) }
        guard let handle = initDecompress() else { throw damaged("the library gave no decoder") }
        defer { _ = destroy(handle) }
        let count = UInt(bytes.count)
        var (width, height, sampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        // It fails for rare kinds of chroma subsampling that can be decoded nevertheless.
        if header(handle, bytes, count, &width, &height, &sampling, &colors) == 0,
            width != layout.width || height != layout.height
        {
            throw damaged("its headers disagree about its size")
        }
        let size = layout.reduced(by: reduction)
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * layout.components)
        let format = [1: TJPF_GRAY, 3: TJPF_RGB, 4: TJPF_CMYK][layout.components] ?? TJPF_RGB
        // The library uses the largest scale whose result is no larger than this size.
        let status = decompress(
            handle, bytes, count, &pixels, Int32(size.width), Int32(size.width * layout.components), Int32(size.height),
            format.rawValue, 0)
        guard status == 0 else {
            let problem = errorText(handle).map { String(cString: $0) } ?? "unknown"
            let isWarning = errorCode(handle) == Int32(TJERR_WARNING.rawValue)
            guard isWarning, Self.harmless.contains(where: problem.contains) else { throw damaged(problem) }
            return pixels
        }
        return pixels
    }

    /// Encodes an image, color at half the resolution.
    func encode(_ image: PixelImage, quality: Int, _ file: String) throws(ImageError) -> [UInt8] {
        guard let handle = initCompress() else { throw .unwritable(file: file, reason: "the library gave no encoder") }
        defer { _ = destroy(handle) }
        let isGray = image.channels == 1
        var result: UnsafeMutablePointer<UInt8>?, count: UInt = 0
        defer { free(result) }
        let status = compress(
            handle, image.bytes, Int32(image.width), Int32(image.width * image.channels), Int32(image.height),
            (isGray ? TJPF_GRAY : TJPF_RGB).rawValue, &result, &count,
            Int32((isGray ? TJSAMP_GRAY : TJSAMP_420).rawValue), Int32(quality), 0)
        guard status == 0 else {
            throw .unwritable(file: file, reason: errorText(handle).map { String(cString: $0) } ?? "unknown")
        }
        return Array(UnsafeBufferPointer(start: result, count: Int(count)))
    }

    /// Warnings about images that programs and cameras write and every viewer displays.
    private static let harmless = [
        "extraneous bytes before marker", "unknown JFIF revision", "Invalid SOS parameters for sequential JPEG",
    ]
}
#endif
