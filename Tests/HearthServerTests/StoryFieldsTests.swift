import Foundation
import HearthRuntime
import HearthServer
import HearthStory
import HearthTestSupport
import HearthText
import Testing

@Suite("What a request for a story says", .timeLimit(.minutes(20)))
struct StoryFieldsTests {
    /// A story's events as the client sees them.
    private struct Told {
        var start: [String: Any] = [:]
        var sentences: [String] = []

        init(_ text: String) {
            for block in text.components(separatedBy: "\n\n") {
                let lines = block.split(separator: "\n").map(String.init)
                guard lines.count == 2, lines[1].hasPrefix("data: "),
                    let data = try? JSONSerialization.jsonObject(with: Data(lines[1].dropFirst(6).utf8)),
                    let fields = data as? [String: Any]
                else { continue }
                if lines[0] == "event: start" { start = fields }
                if lines[0] == "event: sentence", let text = fields["text"] as? String { sentences.append(text) }
            }
        }

        var id: String { start["id"] as? String ?? "" }
    }

    private func told(_ server: TestServer, _ body: String) async throws -> Told {
        let answer = try await server.post("/api/story", body)
        #expect(answer.status == 200, "\(answer.text)")
        return Told(answer.text)
    }

    @Test("Name and length are those of the program; the same request gives the same words")
    func nameAndLength() async throws {
        try await TestServer.run { server in
            let body = #"{"wish":"friendly-dragon","name":"  Mi{na}! ","pronoun":"she","length":"short","seed":4}"#
            let story = try await told(server, body)
            #expect(story.start["kind"] as? String == "tale" && story.start["source"] as? String == "library")
            #expect(story.sentences.contains { $0.contains("Mina") })
            #expect(!story.sentences.joined().contains("{"))
            #expect(try #require(TaleLibrary.tale(story.id, in: .english)).length == .short)
            #expect(try await told(server, body).sentences == story.sentences)
            let again = #"{"story":"\#(story.id)","name":"Mina","pronoun":"she","seed":4}"#
            #expect(try await told(server, again).sentences == story.sentences)
        }
    }

    @Test("The shelf: a finished story, another like it, and a second evening with the same friends")
    func shelf() async throws {
        try await TestServer.run { server in
            let list = try await server.get("/api/stories?language=es").json["stories"] as? [[String: Any]]
            #expect(list?.count == StoryLibrary.stories(in: .spanish).count)
            let finished = try #require(StoryLibrary.stories(in: .spanish).first)
            #expect(list?.first?["id"] as? String == finished.id && list?.first?["text"] as? String == finished.text)
            let story = try await told(server, #"{"story":"\#(finished.id)","language":"es"}"#)
            #expect(story.start["kind"] as? String == "finished" && story.id == finished.id)
            func letters(_ text: String) -> String { text.filter { !$0.isWhitespace } }
            #expect(letters(story.sentences.joined()) == letters(finished.text))
            #expect(try await told(server, #"{"like":"\#(finished.id)","language":"es"}"#).id != finished.id)

            let first = try await told(server, #"{"wish":"friendly-dragon","source":"library","seed":9}"#)
            let second = try await told(server, #"{"after":"\#(first.id)","seed":9}"#)
            #expect(second.start["evening"] as? Int == 2 && second.id == first.id)
            #expect(second.start["title"] as? String != first.start["title"] as? String)
            let third = try await told(server, #"{"after":"\#(first.id)","evening":3,"seed":9}"#)
            #expect(third.sentences != second.sentences)
        }
    }

    @Test("A model that is asked for tells, and says where it cannot")
    func model() async throws {
        try await TestServer.run { server in
            let story = try await told(server, #"{"wish":"sleepy-bear","source":"model","seed":3}"#)
            // The model tells a tale, which has an id.
            #expect(story.start["kind"] as? String == "model" && story.start["source"] as? String == "model")
            let id = try #require(story.start["id"] as? String)
            #expect(TaleLibrary.tale(id, in: .english)?.wishes.first == "sleepy-bear")
            let refused = try await server.post(
                "/api/story", #"{"wish":"sleepy-bear","source":"model","length":"short"}"#)
            #expect(refused.status == 400 && refused.error["param"] as? String == "source")
        }
        var hot = DeviceConditions()
        hot.thermal = .critical
        try await TestServer.run(ready: false, { [hot] in $0.monitor = StillMonitor(now: hot) }) { server in
            let absent = try await server.post("/api/story", #"{"wish":"sleepy-bear","source":"model"}"#)
            #expect(absent.status == 503, "\(absent.text)")
        }
    }

    @Test("A story that waits for its turn is told, however many others are told meanwhile")
    func patience() async throws {
        let pace = GenerationPace.still
        try await TestServer.run([TestServer.nano], { ($0.parallel, $0.pace) = (1, pace) }) { server in
            func send(_ path: String, _ body: String) throws -> RawClient {
                let client = try RawClient(port: server.port)
                client.send(server.request("POST", path, ["Content-Type: application/json"], body))
                return client
            }
            func wait(_ field: String) async throws {
                try await server.wait { try await server.get("/health").json[field] as? Int == 1 }
            }
            // Stands still: the tokens that end a text are excluded.
            let long = try send(
                "/v1/completions", #"{"prompt":"a","max_tokens":1000,"n":16,"logit_bias":{"1":-100,"5":-100}}"#)
            try await wait("running")
            let patient = try send("/api/story", #"{"wish":"sleepy-bear","source":"model"}"#)
            try await wait("waiting")
            for seed in fewerWhereSlow(Array(0..<40)) {
                _ = try await told(server, #"{"wish":"friendly-dragon","source":"library","seed":\#(seed)}"#)
            }
            long.close()
            pace.share = 1
            let answer = RawAnswer(try await blocking { patient.rest() })
            #expect(!Told(answer.text).sentences.isEmpty, "\(answer.text)")
            #expect(!answer.text.contains("cancelled"))
        }
    }

    static let refusals: [(body: String, field: String)] = [
        (#"{"wish":"sleepy-bear","name":"???"}"#, "name"), (#"{"wish":"sleepy-bear","name":""}"#, "name"),
        (#"{"wish":"sleepy-bear","name":7}"#, "name"), (#"{"wish":"sleepy-bear","pronoun":"she"}"#, "pronoun"),
        (#"{"wish":"sleepy-bear","name":"Mina","pronoun":"it"}"#, "pronoun"),
        (#"{"wish":"sleepy-bear","length":"endless"}"#, "length"),
        (#"{"wish":"sleepy-bear","source":"web"}"#, "source"),
        (#"{"story":"nobody"}"#, "story"), (#"{"like":"nobody"}"#, "like"), (#"{"after":"the-lowest-note"}"#, "after"),
        (#"{"story":"the-hoard","like":"the-hoard"}"#, "like"), (#"{"story":"the-hoard","language":"es"}"#, "story"),
        (#"{"wish":"sleepy-bear","story":"the-hoard"}"#, "wish"),
        (#"{"story":"the-hoard","source":"model"}"#, "source"),
        (#"{"wish":"sleepy-bear","evening":2}"#, "evening"), (#"{"after":"the-hoard","evening":1}"#, "evening"),
        ("{}", "wish"),
    ]

    @Test("What cannot be meant is refused by the field's name")
    func refused() async throws {
        try await TestServer.run(ready: false) { server in
            for (body, field) in Self.refusals {
                let answer = try await server.post("/api/story", body)
                #expect(answer.status == 400 && answer.error["param"] as? String == field, "\(body): \(answer.text)")
            }
        }
    }
}
