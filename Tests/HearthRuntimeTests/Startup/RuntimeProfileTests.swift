import HearthRuntime
import Testing

@Suite("Runtime profile", .timeLimit(.minutes(20)))
struct RuntimeProfileTests {
    static let profile = RuntimeProfile(
        model: "nano", modelSHA256: "ab12", quantization: "F16", contextLength: 1024, computeUnits: "cpu",
        kernelSet: "avx2", runtimeVersion: "1", osBuild: "Debian 12", device: "board")

    /// Computed with `printf … | sha256sum`: the digest must not depend on process, version or platform.
    @Test("The digest is a fixed function of the fields")
    func digest() {
        #expect(Self.profile.digest == "727434be1b437eb39cab5b98bb596e0301ebb2718a0d9cd36675b508b796ad6c")
    }

    @Test("Each field changes the digest and is named as drift")
    func drift() {
        var changed = Self.profile
        changed.kernelSet = "avx512"
        changed.osBuild = "Debian 13"
        #expect(changed.drift(from: Self.profile) == ["kernelSet", "osBuild"])
        #expect(changed.digest != Self.profile.digest)
        #expect(Self.profile.drift(from: Self.profile).isEmpty)
    }

    @Test("Text cannot move from one field to the next")
    func unambiguous() {
        var first = Self.profile
        var second = Self.profile
        first.model = "a\nmodelSHA256=1:b"
        second.model = "a"
        second.modelSHA256 = "b"
        #expect(first.digest != second.digest)
    }
}
