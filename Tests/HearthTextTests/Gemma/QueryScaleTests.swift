import HearthGGUF
import HearthTestSupport
import HearthText
import Testing

/// By what the scores of attention are divided: for most models the root of a head's width, for the 27B of two generations the root
/// of the model's width over its heads.
@Suite(.timeLimit(.minutes(20))) struct QueryScaleTests {
    @Test("The 27B are told by their heads, not by how many layers there are")
    func largeModels() {
        #expect(GemmaConfiguration.isLarge(.gemma2, width: 4608, heads: 32, headWidth: 128))
        #expect(GemmaConfiguration.isLarge(.gemma3, width: 5376, heads: 32, headWidth: 128))
    }

    @Test(
        "No other published model is taken for one",
        arguments: [
            (GemmaArchitecture.gemma1, 2048, 8, 256), (.gemma1, 3072, 16, 256), (.gemma2, 2304, 8, 256),
            (.gemma2, 3584, 16, 256), (.gemma3, 640, 4, 256), (.gemma3, 1152, 4, 256), (.gemma3, 2560, 8, 256),
            (.gemma3, 3840, 16, 256), (.gemma3n, 2048, 8, 256), (.gemma4, 5376, 32, 128),
        ])
    func otherModels(architecture: GemmaArchitecture, width: Int, heads: Int, headWidth: Int) {
        #expect(!GemmaConfiguration.isLarge(architecture, width: width, heads: heads, headWidth: headWidth))
    }

    @Test("What a file says itself is taken, and 0 says nothing")
    func keys() throws {
        let source = "gemma3-f16.gguf", key = "gemma3.attention.scale"
        let plain = try TextModel(path: GemmaFixtures.path(source)).configuration.queryScale
        #expect(try GemmaFixtures.variant(of: source, set: [key: .float32(0.125)]).configuration.queryScale == 0.125)
        #expect(try GemmaFixtures.variant(of: source, set: [key: .float32(0)]).configuration.queryScale == plain)
        #expect(GemmaFixtures.refusal { try GemmaFixtures.variant(of: source, set: [key: .float32(-1)]) }.contains(key))
    }
}
