// swift-format-ignore-file
// ImageIO: image sources and destinations, their properties. Declarations only: nothing runs.
// Apple's documentation: "Image I/O", "CGImageSource", "CGImageDestination", "CGImagePropertyOrientation"
import CoreGraphics
public final class CGImageSource { init() {} }
public final class CGImageDestination { init() {} }
public enum CGImageSourceStatus: Int32, Sendable { case statusUnexpectedEOF = -5, statusInvalidData, statusUnknownType, statusReadingHeader, statusIncomplete, statusComplete }
public enum CGImagePropertyOrientation: UInt32, Sendable { case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left }
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { fatalError() }
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? { fatalError() }
public func CGImageSourceCreateWithDataProvider(_ provider: CGDataProvider, _ options: CFDictionary?) -> CGImageSource? { fatalError() }
public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource { fatalError() }
public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { fatalError() }
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? { fatalError() }
public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus { fatalError() }
public func CGImageSourceGetStatusAtIndex(_ isrc: CGImageSource, _ index: Int) -> CGImageSourceStatus { fatalError() }
public func CGImageSourceCreateImageAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? { fatalError() }
public func CGImageSourceCreateThumbnailAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? { fatalError() }
public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? { fatalError() }
public func CGImageSourceCopyPropertiesAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CFDictionary? { fatalError() }
public func CGImageDestinationCreateWithURL(_ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?) -> CGImageDestination? { fatalError() }
public func CGImageDestinationCreateWithData(_ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?) -> CGImageDestination? { fatalError() }
public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {}
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { fatalError() }
public nonisolated(unsafe) let kCGImageDestinationLossyCompressionQuality: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceShouldCache: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceShouldCacheImmediately: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceShouldAllowFloat: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceCreateThumbnailFromImageAlways: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceCreateThumbnailWithTransform: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceThumbnailMaxPixelSize: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceSubsampleFactor: CFString = CFString()
public nonisolated(unsafe) let kCGImageSourceTypeIdentifierHint: CFString = CFString()
public nonisolated(unsafe) let kCGImagePropertyPixelWidth: CFString = CFString()
public nonisolated(unsafe) let kCGImagePropertyPixelHeight: CFString = CFString()
public nonisolated(unsafe) let kCGImagePropertyOrientation: CFString = CFString()
public nonisolated(unsafe) let kCGImagePropertyColorModel: CFString = CFString()
public nonisolated(unsafe) let kCGImagePropertyDepth: CFString = CFString()
