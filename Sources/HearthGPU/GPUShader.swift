internal import CHearthShaders
internal import HearthSystem

/// The shaders built into the program.
package enum GPUShader: String, CaseIterable, Sendable {
    case apply, attention, axis, blend, channels, combine, convolve, cut, embed, gate, layer, linear, match, move, norm
    case pool, product, rotary, spread, store, streams

    /// Digest of all shaders; pipelines compiled from other shaders cannot be used.
    package static let digest: String = {
        var hash = SHA256()
        for shader in allCases {
            hash.update(shader.code)
        }
        return hash.finalize()
    }()

    /// The shaders, as profiles name the kernels.
    package static var kernelSet: String { "shaders-\(digest.prefix(16))" }

    /// The shader in the language of this system's driver: SPIR-V, on Apple systems the Metal Shading Language.
    var code: UnsafeRawBufferPointer {
        let code = hearth_shader(rawValue)
        return UnsafeRawBufferPointer(start: code.bytes, count: code.byte_count)
    }

    /// Numbers of the specialization constants that size arrays: Metal has macros for them.
    package var macros: [Int] { self == .product ? [1] : [] }
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
