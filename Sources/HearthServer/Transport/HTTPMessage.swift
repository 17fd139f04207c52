internal import Foundation

/// What a request says before its body.
package struct RequestHead: Sendable {
    /// As it came: `GET`.
    package var method: String
    /// Without the query, and with its escapes as they came.
    package var path: String
    /// What stood behind the question mark.
    package var query: [(name: String, value: String)] = []
    /// Where the target was a whole address: whom it names, in the place of `Host`.
    package var authority: String?
    /// Names in lower case, in the order in which they came; a name may come more than once.
    package var headers: [(name: String, value: String)]
    /// Of the request's line and all headers.
    package var headerBytes: Int
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    package var minorVersion = 1

    package init(
        method: String, path: String, query: [(name: String, value: String)] = [], authority: String? = nil,
        headers: [(name: String, value: String)], headerBytes: Int, minorVersion: Int = 1
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authority = authority
        self.headers = headers
        self.headerBytes = headerBytes
        self.minorVersion = minorVersion
    }

    /// All values of a header.
    package func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
    /// The value of a header that came exactly once; nil for none and for several.
    package func only(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }
    /// Whether a header came at all.
    package func has(_ name: String) -> Bool { headers.contains { $0.name == name } }
    /// Whether a header that is a list holds a word.
    package func lists(_ word: String, in name: String) -> Bool {
        values(name).contains { value in
            value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == word }
        }
    }
    /// Whether the client wants the connection again after this request.
    package var keepsAlive: Bool { minorVersion > 0 && !lists("close", in: "connection") }
}

/// A whole request.
package struct ServerRequest: Sendable {
    var head: RequestHead
    var endpoint: Endpoint
    var body: [UInt8]

    package init(head: RequestHead, endpoint: Endpoint, body: [UInt8]) {
        self.head = head
        self.endpoint = endpoint
        self.body = body
    }
}

/// A whole answer.
package struct ServerResponse: Sendable {
    package var status: Int
    var headers: [(name: String, value: String)]
    package var body: [UInt8]

    init(status: Int = 200, type: String, headers: [(name: String, value: String)] = [], body: [UInt8]) {
        self.status = status
        self.headers = [("Content-Type", type)] + headers
        self.body = body
    }

    /// One JSON object.
    init(status: Int = 200, json: some Encodable) {
        self.init(
            status: status, type: "application/json", headers: [("Cache-Control", "no-store")],
            body: JSONText.bytes(json)
        )
    }

    /// A refusal, in the form that clients of the endpoint read.
    init(_ failure: HTTPFailure, for endpoint: Endpoint?) {
        if endpoint?.isOllama == true {
            self.init(status: failure.status, json: OllamaError(failure))
        } else {
            self.init(status: failure.status, json: failure.envelope)
        }
        headers += failure.headers
    }
}

/// JSON as the server writes it: keys in order, one line.
enum JSONText {
    static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What the server writes holds no number that JSON has no word for.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }
}
