// swift-format-ignore-file
// CoreML: models, configurations, arrays, features, state, compilation, prediction. Declarations only: nothing runs.
// Apple's documentation: "Core ML", "MLModel", "MLModelConfiguration", "MLMultiArray", "MLFeatureProvider", "MLState", "MLComputePlan", "MLTensor" (not declared)
import CoreVideo
import Foundation
import Metal

public enum MLComputeUnits: Int, Sendable { case cpuOnly = 0, cpuAndGPU, all, cpuAndNeuralEngine }
public struct MLOptimizationHints: Sendable {
    public enum ReshapeFrequency: Int, Sendable { case frequent, infrequent }
    public enum SpecializationStrategy: Int, Sendable { case `default`, fastPrediction }
    public init() {}
    public var reshapeFrequency: ReshapeFrequency = .frequent
    public var specializationStrategy: SpecializationStrategy = .default
}
open class MLModelConfiguration: NSObject {
    public override init() { super.init() }
    open var computeUnits: MLComputeUnits { get { fatalError() } set {} }
    open var modelDisplayName: String? { get { fatalError() } set {} }
    open var allowLowPrecisionAccumulationOnGPU: Bool { get { fatalError() } set {} }
    open var preferredMetalDevice: (any MTLDevice)? { get { fatalError() } set {} }
    open var functionName: String? { get { fatalError() } set {} }
    open var optimizationHints: MLOptimizationHints { get { fatalError() } set {} }
}
public enum MLMultiArrayDataType: Int, Sendable { case double = 0x10040, float32 = 0x10020, float16 = 0x10010, int32 = 0x20020; public static let float64 = MLMultiArrayDataType.double }
open class MLMultiArray: NSObject {
    public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws { fatalError() }
    public convenience init(shape: [NSNumber], dataType: MLMultiArrayDataType, strides: [NSNumber]) { fatalError() }
    public convenience init(dataPointer: UnsafeMutableRawPointer, shape: [NSNumber], dataType: MLMultiArrayDataType, strides: [NSNumber], deallocator: ((UnsafeMutableRawPointer) -> Void)? = nil) throws { fatalError() }
    public convenience init(pixelBuffer: CVPixelBuffer, shape: [NSNumber]) { fatalError() }
    public convenience init<C: Collection>(_ data: C) throws where C.Element == Float { fatalError() }
    open var dataPointer: UnsafeMutableRawPointer { fatalError() }
    open var dataType: MLMultiArrayDataType { fatalError() }
    open var shape: [NSNumber] { fatalError() }
    open var strides: [NSNumber] { fatalError() }
    open var count: Int { fatalError() }
    open var pixelBuffer: CVPixelBuffer? { fatalError() }
    open subscript(idx: Int) -> NSNumber { get { fatalError() } set {} }
    open subscript(key: [NSNumber]) -> NSNumber { get { fatalError() } set {} }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func withUnsafeBufferPointer<S: MLShapedArrayScalar, R>(ofType type: S.Type, _ body: (UnsafeBufferPointer<S>) throws -> R) rethrows -> R { fatalError() }
    public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer, [Int]) throws -> R) rethrows -> R { fatalError() }
}
public protocol MLShapedArrayScalar {}
extension Float: MLShapedArrayScalar {}
extension Double: MLShapedArrayScalar {}
extension Int32: MLShapedArrayScalar {}
#if arch(arm64)
extension Float16: MLShapedArrayScalar {}
#endif
public struct MLShapedArray<Scalar: MLShapedArrayScalar> {
    public init(scalars: some Sequence<Scalar>, shape: [Int]) { fatalError() }
    public init(repeating: Scalar, shape: [Int]) { fatalError() }
    public init(_ multiArray: MLMultiArray) { fatalError() }
    public init(converting multiArray: MLMultiArray) { fatalError() }
    public var shape: [Int] { fatalError() }
    public var scalars: [Scalar] { get { fatalError() } set {} }
    public func withUnsafeShapedBufferPointer<R>(_ body: (UnsafeBufferPointer<Scalar>, [Int], [Int]) throws -> R) rethrows -> R { fatalError() }
}
extension MLShapedArray: @unchecked Sendable where Scalar: Sendable {}
public enum MLFeatureType: Int, Sendable { case invalid = 0, int64, double, string, image, multiArray, dictionary, sequence, state = 8 }
open class MLFeatureValue: NSObject {
    public convenience init(int64 value: Int64) { fatalError() }
    public convenience init(double value: Double) { fatalError() }
    public convenience init(string value: String) { fatalError() }
    public convenience init(multiArray value: MLMultiArray) { fatalError() }
    public convenience init(pixelBuffer value: CVPixelBuffer) { fatalError() }
    public convenience init(dictionary value: [AnyHashable: NSNumber]) throws { fatalError() }
    public convenience init<S: MLShapedArrayScalar>(shapedArray: MLShapedArray<S>) { fatalError() }
    open var type: MLFeatureType { fatalError() }
    open var multiArrayValue: MLMultiArray? { fatalError() }
    open var imageBufferValue: CVPixelBuffer? { fatalError() }
    open var dictionaryValue: [AnyHashable: NSNumber] { fatalError() }
    open var stringValue: String { fatalError() }
    open var int64Value: Int64 { fatalError() }
    open var doubleValue: Double { fatalError() }
    public func shapedArrayValue<S: MLShapedArrayScalar>(of type: S.Type) -> MLShapedArray<S>? { fatalError() }
}
public protocol MLFeatureProvider: AnyObject {
    var featureNames: Set<String> { get }
    func featureValue(for featureName: String) -> MLFeatureValue?
}
open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider {
    public init(dictionary: [String: Any]) throws { fatalError() }
    open var dictionary: [String: MLFeatureValue] { fatalError() }
    open var featureNames: Set<String> { fatalError() }
    open func featureValue(for featureName: String) -> MLFeatureValue? { fatalError() }
    open subscript(featureName: String) -> MLFeatureValue? { fatalError() }
}
public protocol MLBatchProvider: AnyObject { var count: Int { get }; func features(at index: Int) -> any MLFeatureProvider }
open class MLArrayBatchProvider: NSObject, MLBatchProvider {
    public init(array: [any MLFeatureProvider]) { fatalError() }
    open var count: Int { fatalError() }
    open func features(at index: Int) -> any MLFeatureProvider { fatalError() }
}
open class MLMultiArrayConstraint: NSObject { open var shape: [NSNumber] { fatalError() }; open var dataType: MLMultiArrayDataType { fatalError() } }
open class MLImageConstraint: NSObject { open var pixelsWide: Int { fatalError() }; open var pixelsHigh: Int { fatalError() }; open var pixelFormatType: OSType { fatalError() } }
open class MLFeatureDescription: NSObject {
    open var name: String { fatalError() }
    open var type: MLFeatureType { fatalError() }
    open var isOptional: Bool { fatalError() }
    open var multiArrayConstraint: MLMultiArrayConstraint? { fatalError() }
    open var imageConstraint: MLImageConstraint? { fatalError() }
}
public struct MLModelMetadataKey: RawRepresentable, Hashable, Sendable { public let rawValue: String; public init(rawValue: String) { self.rawValue = rawValue }
    public static let description = MLModelMetadataKey(rawValue: ""), versionString = MLModelMetadataKey(rawValue: ""), author = MLModelMetadataKey(rawValue: ""), license = MLModelMetadataKey(rawValue: ""), creatorDefinedKey = MLModelMetadataKey(rawValue: "") }
open class MLModelDescription: NSObject {
    open var inputDescriptionsByName: [String: MLFeatureDescription] { fatalError() }
    open var outputDescriptionsByName: [String: MLFeatureDescription] { fatalError() }
    open var stateDescriptionsByName: [String: MLFeatureDescription] { fatalError() }
    open var predictedFeatureName: String? { fatalError() }
    open var predictedProbabilitiesName: String? { fatalError() }
    open var classLabels: [Any]? { fatalError() }
    open var metadata: [MLModelMetadataKey: Any] { fatalError() }
}
open class MLState: NSObject, @unchecked Sendable {
    public func withMultiArray<R>(for stateName: String, _ body: (MLMultiArray) throws -> R) rethrows -> R { fatalError() }
}
open class MLPredictionOptions: NSObject {
    public override init() { super.init() }
    open var outputBackings: [String: Any] { get { fatalError() } set {} }
}
open class MLModelAsset: NSObject {
    public convenience init(url: URL) throws { fatalError() }
    public convenience init(specification: Data) throws { fatalError() }
}
public enum MLComputeDevice: Sendable { case cpu(MLCPUComputeDevice), gpu(MLGPUComputeDevice), neuralEngine(MLNeuralEngineComputeDevice)
    public static var allComputeDevices: [MLComputeDevice] { fatalError() } }
open class MLCPUComputeDevice: NSObject, @unchecked Sendable {}
open class MLGPUComputeDevice: NSObject, @unchecked Sendable {}
open class MLNeuralEngineComputeDevice: NSObject, @unchecked Sendable {}
public struct MLModelError: Error { public enum Code: Int, Sendable { case generic = 0, featureType, io = 3, customLayer, customModel, update, parameters, predictionCancelled = 9 }; public static let errorDomain = "com.apple.CoreML"; public var code: Code { fatalError() } }
open class MLModel: NSObject, @unchecked Sendable {
    public convenience init(contentsOf url: URL) throws { fatalError() }
    public convenience init(contentsOf url: URL, configuration: MLModelConfiguration) throws { fatalError() }
    open class func load(contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> MLModel { fatalError() }
    open class func load(contentsOf url: URL, configuration: MLModelConfiguration, completionHandler: @escaping @Sendable (Result<MLModel, any Error>) -> Void) {}
    open class func load(asset: MLModelAsset, configuration: MLModelConfiguration) async throws -> MLModel { fatalError() }
    open class func compileModel(at modelURL: URL) async throws -> URL { fatalError() }
    @available(*, noasync) open class func compileModel(at modelURL: URL) throws -> URL { fatalError() }
    open class var availableComputeDevices: [MLComputeDevice] { fatalError() }
    open var modelDescription: MLModelDescription { fatalError() }
    open var configuration: MLModelConfiguration { fatalError() }
    @available(*, noasync) open func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider { fatalError() }
    @available(*, noasync) open func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider { fatalError() }
    open func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()) async throws -> any MLFeatureProvider { fatalError() }
    open func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider { fatalError() }
    open func predictions(fromBatch inputBatch: any MLBatchProvider) throws -> any MLBatchProvider { fatalError() }
    open func makeState() -> MLState { fatalError() }
    @available(*, noasync) open func prediction(from input: any MLFeatureProvider, using state: MLState) throws -> any MLFeatureProvider { fatalError() }
    open func prediction(from input: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions = MLPredictionOptions()) async throws -> any MLFeatureProvider { fatalError() }
}
