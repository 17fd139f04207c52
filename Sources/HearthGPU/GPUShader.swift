internal import CHearthShaders
internal import HearthSystem

/// The shaders built into the program.
package enum GPUShader: String, CaseIterable, Sendable {
    case attention, embed, gate, norm, product, rotary, store

    /// Digest of all shaders; pipelines compiled from other shaders cannot be used.
    package static let digest: String = {
        var hash = SHA256()
        for shader in allCases {
            let code = spirv(shader)
            hash.update(UnsafeRawBufferPointer(start: code.words, count: code.byteCount))
        }
        return hash.finalize()
    }()
}

/// A shader with the values of its specialization constants, in order.
package struct GPUPipelineKey: Hashable, Comparable, Sendable {
    package let shader: GPUShader
    package let constants: [UInt32]

    package init(_ shader: GPUShader, _ constants: [UInt32] = []) {
        (self.shader, self.constants) = (shader, constants)
    }

    package static func < (a: GPUPipelineKey, b: GPUPipelineKey) -> Bool {
        a.shader == b.shader
            ? a.constants.lexicographicallyPrecedes(b.constants) : a.shader.rawValue < b.shader.rawValue
    }
}

/// The SPIR-V of a shader.
func spirv(_ shader: GPUShader) -> (words: UnsafePointer<UInt32>?, byteCount: Int) {
    let code = hearth_shader(shader.rawValue)
    return (code.words, code.byte_count)
}
