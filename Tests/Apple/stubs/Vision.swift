// swift-format-ignore-file
// Vision: Core ML requests, image request handlers, classification and object observations. Declarations only: nothing runs.
// Apple's documentation: "Vision", "VNCoreMLModel", "VNCoreMLRequest", "VNImageRequestHandler", "VNClassificationObservation", "VNRecognizedObjectObservation"
import CoreML
import CoreVideo
import Foundation
import ImageIO

public typealias VNConfidence = Float
public typealias VNRequestCompletionHandler = (VNRequest, (any Error)?) -> Void
public enum VNImageCropAndScaleOption: UInt, Sendable { case centerCrop = 0, scaleFit, scaleFill, scaleFitRotate90CCW = 0x101, scaleFillRotate90CCW }
public struct VNImageOption: RawRepresentable, Hashable, Sendable { public let rawValue: String; public init(rawValue: String) { self.rawValue = rawValue } }
open class VNObservation: NSObject { open var uuid: UUID { fatalError() }; open var confidence: VNConfidence { fatalError() } }
open class VNClassificationObservation: VNObservation { open var identifier: String { fatalError() } }
open class VNDetectedObjectObservation: VNObservation { open var boundingBox: CGRect { fatalError() } }
open class VNRecognizedObjectObservation: VNDetectedObjectObservation { open var labels: [VNClassificationObservation] { fatalError() } }
open class VNCoreMLFeatureValueObservation: VNObservation { open var featureName: String { fatalError() }; open var featureValue: MLFeatureValue { fatalError() } }
open class VNPixelBufferObservation: VNObservation { open var featureName: String? { fatalError() }; open var pixelBuffer: CVPixelBuffer { fatalError() } }
open class VNRequest: NSObject {
    public convenience init(completionHandler: VNRequestCompletionHandler? = nil) { fatalError() }
    open var results: [VNObservation]? { fatalError() }
    open var preferBackgroundProcessing: Bool { get { fatalError() } set {} }
    open func cancel() {}
}
open class VNImageBasedRequest: VNRequest { open var regionOfInterest: CGRect { get { fatalError() } set {} } }
open class VNCoreMLModel: NSObject {
    public convenience init(for model: MLModel) throws { fatalError() }
    open var inputImageFeatureName: String { get { fatalError() } set {} }
    open var featureProvider: (any MLFeatureProvider)? { get { fatalError() } set {} }
}
open class VNCoreMLRequest: VNImageBasedRequest {
    public convenience init(model: VNCoreMLModel) { fatalError() }
    public convenience init(model: VNCoreMLModel, completionHandler: VNRequestCompletionHandler? = nil) { fatalError() }
    open var model: VNCoreMLModel { fatalError() }
    open var imageCropAndScaleOption: VNImageCropAndScaleOption { get { fatalError() } set {} }
}
open class VNClassifyImageRequest: VNImageBasedRequest {}
open class VNImageRequestHandler: NSObject {
    public convenience init(cgImage image: CGImage, options: [VNImageOption: Any] = [:]) { fatalError() }
    public convenience init(cgImage image: CGImage, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]) { fatalError() }
    public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [VNImageOption: Any] = [:]) { fatalError() }
    public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]) { fatalError() }
    public convenience init(data imageData: Data, options: [VNImageOption: Any] = [:]) { fatalError() }
    public convenience init(url imageURL: URL, options: [VNImageOption: Any] = [:]) { fatalError() }
    open func perform(_ requests: [VNRequest]) throws {}
}
