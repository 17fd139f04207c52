package import HearthGGUF
package import HearthSystem
public import HearthTokenizer

/// A loaded language model: configuration, tokenizer and mapped weights. A value that can be shared freely. Loading maps and
/// validates the file, and copies no weights.
///
///     let model = try TextModel(path: "gemma-3-270m-it-q8_0.gguf")
///     let generator = try TextGenerator(model: model)
public struct TextModel: Sendable {
    /// Path of the model's file.
    package let path: String
    /// All hyperparameters.
    package let configuration: GemmaConfiguration
    /// Converts text to token ids and back.
    public let tokenizer: TextTokenizer
    /// The chat format; nil for a model that was not trained for chat.
    public let chatTemplate: ChatTemplate?
    /// The sampling defaults from the file, or Gemma's.
    public let samplingDefaults: SamplingOptions
    /// The model's name (`general.name`); nil if the file has none.
    public let name: String?
    /// The languages that the model writes, as BCP 47 tags (`general.languages`); empty if the file does not say.
    public let languages: [String]
    /// The format of stories that the model was trained on (`hearth.story.format`); nil if the file does not say.
    package let storyFormat: Int?
    /// The key of ``storyFormat``.
    package static let storyFormatKey = "hearth.story.format"
    /// Size of the mapped weights in bytes.
    package let weightBytes: Int
    /// Bytes before the first tensor: metadata, mostly the vocabulary.
    package let headerBytes: Int
    package let weights: GemmaWeights
    let file: MappedFile
    /// The order in which a forward pass needs the file's bytes.
    let pages: PageOrder
    /// Folder of the artifact that it was loaded from; nil for a model loaded from its file.
    package var artifactFolder: String?
    /// An object to keep alive as long as the model.
    var keeper: (any AnyObject & Sendable)?

    /// Maps and validates a GGUF file.
    /// - Throws: ``FileError`` or ``TextError``, naming file and field.
    public init(path: String) throws {
        try self.init(gguf: GGUFFile(path: path))
    }

    /// - Throws: `FileError` or `TextError`, naming file and field.
    package init(gguf: GGUFFile) throws {
        do {
            try self.init(reading: gguf)
        } catch {
            // If the file is being modified, report that instead of the error in its content.
            try gguf.file.checkIntact()
            throw error
        }
        try checkIntact()
    }

    /// What the file of a model says as ``storyFormat``, without loading it; nil if it says nothing or cannot be read.
    package static func storyFormat(ofFileAt path: String) -> Int? {
        guard let gguf = try? GGUFFile(path: path) else { return nil }
        return try? gguf.metadata.integer(storyFormatKey)
    }

    /// Checks that the files in use have not changed. Results computed in the meantime must be discarded if they have.
    /// - Throws: ``FileError/changed(_:)`` if the model's file, or its artifact's vocabulary, was modified or truncated since
    ///   the model was loaded.
    package func checkIntact() throws(FileError) {
        try file.checkIntact()
        try tokenizer.vocabulary.file?.checkIntact()
    }

    /// Whether `checkIntact()` would succeed.
    var isIntact: Bool { file.isIntact && hasVocabulary }

    /// Whether the vocabulary's file is unchanged since it was loaded.
    var hasVocabulary: Bool { tokenizer.vocabulary.file?.isIntact ?? true }

    private init(reading gguf: GGUFFile) throws {
        if AdapterFile.isAdapter(gguf) {
            throw TextError.invalidAdapter(
                file: gguf.path, field: "general.type",
                problem: "this is an adapter, which changes a model and is none; use it as the adapter of a model")
        }
        // Check the architecture first: an unsupported model is refused before any other work.
        let configuration = try GemmaConfiguration(gguf: gguf)
        let weights = try GemmaWeights(gguf: gguf, configuration: configuration)
        let vocabulary = try Vocabulary(gguf: gguf)
        let listed = try gguf.metadata.strings("general.languages")
        try self.init(
            gguf: gguf, configuration: configuration, weights: weights, vocabulary: vocabulary,
            chatTemplate: ChatTemplate(gguf: gguf, vocabulary: vocabulary),
            samplingDefaults: SamplingOptions(gguf: gguf), name: gguf.metadata.string("general.name"),
            languages: listed.map { list in (0..<list.count).compactMap { list.string(at: $0) } } ?? [],
            storyFormat: gguf.metadata.integer(Self.storyFormatKey))
    }

    /// Creates a model from parts that were read before, from the file or from an artifact.
    ///
    /// - Parameter gguf: the tensors; its metadata is not used.
    init(
        gguf: GGUFFile, configuration: GemmaConfiguration, weights: GemmaWeights? = nil, vocabulary: Vocabulary,
        chatTemplate: ChatTemplate?, samplingDefaults: SamplingOptions, name: String?, languages: [String],
        storyFormat: Int?
    ) throws {
        self.weights = try weights ?? GemmaWeights(gguf: gguf, configuration: configuration)
        guard vocabulary.count <= self.weights.vocabularySize else {
            throw TextError.tensorShape(
                file: gguf.path, tensor: "token_embd.weight", expected: [configuration.width, vocabulary.count],
                found: [configuration.width, self.weights.vocabularySize])
        }
        path = gguf.path
        file = gguf.file
        self.configuration = configuration
        tokenizer = TextTokenizer(vocabulary)
        self.chatTemplate = chatTemplate
        self.samplingDefaults = samplingDefaults
        self.name = name
        self.languages = languages
        self.storyFormat = storyFormat
        weightBytes = gguf.tensors.reduce(0) { $0 + $1.byteCount }
        headerBytes = gguf.tensors.map(\.offset).min() ?? gguf.file.count
        pages = PageOrder(gguf: gguf, configuration: configuration)
    }
}
