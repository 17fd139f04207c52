/// A LoRA adapter to generate with: a small file that changes what a model has learned, without a copy of the model.
///
///     var options = TextGenerator.Options()
///     options.adapters = [TextAdapter(path: "pirate-lora.gguf", scale: 0.8)]
public struct TextAdapter: Sendable, Hashable, Codable {
    /// Path of a GGUF file as llama.cpp's `convert_lora_to_gguf.py` writes it.
    package var path: String
    /// How strongly it acts: a factor for the change; 0 for not at all.
    package var scale: Float

    /// An adapter at full strength, or at another one.
    public init(path: String, scale: Float = 1) {
        (self.path, self.scale) = (path, scale)
    }
}
