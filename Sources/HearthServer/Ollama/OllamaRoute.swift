/// The paths of Ollama's interface that are answered, in its forms.
package enum OllamaRoute: String, Sendable, CaseIterable {
    case chat = "/api/chat"
    case generate = "/api/generate"
    case tags = "/api/tags"
    case show = "/api/show"
    case running = "/api/ps"
    case version = "/api/version"
    case embed = "/api/embed"
    /// The older form, of one text.
    case embedding = "/api/embeddings"

    var method: String {
        switch self {
        case .chat, .generate, .show, .embed, .embedding: "POST"
        case .tags, .running, .version: "GET"
        }
    }

    /// Whether the answer is made for as long as somebody waits for it.
    var isLong: Bool {
        switch self {
        case .chat, .generate, .embed, .embedding: true
        case .tags, .show, .running, .version: false
        }
    }
}

/// Names with tags: `hearth-nano` is `hearth-nano:latest` to Ollama's clients.
enum OllamaName {
    private static let latest = ":latest"

    /// A served name as clients know it.
    static func tagged(_ name: String) -> String {
        let last = name.split(separator: "/").last ?? ""
        return last.contains(":") ? name : name + latest
    }

    /// The served name that a client means; the name itself where there is none.
    static func served(_ wanted: String, _ names: [String]) -> String {
        if names.contains(wanted) { return wanted }
        guard wanted.hasSuffix(latest) else { return wanted }
        return String(wanted.dropLast(latest.count))
    }
}

/// `{"error":"…"}`.
struct OllamaError: Encodable {
    var error: String

    init(_ failure: HTTPFailure) { error = failure.message }

    /// As a line of an answer that has begun.
    var line: [UInt8] { JSONText.bytes(self) + [UInt8(ascii: "\n")] }
}
