import HearthTestSupport
import HearthText
import Testing

@Suite("Conversations with functions against Gemma 4's published templates", .timeLimit(.minutes(20)))
struct ToolPromptTests {
    private struct Case: Decodable {
        struct Message: Decodable {
            let role: ChatRole
            let content: String
            let name: String?
            let calls: [ToolCall]?
        }
        let family: String
        let thinking: Bool
        let tools: [ToolDefinition]
        let messages: [Message]
        let prompt: String

        var conversation: [ChatMessage] {
            messages.map { message in
                if let calls = message.calls { return ChatMessage(calls: calls, content: message.content) }
                if let name = message.name { return ChatMessage(result: message.content, of: name) }
                return ChatMessage(role: message.role, content: message.content)
            }
        }
    }

    @Test("Declarations, calls, results and the beginning of the answer are the published ones")
    func goldens() throws {
        let cases = try GemmaFixtures.json("chat-tools", as: [Case].self)
        #expect(cases.count == 12)
        for row in cases {
            let template = ChatTemplate(
                family: try #require(ChatTemplate.Family(rawValue: row.family)), thinking: row.thinking)
            let rules = ToolRules(row.tools, choice: .auto, format: .gemma4)
            let segments = try template.segments(row.conversation, tools: rules, format: .gemma4)
            let text = segments.map { segment in
                switch segment {
                case .marker(let text), .text(let text): text
                }
            }.joined()
            #expect(text == row.prompt, "\(row.family), thinking: \(row.thinking)")
        }
    }
}
