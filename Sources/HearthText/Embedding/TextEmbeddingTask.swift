/// The purpose of embeddings. EmbeddingGemma was trained with a prompt prefix for each purpose.
public enum TextEmbeddingTask: String, Sendable, CaseIterable {
    /// A search query.
    case query
    /// A document to be searched.
    case document
    /// Texts to be compared with each other.
    case similarity
    /// A question to be answered by documents.
    case questionAnswering = "question-answering"
    /// A claim to be confirmed or refuted by documents.
    case factChecking = "fact-checking"
    /// Texts to be labelled.
    case classification
    /// Texts to be clustered.
    case clustering
    /// A description used to search for code.
    case codeRetrieval = "code-retrieval"
    /// No prefix.
    case none

    /// The prompt prefix, from EmbeddingGemma's model card.
    package var prefix: String {
        switch self {
        case .query: "task: search result | query: "
        case .document: "title: none | text: "
        case .similarity: "task: sentence similarity | query: "
        case .questionAnswering: "task: question answering | query: "
        case .factChecking: "task: fact checking | query: "
        case .classification: "task: classification | query: "
        case .clustering: "task: clustering | query: "
        case .codeRetrieval: "task: code retrieval | query: "
        case .none: ""
        }
    }
}
