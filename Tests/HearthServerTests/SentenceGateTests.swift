import Foundation
import HearthSafety
import HearthServer
import HearthSystem
import HearthTestSupport
import HearthText
import Testing

/// Answers that pass the filter on their way.
@Suite("Filtered answers", .serialized, .timeLimit(.minutes(20)))
struct SentenceGateTests {
    private func gated(_ pieces: [String], _ language: FilterLanguage = .english) -> (text: String, isStopped: Bool) {
        var gate = SentenceGate(language)
        var text = ""
        for piece in pieces { text += gate.feed(piece) }
        text += gate.finish()
        return (text, gate.isStopped)
    }

    @Test("What may be told passes as it is, its blanks set anew")
    func passes() {
        let text = "The bear yawned.  He lay down.\n\nThe moon rose"
        #expect(gated([text]) == ("The bear yawned. He lay down.\n\nThe moon rose", false))
        #expect(gated(["小熊打了个哈欠。它躺下了。"], .simplifiedChinese) == ("小熊打了个哈欠。它躺下了。", false))
        #expect(gated([""]) == ("", false))
    }

    @Test("A sentence that may not be told ends the text, and nothing of it or after it is sent")
    func stops() {
        let result = gated(["The bear yawned. He stabbed the man with a knife. The moon rose."])
        #expect(result == ("The bear yawned.", true))
        #expect(gated(["She stabbed him with a knife. The moon rose."]) == ("", true))
    }

    @Test("Arguments of functions pass as they are, or end the text: none is changed")
    func arguments() {
        for (arguments, passes) in [
            (#"{"city":"Ulm","days":3,"tags":["a","The bear yawned."]}"#, true), ("{}", true),
            (#"{"note":"He stabbed the man with a knife."}"#, false), (#"{"a":{"b":["She stabbed him."]}}"#, false),
            // A word that would be replaced in a sentence.
            (#"{"note":"She was so stupid."}"#, false), (#"{"He stabbed the man with a knife.":1}"#, false),
        ] {
            var gate = SentenceGate(.english)
            #expect(gate.allows(arguments: arguments) == passes, "\(arguments)")
            #expect(gate.isStopped == !passes)
        }
    }

    @Test("However the text is cut, the same comes out")
    func pieces() {
        var random = SeededNumbers(seed: 7)
        let texts = [
            "One. Two! “Three,” he said. She stabbed him. Four.", "Good night. Sleep well.\n\nThe end.",
            "She was so stupid. He slept.",
        ]
        for text in texts {
            let whole = gated([text])
            for _ in 0..<50 {
                var pieces: [String] = []
                var rest = Substring(text)
                while !rest.isEmpty {
                    let count = Int.random(in: 1...7, using: &random)
                    pieces.append(String(rest.prefix(count)))
                    rest = rest.dropFirst(count)
                }
                #expect(gated(pieces) == whole, "\(text)")
            }
        }
    }

    @Test("A text of which too much has to be mended ends, as a story does")
    func mended() {
        let filter = OutputFilter()
        let line = "The stupid fox slept."
        let verdict = filter.judge(line, in: .english)
        #expect(verdict.action == .swap)
        let result = gated(Array(repeating: line + " ", count: OutputFilter.mostSwaps + 2))
        #expect(result.isStopped)
        #expect(result.text.components(separatedBy: verdict.text).count == OutputFilter.mostSwaps + 1)
    }

    @Test("What is handed in passes as it is, is softened as a text, or stops the answer")
    func input() {
        func admitted(_ text: String) -> String? {
            var gate = SentenceGate(.english)
            let text = gate.admit(text)
            return gate.isStopped ? nil : text
        }
        for text in ["  The bear\nyawned.  ", #"{"weather":"rain","days":[1,2]}"#, "", "17", "\"Ulm\""] {
            #expect(admitted(text) == text)
        }
        #expect(admitted("She stabbed him with a knife.") == nil)
        #expect(admitted(#"{"note":"She stabbed him with a knife."}"#) == nil)
        #expect(admitted(#"{"note":"She \u0073tabbed him with a knife."}"#) == nil)
        #expect(admitted("She was so stupid.") == "She was so silly.")
        let result = admitted(#"{"note":"She was so stupid.","days":2}"#)
        #expect(result?.contains("stupid") == false && result?.contains("silly") == true)
        #expect(result?.contains(#""days":2"#) == true)
        // Escaped, it cannot be replaced in place.
        #expect(admitted(#"{"note":"She was so \u0073tupid."}"#) == nil)
    }

    @Test("A message to be answered stops the answer, an earlier one is left out, and instructions are not judged")
    func messages() {
        func admitted(_ messages: ChatMessage...) -> [String]? {
            var gate = SentenceGate(.english)
            let admitted = gate.admit(messages)
            #expect(admitted.map(\.role) == messages.map(\.role))
            return gate.isStopped ? nil : admitted.map(\.content)
        }
        let harm = "She stabbed him with a knife."
        let (asked, answered) = (
            ChatMessage(role: .user, content: "Hello."), ChatMessage(role: .assistant, content: "Hi.")
        )
        let rude = ChatMessage(role: .user, content: harm)
        #expect(admitted(.init(role: .system, content: "Never say: " + harm), asked)?.count == 2)
        #expect(admitted(rude) == nil)
        #expect(admitted(asked, answered, rude) == nil)
        #expect(admitted(rude, answered, asked) == [SentenceGate.omitted, "Hi.", "Hello."])
        #expect(admitted(asked, .init(role: .assistant, content: harm)) == nil)
        #expect(
            admitted(asked, .init(role: .assistant, content: harm), asked) == [
                "Hello.", SentenceGate.omitted, "Hello.",
            ])
        let call = ChatMessage(calls: [ToolCall(id: "1", name: "look", arguments: #"{"a":"Ulm"}"#)])
        #expect(admitted(asked, call, .init(result: harm, of: "look")) == nil)
        #expect(admitted(asked, call, .init(result: "It rains.", of: "look"))?.last == "It rains.")
        let rudeCall = ChatMessage(calls: [ToolCall(id: "1", name: "look", arguments: #"{"a":"\#(harm)"}"#)])
        #expect(admitted(asked, rudeCall, .init(result: "It rains.", of: "look")) == nil)
    }

    @Test("A filtered request whose text is stopped gets an empty answer, and no model is asked")
    func handedIn() async throws {
        try await TestServer.withWord("stab", for: "moon") { model in
            try await TestServer.run([model]) { server in
                let harm = #""She stabbed him with a knife.""#
                func answer(_ path: String, _ body: String) async throws -> (text: String, finish: String) {
                    choice(try await server.post(path, "{\(body),\"hearth_filter\":true,\"seed\":1,\"max_tokens\":8}"))
                }
                #expect(try await answer("/v1/completions", #""prompt":\#(harm)"#) == ("", "content_filter"))
                #expect(try await answer("/v1/completions", #""prompt":["Hello",\#(harm)]"#) == ("", "content_filter"))
                let chat = #""messages":[{"role":"user","content":\#(harm)}]"#
                #expect(try await answer("/v1/chat/completions", chat) == ("", "content_filter"))
                let tokens = try await server.post("/v1/completions", #"{"prompt":[5,6],"hearth_filter":true}"#)
                #expect(tokens.status == 400 && tokens.error["param"] as? String == "prompt")
                // Unfiltered, it is answered.
                let raw = choice(try await server.post("/v1/completions", "{\"prompt\":\(harm),\"max_tokens\":8}"))
                #expect(raw.finish == "length" && !raw.text.isEmpty)
            }
        }
    }

    private static let chat = #"{"messages":[{"role":"user","content":"Tell a bedtime story."}],"seed":1"#

    private func choice(_ answer: RawAnswer) -> (text: String, finish: String) {
        let choice = (answer.json["choices"] as? [[String: Any]])?.first ?? [:]
        let text = choice["text"] ?? (choice["message"] as? [String: Any])?["content"]
        return (text as? String ?? "", choice["finish_reason"] as? String ?? "")
    }

    @Test("A model that says what it should not: raw unless somebody asks, ended by the filter for who does")
    func server() async throws {
        try await TestServer.withWord("stab", for: "moon") { model in
            try await TestServer.run([model]) { server in
                let body = #"{"prompt":"Once upon a time there was a","seed":1,"max_tokens":120"#
                let raw = choice(try await server.post("/v1/completions", body + "}"))
                #expect(raw.text.contains("stab") && raw.finish != "content_filter")
                let filtered = choice(try await server.post("/v1/completions", body + #","hearth_filter":true}"#))
                #expect(!filtered.text.contains("stab") && filtered.finish == "content_filter")
                let stream = try await server.post(
                    "/v1/completions", body + #","hearth_filter":true,"stream":true}"#)
                #expect(!stream.text.contains("stab"))
                #expect(stream.text.contains(#""finish_reason":"content_filter""#))
                #expect(stream.text.hasSuffix("data: [DONE]\n\n"))
                let bad = try await server.post("/v1/completions", body + #","hearth_filter":1}"#)
                #expect(bad.status == 400 && bad.error["param"] as? String == "hearth_filter")
                let tongue = try await server.post("/v1/completions", body + #","hearth_language":"tlh"}"#)
                #expect(tongue.status == 400 && tongue.error["param"] as? String == "hearth_language")
            }
            try await TestServer.run([model], { $0.filtersTexts = true }) { server in
                let filtered = choice(try await server.post("/v1/chat/completions", Self.chat + "}"))
                #expect(!filtered.text.contains("stab"))
                let refused = try await server.post("/v1/chat/completions", Self.chat + #","hearth_filter":false}"#)
                #expect(refused.status == 400 && refused.error["param"] as? String == "hearth_filter")
            }
        }
    }
}
