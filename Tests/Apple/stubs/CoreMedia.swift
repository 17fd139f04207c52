// swift-format-ignore-file
// CoreMedia: CMTime, CMSampleBuffer and its image. Declarations only: nothing runs.
// Apple's documentation: "CMTime", "CMSampleBuffer", "CMSampleBufferGetImageBuffer(_:)"
@_exported import CoreVideo
public struct CMTime: Sendable { public var value: Int64; public var timescale: Int32; public init(value: Int64, timescale: Int32) { self.value = value; self.timescale = timescale }; public var seconds: Double { fatalError() } }
public class CMSampleBuffer { init() {}; public var imageBuffer: CVImageBuffer? { fatalError() } }
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { fatalError() }
