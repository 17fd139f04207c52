package import HearthGGUF
package import HearthTokenizer

extension ChatTemplate {
    /// The format of a model file. The template stored in the file is never run; it is only compared with what is known, so
    /// that a difference can be told (`notice`).
    ///
    /// - Throws: ``TextError/noChatTemplate(architecture:)``, or `FileError` for keys of a wrong type.
    package init(gguf: GGUFFile, vocabulary: Vocabulary, thinking: Bool = false) throws {
        let architecture = try gguf.metadata.string("general.architecture") ?? ""
        let width = try gguf.metadata.integer("\(architecture).embedding_length_per_layer_input")
        try self.init(
            architecture: architecture, vocabulary: vocabulary, perLayerWidth: width, thinking: thinking)
        if let own = try gguf.metadata.string("tokenizer.chat_template") { difference = difference(from: own) }
    }

    /// Markers that the published templates of a family write, pictures, sounds and tools included.
    private var knownMarkers: Set<String> {
        family.isGemma4
            ? [
                "<bos>", "<eos>", "<|turn>", "<turn|>", "<|think|>", "<|channel>", "<channel|>", "<|image|>",
                "<|audio|>",
                "<|video|>", "<|tool>", "<tool|>", "<|tool_call>", "<tool_call|>", "<|tool_response>",
                "<tool_response|>",
                "<|\"|>",
            ]
            : [
                "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>",
                "<image_soft_token>", "<audio_soft_token>", "<start_of_audio>", "<end_of_audio>",
            ]
    }

    /// What a template writes that this family's do not, or does not write that they do; nil where it seems to be one of them.
    ///
    /// By its markers, not by its digest: the published templates are copied with other blanks and comments all the time.
    package func difference(from template: String) -> String? {
        let markers = Set(template.matches(of: /<\|?["\w]+\|?>|\[\/?[A-Z_]{3,}\]/).map { String($0.output) })
        if let foreign = markers.subtracting(knownMarkers).min() { return "it writes \(foreign)" }
        // A template may write the closing marker in pieces, the opening one together with the role.
        for marker in [family.turnOpen, family.turnClose] where !template.contains(marker) {
            return "it does not write \(marker)"
        }
        return nil
    }

    /// What a person should know about a model whose own template differs from the known ones; nil where there is nothing.
    package var notice: String? {
        difference.map {
            """
            the model's own chat template (tokenizer.chat_template) is none of the known ones: \($0). Turns are laid out \
            as those of \(family.name)
            """
        }
    }
}
