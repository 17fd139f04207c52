internal import Foundation

/// The endpoint that a path names. Nothing else is served, and no endpoint takes a file path or an address.
package enum Endpoint: Sendable, Equatable {
    case page(PageFile)
    case health
    case metrics
    case models
    case model(String)
    case chatCompletions
    case completions
    case responses
    case speech
    case moderations
    case embeddings
    case state
    case stateEvents
    case wishes
    case stories
    case story
    case storyStop(id: String)
    case storyAudio(id: String, sentence: Int)
    case ollama(OllamaRoute)
    /// What happens in a live feed; of its own server only.
    case feedEvents

    package init?(path: String) {
        if let file = PageFile(path: path) {
            self = .page(file)
            return
        }
        switch path {
        case "/health": self = .health
        case "/metrics": self = .metrics
        case "/v1/models": self = .models
        case "/v1/chat/completions": self = .chatCompletions
        case "/v1/completions": self = .completions
        case "/v1/responses": self = .responses
        case "/v1/audio/speech": self = .speech
        case "/v1/moderations": self = .moderations
        case "/v1/embeddings": self = .embeddings
        case "/api/state": self = .state
        case "/api/state/events": self = .stateEvents
        case "/api/wishes": self = .wishes
        case "/api/stories": self = .stories
        case "/api/story": self = .story
        default:
            if let route = OllamaRoute(rawValue: path) {
                self = .ollama(route)
                return
            }
            guard let other = Self.withNames(path) else { return nil }
            self = other
        }
    }

    /// The endpoint of a live feed's server.
    static func ofFeed(path: String) -> Endpoint? {
        path == "/feed/events" ? .feedEvents : PageFile(path: path, in: "watch/").map { .page($0) }
    }

    /// `/v1/models/NAME`, `/api/story/ID/stop`, `/api/story/ID/audio/N`.
    private static func withNames(_ path: String) -> Endpoint? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        if parts.count == 3, parts[0] == "v1", parts[1] == "models", !parts[2].isEmpty {
            // Clients escape what a path cannot hold: blanks, letters beyond ASCII, slashes.
            return .model(parts[2].removingPercentEncoding ?? parts[2])
        }
        guard parts.count >= 4, parts[0] == "api", parts[1] == "story", parts[2].utf8.count == 32,
            parts[2].utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        if parts.count == 4, parts[3] == "stop" { return .storyStop(id: parts[2]) }
        guard parts.count == 5, parts[3] == "audio", parts[4].utf8.count <= 4,
            parts[4].utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(parts[4])
        else { return nil }
        return .storyAudio(id: parts[2], sentence: number)
    }

    /// The HTTP method that it accepts; `GET` includes `HEAD`.
    var method: String {
        switch self {
        case .chatCompletions, .completions, .responses, .speech, .embeddings, .moderations, .story, .storyStop: "POST"
        case .page, .health, .metrics, .models, .model, .state, .stateEvents, .wishes, .stories, .storyAudio,
            .feedEvents:
            "GET"
        case .ollama(let route): route.method
        }
    }

    /// Whether no token is needed: the page's files reveal nothing of this machine and run no model, and the token is
    /// entered there.
    var isPublic: Bool { if case .page = self { true } else { false } }

    /// Whether the response is computed while the client waits, and cancelled when it half-closes the connection.
    var isLong: Bool {
        switch self {
        case .chatCompletions, .completions, .responses, .speech, .embeddings, .stateEvents, .story, .storyAudio,
            .feedEvents:
            true
        case .page, .health, .metrics, .models, .model, .moderations, .state, .wishes, .stories, .storyStop: false
        case .ollama(let route): route.isLong
        }
    }

    /// The field of its requests that holds what the model reads.
    var textField: String {
        switch self {
        case .completions, .ollama(.generate): "prompt"
        case .responses, .embeddings, .ollama(.embed): "input"
        default: "messages"
        }
    }

    /// Whether it belongs to Ollama's API.
    var isOllama: Bool { if case .ollama = self { true } else { false } }

    /// The label in metrics: the path without names.
    var label: String {
        switch self {
        case .page: "/"
        case .health: "/health"
        case .metrics: "/metrics"
        case .models, .model: "/v1/models"
        case .chatCompletions: "/v1/chat/completions"
        case .completions: "/v1/completions"
        case .responses: "/v1/responses"
        case .speech: "/v1/audio/speech"
        case .moderations: "/v1/moderations"
        case .embeddings: "/v1/embeddings"
        case .state: "/api/state"
        case .stateEvents: "/api/state/events"
        case .wishes: "/api/wishes"
        case .stories: "/api/stories"
        case .story: "/api/story"
        case .storyStop: "/api/story/stop"
        case .storyAudio: "/api/story/audio"
        case .ollama(let route): route.rawValue
        case .feedEvents: "/feed/events"
        }
    }
}
