// swift-format-ignore-file
// CoreGraphics: contexts, images, colour spaces, data providers. Declarations only: nothing runs.
// Apple's documentation: "Core Graphics", "CGContext", "CGImage", "CGColorSpace", "CGBitmapInfo". CGFloat, CGPoint, CGSize and CGRect come from the Linux Foundation.
@_exported import CoreFoundation
@_exported import struct ObjectiveC.CGFloat
@_exported import struct ObjectiveC.CGPoint
@_exported import struct ObjectiveC.CGSize
@_exported import struct ObjectiveC.CGRect
@_exported import struct ObjectiveC.AffineTransform

public struct CGAffineTransform: Equatable, Sendable {
    public var a, b, c, d, tx, ty: CGFloat
    public init(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat) { fatalError() }
    public init(translationX: CGFloat, y: CGFloat) { fatalError() }
    public init(scaleX: CGFloat, y: CGFloat) { fatalError() }
    public init(rotationAngle: CGFloat) { fatalError() }
    public static let identity = CGAffineTransform(scaleX: 1, y: 1)
}
public enum CGColorSpaceModel: Int32, Sendable { case unknown = -1, monochrome, rgb, cmyk, lab, deviceN, indexed, pattern, XYZ }
public enum CGColorRenderingIntent: Int32, Sendable { case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation }
public final class CGColorSpace: @unchecked Sendable {
    init() {}
    public convenience init?(name: CFString) { fatalError() }
    public convenience init?(iccData: CFTypeRef) { fatalError() }
    public var model: CGColorSpaceModel { fatalError() }
    public var name: CFString? { fatalError() }
    public var numberOfComponents: Int { fatalError() }
    public func copyICCData() -> CFData? { fatalError() }
    nonisolated(unsafe) public static let sRGB: CFString = CFString()
    nonisolated(unsafe) public static let displayP3: CFString = CFString()
    nonisolated(unsafe) public static let linearSRGB: CFString = CFString()
    nonisolated(unsafe) public static let genericGrayGamma2_2: CFString = CFString()
    nonisolated(unsafe) public static let linearGray: CFString = CFString()
}
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { fatalError() }
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { fatalError() }
public func CGColorSpaceCreateDeviceCMYK() -> CGColorSpace { fatalError() }
public final class CGColor: @unchecked Sendable {
    init() {}
    public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { fatalError() }
    public convenience init(gray: CGFloat, alpha: CGFloat) { fatalError() }
}
public enum CGImageAlphaInfo: UInt32, Sendable { case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly }
public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let alphaInfoMask = CGBitmapInfo(rawValue: 31), floatComponents = CGBitmapInfo(rawValue: 256), byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
    public static let byteOrder16Little = CGBitmapInfo(rawValue: 0x1000), byteOrder32Little = CGBitmapInfo(rawValue: 0x2000)
    public static let byteOrder16Big = CGBitmapInfo(rawValue: 0x3000), byteOrder32Big = CGBitmapInfo(rawValue: 0x4000)
}
public enum CGInterpolationQuality: Int32, Sendable { case `default`, none, low, high, medium }
public enum CGBlendMode: Int32, Sendable { case normal, multiply, screen, overlay, darken, lighten, clear, copy, sourceIn, sourceOut, sourceAtop }
public final class CGDataProvider {
    init() {}
    public convenience init?(data: CFData) { fatalError() }
    public convenience init?(url: CFURL) { fatalError() }
    public typealias ReleaseDataCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void
    public convenience init?(dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int, releaseData: @escaping ReleaseDataCallback) { fatalError() }
    public var data: CFData? { fatalError() }
}
public final class CGImage: @unchecked Sendable {
    init() {}
    public convenience init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace, bitmapInfo: CGBitmapInfo,
        provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool, intent: CGColorRenderingIntent
    ) { fatalError() }
    public var width: Int { fatalError() }
    public var height: Int { fatalError() }
    public var bitsPerComponent: Int { fatalError() }
    public var bitsPerPixel: Int { fatalError() }
    public var bytesPerRow: Int { fatalError() }
    public var colorSpace: CGColorSpace? { fatalError() }
    public var alphaInfo: CGImageAlphaInfo { fatalError() }
    public var bitmapInfo: CGBitmapInfo { fatalError() }
    public var dataProvider: CGDataProvider? { fatalError() }
    public func copy() -> CGImage? { fatalError() }
    public func copy(colorSpace: CGColorSpace) -> CGImage? { fatalError() }
    public func cropping(to rect: CGRect) -> CGImage? { fatalError() }
}
public final class CGContext {
    init() {}
    public convenience init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace, bitmapInfo: UInt32
    ) { fatalError() }
    public var data: UnsafeMutableRawPointer? { fatalError() }
    public var width: Int { fatalError() }
    public var height: Int { fatalError() }
    public var bytesPerRow: Int { fatalError() }
    public var interpolationQuality: CGInterpolationQuality { get { fatalError() } set {} }
    public var ctm: CGAffineTransform { fatalError() }
    public func setBlendMode(_ mode: CGBlendMode) {}
    public func setFillColor(_ color: CGColor) {}
    public func setFillColor(gray: CGFloat, alpha: CGFloat) {}
    public func setShouldAntialias(_ shouldAntialias: Bool) {}
    public func fill(_ rect: CGRect) {}
    public func clear(_ rect: CGRect) {}
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
    public func makeImage() -> CGImage? { fatalError() }
    public func scaleBy(x: CGFloat, y: CGFloat) {}
    public func translateBy(x: CGFloat, y: CGFloat) {}
    public func rotate(by angle: CGFloat) {}
    public func concatenate(_ transform: CGAffineTransform) {}
    public func saveGState() {}
    public func restoreGState() {}
    public func flush() {}
}
