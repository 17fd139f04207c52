/// What runs a model; the words of manifests.
public enum ModelEngineKind: String, Sendable, Codable, CaseIterable {
    /// GGUF files: `ModelCatalog.text`, `hearth generate`.
    case text
    /// Core ML packages and models: `ModelCatalog.images`, `hearth classify`.
    case coreml
}
