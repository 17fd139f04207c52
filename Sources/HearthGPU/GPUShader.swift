internal import CHearthShaders
internal import HearthSystem

/// The shaders built into the program.
package enum GPUShader: String, CaseIterable, Sendable {
    case apply, attention, axis, blend, channels, combine, convolve, cut, embed, gate, layer, linear, match, move, norm
    case pool, product, rotary, spread, store, streams

    /// The shaders with a second form, for devices that reduce within subgroups.
    package static let withSubgroups = Set(allCases.filter { hearth_shader($0.rawValue + ".subgroups").byte_count > 0 })

    /// The digests of the portable forms, and of those for subgroups.
    static let digests = [false, true].map { usesSubgroups in
        var hash = SHA256()
        for shader in allCases { hash.update(shader.code(usesSubgroups: usesSubgroups)) }
        return hash.finalize()
    }

    /// Digest of all shaders in the forms that a device runs; pipelines compiled from other shaders cannot be used.
    package static func digest(usesSubgroups: Bool) -> String { digests[usesSubgroups ? 1 : 0] }

    /// Digest of all shaders in all forms, whatever a device runs.
    package static let digest = SHA256.digest(of: digests.joined().utf8)

    /// The shader in the language of this system's driver: SPIR-V, on Apple systems the Metal Shading Language.
    /// - Parameter usesSubgroups: whether in the form for subgroups, if it has one.
    func code(usesSubgroups: Bool) -> UnsafeRawBufferPointer {
        let hasForm = usesSubgroups && Self.withSubgroups.contains(self)
        let code = hearth_shader(hasForm ? rawValue + ".subgroups" : rawValue)
        return UnsafeRawBufferPointer(start: code.bytes, count: code.byte_count)
    }

    /// Numbers of the specialization constants that size arrays: Metal has macros for them.
    package var macros: [Int] { self == .product ? [1] : [] }
}

/// A shader in one of its forms, with the values of its specialization constants, in order.
package struct GPUPipelineKey: Hashable, Comparable, Sendable {
    package let shader: GPUShader
    package let constants: [UInt32]
    /// Whether it is the form that reduces within subgroups.
    package let usesSubgroups: Bool

    package init(_ shader: GPUShader, _ constants: [UInt32] = [], usesSubgroups: Bool = false) {
        (self.shader, self.constants, self.usesSubgroups) = (shader, constants, usesSubgroups)
    }

    /// The form for devices that reduce within subgroups; itself if there is only one.
    package var withSubgroups: GPUPipelineKey {
        guard GPUShader.withSubgroups.contains(shader) else { return self }
        return GPUPipelineKey(shader, constants, usesSubgroups: true)
    }

    var code: UnsafeRawBufferPointer { shader.code(usesSubgroups: usesSubgroups) }

    package static func < (a: GPUPipelineKey, b: GPUPipelineKey) -> Bool {
        if a.shader != b.shader { return a.shader.rawValue < b.shader.rawValue }
        if a.constants != b.constants { return a.constants.lexicographicallyPrecedes(b.constants) }
        return !a.usesSubgroups && b.usesSubgroups
    }
}
