import Foundation
import HearthSafety
import HearthServer
import HearthText

extension FuzzTarget {
    /// What a client sends. The first byte chooses: a whole message, or the body for an endpoint. A message is read alike in
    /// whatever pieces it comes. A body becomes a request whose
    /// numbers are in their ranges, or a refusal; what is let in is what the rules say.
    static let http = FuzzTarget(name: "http", longestInput: 8 << 10) {
        { bytes in
            var input = FuzzInput(bytes)
            let guarded = JSONGuard(limits: ServerLimits())
            switch input.byte() % 4 {
            case 0: HTTPChecks.message(input.bytes)
            case 1:
                guard let request = try? guarded.decode(ChatRequest.self, from: input.bytes) else { return }
                HTTPChecks.check(request.options)
                require((1...ChatRequest.mostMessages).contains(request.messages.count), "messages")
                require(request.messages.allSatisfy { $0.content.utf8.count <= 8 << 10 }, "more text than was sent")
            case 2:
                guard let request = try? guarded.decode(CompletionRequest.self, from: input.bytes) else { return }
                HTTPChecks.check(request.options)
            default:
                // Both take an "input".
                _ = try? guarded.decode(EmbeddingRequest.self, from: input.bytes)
                HTTPChecks.moderate(input.bytes)
            }
        }
    } seeds: {
        let bodies: [(UInt8, String)] = [
            (
                0,
                "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
            ),
            (
                0,
                "GET / HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: http://localhost:8080\r\nSec-Fetch-Site: same-origin\r\n\r\n"
            ),
            (
                0,
                "GET http://127.0.0.1:8080/health?a=%41+b HTTP/1.0\r\nHost: 127.0.0.1:8080\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n"
            ),
            (
                0,
                "POST /v1/completions HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\n{\"pro\r\n0a\r\nmpt\":\"hi\"}\r\n0\r\nA: b\r\n\r\n"
            ),
            (
                1,
                #"{"model":"a","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Hi"}]}],"temperature":0.5,"top_p":1,"max_tokens":16,"max_completion_tokens":5,"seed":-1,"stop":["a","b"],"stream":true,"stream_options":{"include_usage":true},"hearth_filter":true,"hearth_language":"pt-BR","n":1,"logit_bias":{},"response_format":{"type":"text"}}"#
            ),
            (2, #"{"prompt":["Once upon a time"],"stop":"\n","echo":false,"best_of":1,"suffix":"","tools":[]}"#),
            (2, #"{"prompt":[1,2,3],"temperature":2,"top_p":0,"seed":9223372036854775807,"top_logprobs":0}"#),
            (3, #"{"input":["The fox killed the hen.","Good night."],"language":"en"}"#),
            (3, #"{"input":["a",[1,2]],"encoding_format":"base64","dimensions":64,"normalize":true}"#),
            (3, #"{"input":"🐉 \u0000 \ud83d\ude00"}"#),
        ]
        return Dictionary(
            uniqueKeysWithValues: bodies.enumerated().map { ("\($0)", [$1.0] + Array($1.1.utf8)) })
    }
}

private enum HTTPChecks {
    static let rules = RequestRules(hosts: ["127.0.0.1:8080", "localhost:8080"], token: nil, limits: ServerLimits())

    /// Head and body as they come over a connection.
    static func message(_ bytes: [UInt8]) {
        let limit = rules.limits.headerBytes
        var whole = HTTPHeadParser(limit: limit)
        var piecewise = HTTPHeadParser(limit: limit)
        let parsed = Result { () throws(HTTPFailure) in try whole.parse(bytes) }
        // What came of the head so far, some bytes more each time.
        let inPieces = Result { () throws(HTTPFailure) -> (head: RequestHead, count: Int)? in
            for end in Array(stride(from: 1, to: bytes.count, by: 37)) + [bytes.count] {
                if let found = try piecewise.parse(Array(bytes[..<end])) { return found }
            }
            return nil
        }
        guard case .success(let found) = parsed else {
            guard case .failure = inPieces else { return require(false, "refused whole, not in pieces") }
            return
        }
        guard case .success(let other) = inPieces else { return require(false, "refused in pieces, not whole") }
        require(found?.count == other?.count && found?.head.path == other?.head.path, "another head in pieces")
        guard let found else { return }
        require(found.head.headers.allSatisfy { !$0.name.isEmpty && !$0.value.contains("\r\n") }, "a line in a header")
        head(found.head)
        if case .chunked? = try? BodyFraming(found.head) { chunks(bytes[found.count...]) }
    }

    /// A chunked body is the same in pieces as whole; written as one chunk, it is read as that.
    private static func chunks(_ bytes: ArraySlice<UInt8>) {
        func read(_ bytes: ArraySlice<UInt8>, by length: Int) -> (data: [UInt8], isWhole: Bool, left: Int)? {
            var body = ChunkedBody()
            var data: [UInt8] = []
            var from = bytes.startIndex
            while from < bytes.endIndex {
                let end = min(from + length, bytes.endIndex)
                var piece = bytes[from..<end]
                guard let isWhole = try? body.take(&piece, { data += $0 }) else { return nil }
                if isWhole { return (data, true, piece.count + bytes.endIndex - end) }
                from = end
            }
            return (data, false, 0)
        }
        let whole = read(bytes, by: .max >> 1)
        let inPieces = read(bytes, by: 3)
        require((whole == nil) == (inPieces == nil), "chunks refused whole, or in pieces")
        guard let whole, let inPieces else { return }
        require(whole == inPieces, "another body in pieces")
        guard whole.isWhole, !whole.data.isEmpty else { return }
        let again = Array("\(String(whole.data.count, radix: 16))\r\n".utf8) + whole.data + Array("\r\n0\r\n\r\n".utf8)
        require(read(again[...], by: 5).map { $0 == (whole.data, true, 0) } ?? false, "another body when written again")
    }

    private static func head(_ head: RequestHead) {
        let (endpoint, failure) = rules.judge(head)
        if let failure {
            require((400..<500).contains(failure.status), "the status \(failure.status)")
            return
        }
        require(endpoint != nil, "an answer without an endpoint")
        let hosts = head.values("host")
        require(hosts.count == 1 && rules.hosts.contains(hosts[0].lowercased()), "another host: \(hosts)")
        let origins = head.values("origin").map { $0.lowercased() }
        require(
            origins.allSatisfy { $0 == "http://" + (head.authority ?? hosts[0]).lowercased() },
            "another origin: \(origins)")
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
        require((1...16).contains(options.answers), "n")
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
                ServerRequest(head: head, endpoint: endpoint, body: body))
            require((try? JSONSerialization.jsonObject(with: Data(answer.body))) != nil, "an answer that is no JSON")
        } catch {
            require(error is HTTPFailure, "an error of another kind: \(error)")
        }
    }
}
