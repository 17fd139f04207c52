import Foundation
import HearthSafety
import HearthServer
import HearthText

extension FuzzTarget {
    /// What a client sends. The first byte chooses: a request's head, or the body for an endpoint. A body becomes a request whose
    /// numbers are in their ranges, or a refusal; what is let in is what the rules say.
    static let http = FuzzTarget(name: "http", longestInput: 8 << 10) {
        { bytes in
            var input = FuzzInput(bytes)
            let guarded = JSONGuard(limits: ServerLimits())
            switch input.byte() % 4 {
            case 0: HTTPChecks.head(input.text)
            case 1:
                guard let request = try? guarded.decode(ChatRequest.self, from: input.bytes) else { return }
                HTTPChecks.check(request.options)
                require((1...ChatRequest.mostMessages).contains(request.messages.count), "messages")
                require(request.messages.allSatisfy { $0.content.utf8.count <= 8 << 10 }, "more text than was sent")
            case 2:
                guard let request = try? guarded.decode(CompletionRequest.self, from: input.bytes) else { return }
                HTTPChecks.check(request.options)
            default: HTTPChecks.moderate(input.bytes)
            }
        }
    } seeds: {
        let bodies: [(UInt8, String)] = [
            (
                0,
                "POST /v1/chat/completions\nhost: 127.0.0.1:8080\ncontent-type: application/json\ncontent-length: 20\n"
            ),
            (0, "GET /\nhost: localhost:8080\norigin: http://localhost:8080\nsec-fetch-site: same-origin\n"),
            (0, "GET /health\nhost: 127.0.0.1:8080\nsec-fetch-mode: navigate\nsec-fetch-dest: document\n"),
            (0, "POST /api/story/0123456789abcdef/stop\nhost: 127.0.0.1:8080\ntransfer-encoding: chunked\n"),
            (
                1,
                #"{"model":"a","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Hi"}]}],"temperature":0.5,"top_p":1,"max_tokens":16,"max_completion_tokens":5,"seed":-1,"stop":["a","b"],"stream":true,"stream_options":{"include_usage":true},"hearth_filter":true,"hearth_language":"pt-BR","n":1,"logit_bias":{},"response_format":{"type":"text"}}"#
            ),
            (2, #"{"prompt":["Once upon a time"],"stop":"\n","echo":false,"best_of":1,"suffix":"","tools":[]}"#),
            (2, #"{"prompt":[1,2,3],"temperature":2,"top_p":0,"seed":9223372036854775807,"top_logprobs":0}"#),
            (3, #"{"input":["The fox killed the hen.","Good night."],"language":"en"}"#),
            (3, #"{"input":"🐉 \u0000 \ud83d\ude00"}"#),
        ]
        return Dictionary(
            uniqueKeysWithValues: bodies.enumerated().map { ("\($0)", [$1.0] + Array($1.1.utf8)) })
    }
}

private enum HTTPChecks {
    static let rules = RequestRules(hosts: ["127.0.0.1:8080", "localhost:8080"], token: nil, limits: ServerLimits())

    /// A line with method and path, then headers.
    static func head(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 1)
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        let head = RequestHead(
            method: String(words.first ?? ""), path: words.count > 1 ? String(words[1]) : "", headers: headers,
            headerBytes: text.utf8.count)
        let (endpoint, failure) = rules.judge(head)
        if let failure {
            require((400..<500).contains(failure.status), "the status \(failure.status)")
            return
        }
        require(endpoint != nil, "an answer without an endpoint")
        let hosts = head.values("host")
        require(hosts.count == 1 && rules.hosts.contains(hosts[0].lowercased()), "another host: \(hosts)")
        let origins = head.values("origin").map { $0.lowercased() }
        require(origins.allSatisfy { $0 == "http://" + hosts[0].lowercased() }, "another origin: \(origins)")
        require(head.values("content-length").count + head.values("transfer-encoding").count <= 1, "two lengths")
        if let length = head.only("content-length") {
            require(Int(length).map { (0...rules.limits.bodyBytes).contains($0) } ?? false, "the length \(length)")
        }
        if head.method == "POST" {
            require(head.only("content-type")?.lowercased().contains("application/json") == true, "another type")
        }
    }

    static func check(_ options: TextOptions) {
        require((1...1_000_000).contains(options.maximumTokens ?? 1), "tokens")
        require((0...2).contains(options.temperature ?? 0), "temperature")
        require((0...1).contains(options.topP ?? 0), "top_p")
        require(options.stop.count <= TextOptions.mostStops, "stops")
        do {
            try options.sampling(SamplingOptions()).validate()
        } catch {
            require(false, "options that are not valid: \(error)")
        }
    }

    static func moderate(_ body: [UInt8]) {
        guard let endpoint = Endpoint(path: "/v1/moderations") else { return }
        let head = RequestHead(method: "POST", path: "/v1/moderations", headers: [], headerBytes: 0)
        do {
            let answer = try ModerationEndpoint(limits: ServerLimits()).answer(
                HTTPRequest(head: head, endpoint: endpoint, body: body))
            require((try? JSONSerialization.jsonObject(with: Data(answer.body))) != nil, "an answer that is no JSON")
        } catch {
            require(error is HTTPFailure, "an error of another kind: \(error)")
        }
    }
}
