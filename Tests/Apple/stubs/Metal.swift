// swift-format-ignore-file
// Metal: devices, libraries, compute pipelines, binary archives, queues, buffers, residency sets, fences, encoders. Declarations only:
// nothing runs.
// Apple's documentation: "Metal", "MTLResidencySet", "MTLFence", "MTLMathMode", "MTLCommandBufferError", "gpuAddress",
// "MTLCopyAllDevices()"; protocols are bound to classes, those of MTLDevice, MTLLibrary, MTLFunction, pipeline states, queues and buffers are Sendable in the headers.
import Foundation

public struct MTLSize: Sendable { public var width, height, depth: Int; public init(width: Int, height: Int, depth: Int) { (self.width, self.height, self.depth) = (width, height, depth) } }
public func MTLSizeMake(_ width: Int, _ height: Int, _ depth: Int) -> MTLSize { fatalError() }
public struct MTLOrigin: Sendable { public var x, y, z: Int }
public struct MTLRegion: Sendable { public var origin: MTLOrigin; public var size: MTLSize }
public struct MTLResourceOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let storageModeShared: MTLResourceOptions = [], storageModePrivate = MTLResourceOptions(rawValue: 32), cpuCacheModeWriteCombined = MTLResourceOptions(rawValue: 1), hazardTrackingModeUntracked = MTLResourceOptions(rawValue: 256) }
public enum MTLGPUFamily: Int, Sendable { case apple1 = 1001, apple2, apple3, apple4, apple5, apple6, apple7, apple8, apple9, mac2 = 2002, common1 = 3001, common2, common3, metal3 = 5001 }
public enum MTLStorageMode: UInt, Sendable { case shared, managed, `private`, memoryless }
public enum MTLDataType: UInt, Sendable { case none = 0, float = 3, half = 16, int = 29, uint = 33, short = 37, bool = 53 }
public enum MTLLanguageVersion: UInt, Sendable { case version2_4 = 131076, version3_0 = 196608, version3_1 = 196609, version3_2 = 196610 }
public enum MTLMathMode: Int, Sendable { case safe, relaxed, fast }
public enum MTLCommandBufferStatus: UInt, Sendable { case notEnqueued, enqueued, committed, scheduled, completed, error }
public struct MTLCommandBufferError: Error, CustomNSError, Sendable {
    public enum Code: UInt, Sendable { case none = 0, `internal` = 1, timeout = 2, pageFault = 3, accessRevoked = 4, notPermitted = 7, outOfMemory = 8, invalidResource = 9, memoryless = 10, deviceRemoved = 11, stackOverflow = 12 }
    public var code: Code { fatalError() }
    public var errorCode: Int { fatalError() }
}
public enum MTLDispatchType: UInt, Sendable { case serial, concurrent }
public struct MTLBarrierScope: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }; public static let buffers = MTLBarrierScope(rawValue: 1), textures = MTLBarrierScope(rawValue: 2) }
public struct MTLPipelineOption: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue }; public static let failOnBinaryArchiveMiss = MTLPipelineOption(rawValue: 4) }
public protocol MTLAllocation: NSObjectProtocol { var allocatedSize: Int { get } }
public protocol MTLResource: MTLAllocation, Sendable { var label: String? { get set }; var device: any MTLDevice { get }; var storageMode: MTLStorageMode { get } }
public protocol MTLBuffer: MTLResource { var length: Int { get }; var gpuAddress: UInt64 { get }; func contents() -> UnsafeMutableRawPointer; func didModifyRange(_ range: Range<Int>) }
public protocol MTLFunction: NSObjectProtocol, Sendable { var name: String { get }; var device: any MTLDevice { get } }
public protocol MTLFence: NSObjectProtocol, Sendable { var label: String? { get set }; var device: any MTLDevice { get } }
open class MTLResidencySetDescriptor: NSObject { public override init() { super.init() }; open var label: String? { get { fatalError() } set {} }; open var initialCapacity: Int { get { fatalError() } set {} } }
public protocol MTLResidencySet: NSObjectProtocol, Sendable {
    var label: String? { get }
    var allocationCount: Int { get }
    func addAllocation(_ allocation: any MTLAllocation)
    func removeAllocation(_ allocation: any MTLAllocation)
    func commit()
    func requestResidency()
    func endResidency()
}
open class MTLFunctionConstantValues: NSObject {
    public override init() { super.init() }
    open func setConstantValue(_ value: UnsafeRawPointer, type: MTLDataType, index: Int) {}
    open func setConstantValue(_ value: UnsafeRawPointer, type: MTLDataType, withName name: String) {}
}
public protocol MTLLibrary: NSObjectProtocol, Sendable {
    var label: String? { get set }
    var functionNames: [String] { get }
    func makeFunction(name functionName: String) -> (any MTLFunction)?
    func makeFunction(name: String, constantValues: MTLFunctionConstantValues) throws -> any MTLFunction
}
open class MTLCompileOptions: NSObject {
    public override init() { super.init() }
    open var languageVersion: MTLLanguageVersion { get { fatalError() } set {} }
    open var fastMathEnabled: Bool { get { fatalError() } set {} }
    open var mathMode: MTLMathMode { get { fatalError() } set {} }
    open var preprocessorMacros: [String: NSObject]? { get { fatalError() } set {} }
}
public protocol MTLComputePipelineState: NSObjectProtocol, Sendable {
    var label: String? { get }
    var maxTotalThreadsPerThreadgroup: Int { get }
    var threadExecutionWidth: Int { get }
    var staticThreadgroupMemoryLength: Int { get }
}
open class MTLComputePipelineDescriptor: NSObject {
    public override init() { super.init() }
    open var label: String? { get { fatalError() } set {} }
    open var computeFunction: (any MTLFunction)? { get { fatalError() } set {} }
    open var binaryArchives: [any MTLBinaryArchive]? { get { fatalError() } set {} }
    open var threadGroupSizeIsMultipleOfThreadExecutionWidth: Bool { get { fatalError() } set {} }
    open var maxTotalThreadsPerThreadgroup: Int { get { fatalError() } set {} }
}
open class MTLComputePipelineReflection: NSObject {}
open class MTLBinaryArchiveDescriptor: NSObject { public override init() { super.init() }; open var url: URL? { get { fatalError() } set {} } }
public protocol MTLBinaryArchive: NSObjectProtocol, Sendable {
    var label: String? { get set }
    func addComputePipelineFunctions(descriptor: MTLComputePipelineDescriptor) throws
    func serialize(to url: URL) throws
}
public protocol MTLCommandEncoder: NSObjectProtocol { var label: String? { get set }; func endEncoding() }
public protocol MTLComputeCommandEncoder: MTLCommandEncoder {
    func setComputePipelineState(_ state: any MTLComputePipelineState)
    func setBytes(_ bytes: UnsafeRawPointer, length: Int, index: Int)
    func setBuffer(_ buffer: (any MTLBuffer)?, offset: Int, index: Int)
    func setBufferOffset(_ offset: Int, index: Int)
    func setThreadgroupMemoryLength(_ length: Int, index: Int)
    func dispatchThreadgroups(_ threadgroupsPerGrid: MTLSize, threadsPerThreadgroup: MTLSize)
    func dispatchThreads(_ threadsPerGrid: MTLSize, threadsPerThreadgroup: MTLSize)
    func memoryBarrier(scope: MTLBarrierScope)
    func updateFence(_ fence: any MTLFence)
    func waitForFence(_ fence: any MTLFence)
    func memoryBarrier(resources: [any MTLResource])
}
public protocol MTLBlitCommandEncoder: MTLCommandEncoder {
    func updateFence(_ fence: any MTLFence)
    func waitForFence(_ fence: any MTLFence)
    func copy(from sourceBuffer: any MTLBuffer, sourceOffset: Int, to destinationBuffer: any MTLBuffer, destinationOffset: Int, size: Int)
    func fill(buffer: any MTLBuffer, range: Range<Int>, value: UInt8)
}
public typealias MTLCommandBufferHandler = @Sendable (any MTLCommandBuffer) -> Void
public protocol MTLCommandBuffer: NSObjectProtocol {
    var label: String? { get set }
    var status: MTLCommandBufferStatus { get }
    var error: (any Error)? { get }
    var gpuStartTime: CFTimeInterval { get }
    var gpuEndTime: CFTimeInterval { get }
    func makeComputeCommandEncoder() -> (any MTLComputeCommandEncoder)?
    func makeComputeCommandEncoder(dispatchType: MTLDispatchType) -> (any MTLComputeCommandEncoder)?
    func makeBlitCommandEncoder() -> (any MTLBlitCommandEncoder)?
    func addCompletedHandler(_ block: @escaping MTLCommandBufferHandler)
    func addScheduledHandler(_ block: @escaping MTLCommandBufferHandler)
    func enqueue()
    func commit()
    func waitUntilCompleted()
    func completed() async
}
public protocol MTLCommandQueue: NSObjectProtocol, Sendable { var label: String? { get set }; var device: any MTLDevice { get }; func makeCommandBuffer() -> (any MTLCommandBuffer)?; func addResidencySet(_ residencySet: any MTLResidencySet); func makeCommandBufferWithUnretainedReferences() -> (any MTLCommandBuffer)? }
public protocol MTLDevice: NSObjectProtocol, Sendable {
    var name: String { get }
    var registryID: UInt64 { get }
    var hasUnifiedMemory: Bool { get }
    var recommendedMaxWorkingSetSize: UInt64 { get }
    var currentAllocatedSize: Int { get }
    var maxBufferLength: Int { get }
    var maxThreadgroupMemoryLength: Int { get }
    var maxThreadsPerThreadgroup: MTLSize { get }
    func supportsFamily(_ gpuFamily: MTLGPUFamily) -> Bool
    func makeCommandQueue() -> (any MTLCommandQueue)?
    func makeBuffer(length: Int, options: MTLResourceOptions) -> (any MTLBuffer)?
    func makeBuffer(bytes pointer: UnsafeRawPointer, length: Int, options: MTLResourceOptions) -> (any MTLBuffer)?
    func makeBuffer(bytesNoCopy pointer: UnsafeMutableRawPointer, length: Int, options: MTLResourceOptions, deallocator: ((UnsafeMutableRawPointer, Int) -> Void)?) -> (any MTLBuffer)?
    func makeDefaultLibrary() -> (any MTLLibrary)?
    func makeDefaultLibrary(bundle: Bundle) throws -> any MTLLibrary
    func makeLibrary(source: String, options: MTLCompileOptions?) throws -> any MTLLibrary
    func makeLibrary(source: String, options: MTLCompileOptions?) async throws -> any MTLLibrary
    func makeLibrary(URL url: URL) throws -> any MTLLibrary
    func makeLibrary(data: DispatchData) throws -> any MTLLibrary
    func makeComputePipelineState(function computeFunction: any MTLFunction) throws -> any MTLComputePipelineState
    func makeComputePipelineState(function computeFunction: any MTLFunction) async throws -> any MTLComputePipelineState
    func makeComputePipelineState(descriptor: MTLComputePipelineDescriptor, options: MTLPipelineOption, reflection: UnsafeMutablePointer<MTLComputePipelineReflection?>?) throws -> any MTLComputePipelineState
    func makeFence() -> (any MTLFence)?
    func makeResidencySet(descriptor: MTLResidencySetDescriptor) throws -> any MTLResidencySet
    func makeBinaryArchive(descriptor: MTLBinaryArchiveDescriptor) throws -> any MTLBinaryArchive
}
extension MTLDevice {
    public func makeBuffer(length: Int) -> (any MTLBuffer)? { fatalError() }
}
@available(iOS, unavailable) public func MTLCopyAllDevices() -> [any MTLDevice] { fatalError() }
public func MTLCreateSystemDefaultDevice() -> (any MTLDevice)? { fatalError() }
