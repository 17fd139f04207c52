internal import HearthCompute
public import HearthFormats

/// A language model as it lies in its file: configuration, tokenizer and mapped weights. A value that may be shared
/// freely; loading maps and validates, and copies no weights.
///
///     let model = try LanguageModel(path: "gemma-3-270m-it-q8_0.gguf")
///     let generator = try TextGenerator(model: model)
public struct LanguageModel: Sendable {
    /// The file it was loaded from.
    public let path: String
    /// Every hyper-parameter.
    public let configuration: GemmaConfiguration
    /// Text to token ids and back.
    public let tokenizer: Tokenizer
    /// How turns are marked; nil for a model that was not trained on any.
    public let chatTemplate: ChatTemplate?
    /// The author's sampling defaults, or Gemma's.
    public let samplingDefaults: SamplingOptions
    /// `general.name`.
    public let name: String?
    /// `general.languages`; empty where the file does not say.
    public let languages: [String]
    /// Bytes of weights that are mapped.
    public let weightBytes: Int
    let weights: GemmaWeights

    /// - Throws: `GGUFError` or `TextError`, naming file and field.
    public init(path: String) throws {
        try self.init(gguf: GGUFFile(path: path))
    }

    /// - Throws: `GGUFError` or `TextError`, naming file and field.
    public init(gguf: GGUFFile) throws {
        path = gguf.path
        // First the architecture: a model that cannot run is refused before any work is done for it.
        configuration = try GemmaConfiguration(gguf: gguf)
        weights = try GemmaWeights(gguf: gguf, configuration: configuration)
        let vocabulary = try Vocabulary(gguf: gguf)
        guard vocabulary.count <= weights.vocabularySize else {
            throw TextError.tensorShape(
                file: gguf.path, tensor: "token_embd.weight", expected: [configuration.width, vocabulary.count],
                found: [configuration.width, weights.vocabularySize])
        }
        tokenizer = Tokenizer(vocabulary)
        do {
            chatTemplate = try ChatTemplate(gguf: gguf, vocabulary: vocabulary)
        } catch TextError.noChatTemplate {
            chatTemplate = nil
        }
        samplingDefaults = try SamplingOptions(gguf: gguf)
        name = try gguf.metadata.string("general.name")
        let listed = try gguf.metadata.strings("general.languages")
        languages = listed.map { list in (0..<list.count).compactMap { list.string(at: $0) } } ?? []
        weightBytes = gguf.tensors.reduce(0) { $0 + $1.byteCount }
    }
}
