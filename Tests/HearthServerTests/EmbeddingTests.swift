import Foundation
import HearthServer
import HearthTestSupport
import Testing

/// Embeddings over real sockets, in OpenAI's form and in Ollama's two; `Tests/Server/embeddings_test.py` asks with OpenAI's client.
@Suite("Embeddings of the server", .serialized, .timeLimit(.minutes(20)))
struct EmbeddingTests {
    private static let models = [
        TestServer.nano, ServedModel(name: "plain", path: GemmaFixtures.path("embed-plain.gguf")),
    ]

    private static func vectors(_ answer: RawAnswer) -> [[Double]] {
        let rows = answer.json["data"] as? [[String: Any]] ?? []
        return rows.compactMap { $0["embedding"] as? [Double] }
    }

    /// Texts that are read together may be rounded otherwise than alone.
    private static func isSame(_ left: [Double]?, _ right: [Double]?) -> Bool {
        guard let left, let right, left.count == right.count else { return false }
        return zip(left, right).allSatisfy { abs($0 - $1) < 1e-5 }
    }

    @Test("Numbers, Base64 and Ollama's forms are the same vector, of unit length")
    func forms() async throws {
        try await TestServer.run(Self.models, ready: false) { server in
            let first = try await server.post("/v1/embeddings", #"{"input":"abc"}"#)
            #expect(first.status == 200 && first.json["model"] as? String == "plain", "\(first.text)")
            let vector = try #require(Self.vectors(first).first)
            #expect(vector.count == 96 && abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4)
            let usage = first.json["usage"] as? [String: Int] ?? [:]
            #expect(usage["prompt_tokens"] == 5 && usage["total_tokens"] == 5)

            let packed = try await server.post("/v1/embeddings", #"{"input":["abc"],"encoding_format":"base64"}"#)
            let rows = packed.json["data"] as? [[String: Any]] ?? []
            let bytes = [UInt8](try #require((rows.first?["embedding"] as? String).flatMap { Data(base64Encoded: $0) }))
            let numbers = stride(from: 0, to: bytes.count, by: 4).map { at in
                Double(Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }))
            }
            #expect(Self.isSame(numbers, vector))

            let embed = try await server.post("/api/embed", #"{"model":"plain:latest","input":["abc","d"]}"#)
            let both = embed.json["embeddings"] as? [[Double]] ?? []
            #expect(both.count == 2 && Self.isSame(both.first, vector) && embed.json["prompt_eval_count"] as? Int == 8)
            let older = try await server.post("/api/embeddings", #"{"model":"plain","prompt":"abc"}"#)
            #expect(Self.isSame(older.json["embedding"] as? [Double], vector))
            let none = try await server.post("/api/embed", #"{"model":"plain","input":""}"#)
            #expect(none.status == 200 && (none.json["embeddings"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("A vector that is shortened has unit length again; token ids are taken as they are")
    func dimensions() async throws {
        try await TestServer.run(Self.models, ready: false) { server in
            let short = try await server.post("/v1/embeddings", #"{"input":["abc",[2,5]],"dimensions":4}"#)
            let vectors = Self.vectors(short)
            #expect(vectors.map(\.count) == [4, 4])
            #expect(vectors.allSatisfy { abs($0.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4 })
            let alone = try await server.post("/v1/embeddings", #"{"input":[2,5],"dimensions":4}"#)
            #expect(Self.isSame(Self.vectors(alone).first, vectors.last))
        }
    }

    @Test("Texts that are too long are refused, or cut where Ollama's clients ask for that")
    func long() async throws {
        try await TestServer.run(Self.models, ready: false) { server in
            let text = String(repeating: "abc ", count: 500)
            let refused = try await server.post("/v1/embeddings", #"{"input":["a","\#(text)"]}"#)
            #expect(refused.status == 400 && refused.error["code"] as? String == "context_length_exceeded")
            #expect(refused.error["param"] as? String == "input[1]")
            let cut = try await server.post("/api/embed", #"{"model":"plain","input":"\#(text)"}"#)
            #expect(cut.status == 200 && cut.json["prompt_eval_count"] as? Int == 512)
            let whole = try await server.post("/api/embed", #"{"model":"plain","input":"\#(text)","truncate":false}"#)
            #expect(whole.status == 400 && (whole.json["error"] as? String)?.contains("at most 512 tokens") == true)
        }
    }

    @Test("What is no input is named")
    func refusals() async throws {
        try await TestServer.run(Self.models, ready: false) { server in
            for (body, field, text) in [
                ("{}", "input", "is missing"), (#"{"input":[]}"#, "input", "is empty"),
                (#"{"input":5}"#, "input", "but is a number"), (#"{"input":[5.5]}"#, "input[0]", "5.5"),
                (#"{"input":[[]]}"#, "input[0]", "has no tokens"), (#"{"input":[true]}"#, "input[0]", "true or false"),
                (#"{"input":[999999999]}"#, "input", "0 to 511"), (#"{"input":[-1]}"#, "input", "-1"),
                (#"{"input":["a",[999]]}"#, "input[1]", "999"),
                (#"{"input":"a","dimensions":97}"#, "dimensions", "from 1 to 96"),
                (#"{"input":"a","dimensions":0}"#, "dimensions", "from 1"),
                (#"{"input":"a","encoding_format":"hex"}"#, "encoding_format", "float, base64"),
                (#"{"input":"a","hearth_task":"x"}"#, "hearth_task", "query"),
                (#"{"input":"a","normalize":false}"#, "normalize", "true or null"),
                (#"{"input":"a","model":"hearth-nano"}"#, "model", "not an embedding model"),
            ] {
                let answer = try await server.post("/v1/embeddings", body)
                #expect(answer.status == 400 && answer.error["param"] as? String == field, "\(body): \(answer.text)")
                #expect((answer.error["message"] as? String)?.contains(text) == true, "\(body): \(answer.text)")
            }
            for (body, text) in [
                (#"{"model":"plain","input":["a",5]}"#, "'input[1]'"), (#"{"model":"plain","prompt":5}"#, "'prompt'"),
                (#"{"model":"plain","input":"a","dimensions":97}"#, "'dimensions'"),
                (#"{"model":"hearth-nano","input":"a"}"#, "not an embedding model"),
            ] {
                let answer = try await server.post("/api/embed", body)
                #expect(answer.status == 400 && (answer.json["error"] as? String)?.contains(text) == true)
            }
            let text = try await server.post("/v1/completions", #"{"model":"plain","prompt":"a"}"#)
            #expect(text.status == 400, "\(text.text)")
        }
    }
}
