package import HearthFormats

extension ChatTemplate {
    /// The format of a model file. The template stored in the file is not looked at.
    ///
    /// - Throws: ``TextError/noChatTemplate(architecture:)``, or `GGUFError` for keys of a wrong type.
    package init(gguf: GGUFFile, vocabulary: Vocabulary, thinking: Bool = false) throws {
        let architecture = try gguf.metadata.string("general.architecture") ?? ""
        let width = try gguf.metadata.integer("\(architecture).embedding_length_per_layer_input")
        try self.init(
            architecture: architecture, vocabulary: vocabulary, perLayerWidth: width, thinking: thinking)
    }
}
