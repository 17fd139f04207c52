#if canImport(Metal)
internal import Foundation
internal import Metal
internal import Synchronization

/// The libraries that Metal compiles from the shaders' sources.
final class MetalLibraries: Sendable {
    private let device: any MTLDevice
    private let made = Mutex<[GPUPipelineKey: any MTLLibrary]>([:])

    init(_ device: any MTLDevice) { self.device = device }

    /// A shader with its constants.
    /// - Throws: errors of Metal.
    func function(_ key: GPUPipelineKey) throws -> any MTLFunction {
        let values = MTLFunctionConstantValues()
        for (index, constant) in key.constants.enumerated() where !key.shader.macros.contains(index) {
            var number = constant
            values.setConstantValue(&number, type: .uint, index: index)
        }
        return try library(key).makeFunction(name: "main0", constantValues: values)
    }

    /// There is one for each form, and each set of constants that are macros.
    private func library(_ key: GPUPipelineKey) throws -> any MTLLibrary {
        let macros = key.shader.macros.filter(key.constants.indices.contains)
        let name = GPUPipelineKey(
            key.shader, macros.map { key.constants[$0] }, usesSubgroups: key.usesSubgroups)
        if let known = made.withLock({ $0[name] }) { return known }
        let options = MTLCompileOptions()
        options.languageVersion = .version3_0
        // Numbers as on other devices: infinities, exact functions, no other order of operations.
        options.mathMode = .safe
        options.preprocessorMacros = Dictionary(
            uniqueKeysWithValues: macros.map { ("SPIRV_CROSS_CONSTANT_ID_\($0)", NSNumber(value: key.constants[$0])) })
        let source = String(decoding: key.code, as: UTF8.self)
        let library = try device.makeLibrary(source: source, options: options)
        made.withLock { $0[name] = library }
        return library
    }
}
#endif
