package import HearthGGUF
package import HearthTokenizer

extension ChatTemplate {
    /// The chat format of a model file; nil for a base model, which has none. The template stored in the file is never
    /// executed; it is only compared with the known ones so that a difference can be reported (`notice`).
    ///
    /// - Throws: `FileError` if a key has the wrong type.
    package init?(gguf: GGUFFile, vocabulary: Vocabulary, thinking: Bool = false) throws {
        let architecture = try gguf.metadata.string("general.architecture") ?? ""
        let width = try gguf.metadata.integer("\(architecture).embedding_length_per_layer_input")
        self.init(architecture: architecture, vocabulary: vocabulary, perLayerWidth: width, thinking: thinking)
        file = gguf.path
        if let own = try gguf.metadata.string("tokenizer.chat_template") { difference = difference(from: own) }
    }

    /// Markers used by the published templates of a family, including those for images, audio and tools.
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

    /// How a template's markers differ from those of this family's published templates; nil if it seems to be one of them.
    ///
    /// Compares markers, not digests, because copies of the published templates often differ in whitespace and comments.
    package func difference(from template: String) -> String? {
        let markers = Set(template.matches(of: /<\|?["\w]+\|?>|\[\/?[A-Z_]{3,}\]/).map { String($0.output) })
        if let foreign = markers.subtracting(knownMarkers).min() { return "it writes \(foreign)" }
        // A template may build the closing marker from pieces, or write the opening one together with the role.
        for marker in [family.turnOpen, family.turnClose] where !template.contains(marker) {
            return "it does not write \(marker)"
        }
        return nil
    }

    /// A message for the user if the model's own template differs from the known ones; nil otherwise.
    package var notice: String? {
        difference.map {
            """
            the model's chat template (tokenizer.chat_template) differs from the known ones: \($0); the \(family.name) format \
            is used
            """
        }
    }
}
