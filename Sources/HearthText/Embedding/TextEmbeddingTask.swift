/// What embeddings are for. EmbeddingGemma was trained with words in front of each text that say so.
public enum TextEmbeddingTask: String, Sendable, CaseIterable {
    /// A question or some words that documents are searched for.
    case query
    /// A text that is searched.
    case document
    /// Texts that are compared with one another.
    case similarity
    /// A question that documents answer.
    case questionAnswering = "question-answering"
    /// A claim that documents confirm or refute.
    case factChecking = "fact-checking"
    /// Texts that get a label.
    case classification
    /// Texts that are grouped.
    case clustering
    /// A description that code is searched for.
    case codeRetrieval = "code-retrieval"
    /// Nothing is put in front of the text.
    case none

    /// As the model card of EmbeddingGemma has them.
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
