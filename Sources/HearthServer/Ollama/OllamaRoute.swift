/// The served paths of Ollama's API.
package enum OllamaRoute: String, Sendable, CaseIterable {
    case chat = "/api/chat"
    case generate = "/api/generate"
    case tags = "/api/tags"
    case show = "/api/show"
    case running = "/api/ps"
    case version = "/api/version"
    case embed = "/api/embed"
    /// The older form, for one text.
    case embedding = "/api/embeddings"

    /// Whether a path belongs to the part of Ollama's API that is not served: models are not changed through it.
    static func isLacking(_ path: String) -> Bool {
        ["/api/pull", "/api/push", "/api/create", "/api/copy", "/api/delete"].contains(path)
            || path.hasPrefix("/api/blobs/")
    }

    var method: String {
        switch self {
        case .chat, .generate, .show, .embed, .embedding: "POST"
        case .tags, .running, .version: "GET"
        }
    }

    /// Whether the response is computed while the client waits, and cancelled when it half-closes the connection.
    var isLong: Bool {
        switch self {
        case .chat, .generate, .embed, .embedding: true
        case .tags, .show, .running, .version: false
        }
    }
}

/// Names with tags: Ollama's clients expect `hearth-nano:latest` for `hearth-nano`.
enum OllamaName {
    private static let latest = ":latest"

    /// A served name in Ollama's form.
    static func tagged(_ name: String) -> String {
        let last = name.split(separator: "/").last ?? ""
        return last.contains(":") ? name : name + latest
    }

    /// The served name that a client means; the given name if there is none.
    static func served(_ wanted: String, _ names: [String]) -> String {
        if names.contains(wanted) { return wanted }
        guard wanted.hasSuffix(latest) else { return wanted }
        return String(wanted.dropLast(latest.count))
    }
}

/// An error in Ollama's format: `{"error":"…"}`.
struct OllamaError: Encodable {
    var error: String

    init(_ failure: HTTPFailure) { error = failure.message }

    /// As a line of a response that has begun.
    var line: [UInt8] { JSONText.bytes(self) + [UInt8(ascii: "\n")] }
}
