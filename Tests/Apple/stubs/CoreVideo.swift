// swift-format-ignore-file
// CoreVideo: CVPixelBuffer, its creation, locking, planes, formats. Declarations only: nothing runs.
// Apple's documentation: "CVPixelBuffer", "CVPixelBufferCreate", "CVPixelBufferLockBaseAddress", "Pixel Format Identifiers"
@_exported import CoreGraphics
public typealias CVReturn = Int32
public typealias OSType = UInt32
public class CVBuffer { init() {} }
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVBuffer
public class CVPixelBufferPool { init() {} }
public struct CVPixelBufferLockFlags: OptionSet, Sendable { public let rawValue: UInt64; public init(rawValue: UInt64) { self.rawValue = rawValue }; public static let readOnly = CVPixelBufferLockFlags(rawValue: 1) }
public let kCVReturnSuccess: CVReturn = 0
public let kCVPixelFormatType_32BGRA: OSType = 0x42475241
public let kCVPixelFormatType_32ARGB: OSType = 0x20
public let kCVPixelFormatType_OneComponent8: OSType = 0x4C303038
public let kCVPixelFormatType_OneComponent16Half: OSType = 0x4C303068
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x34323066
public nonisolated(unsafe) let kCVPixelBufferCGImageCompatibilityKey: CFString = CFString()
public nonisolated(unsafe) let kCVPixelBufferCGBitmapContextCompatibilityKey: CFString = CFString()
public nonisolated(unsafe) let kCVPixelBufferIOSurfacePropertiesKey: CFString = CFString()
public nonisolated(unsafe) let kCVPixelBufferMetalCompatibilityKey: CFString = CFString()
public func CVPixelBufferCreate(_ allocator: CFTypeRef?, _ width: Int, _ height: Int, _ pixelFormatType: OSType, _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>) -> CVReturn { fatalError() }
public func CVPixelBufferLockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags) -> CVReturn { fatalError() }
@discardableResult public func CVPixelBufferUnlockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags) -> CVReturn { fatalError() }
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? { fatalError() }
public func CVPixelBufferGetBaseAddressOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> UnsafeMutableRawPointer? { fatalError() }
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int { fatalError() }
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { fatalError() }
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x34323076
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int { fatalError() }
public enum CVAttachmentMode: UInt32, Sendable { case shouldNotPropagate, shouldPropagate }
public func CVBufferCopyAttachment(_ buffer: CVBuffer, _ key: CFString, _ attachmentMode: UnsafeMutablePointer<CVAttachmentMode>?) -> CFTypeRef? { fatalError() }
public nonisolated(unsafe) let kCVImageBufferYCbCrMatrixKey: CFString = CFString()
public nonisolated(unsafe) let kCVImageBufferYCbCrMatrix_ITU_R_601_4: CFString = CFString()
public nonisolated(unsafe) let kCVImageBufferYCbCrMatrix_ITU_R_709_2: CFString = CFString()
