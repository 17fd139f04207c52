internal import Foundation

/// The head of a request.
package struct RequestHead: Sendable {
    /// As sent: `GET`.
    package var method: String
    /// Without the query; escapes are kept.
    package var path: String
    /// The fields after the question mark.
    package var query: [(name: String, value: String)] = []
    /// The host of an absolute target, which takes the place of `Host`.
    package var authority: String?
    /// Names in lower case, in the order sent; a name may occur more than once.
    package var headers: [(name: String, value: String)]
    /// Size of the request line and all headers.
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
    /// The value of a header that occurs exactly once; nil otherwise.
    package func only(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }
    /// Whether a header is present.
    package func has(_ name: String) -> Bool { headers.contains { $0.name == name } }
    /// Whether a comma-separated header contains a word.
    package func lists(_ word: String, in name: String) -> Bool {
        values(name).contains { value in
            value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == word }
        }
    }
    /// Whether the client wants to reuse the connection.
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

/// A whole response.
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

    /// A failure, in the format that clients of the endpoint expect.
    init(_ failure: HTTPFailure, for endpoint: Endpoint?, at path: String) {
        if endpoint?.isOllama ?? OllamaRoute.isLacking(path) {
            self.init(status: failure.status, json: OllamaError(failure))
        } else {
            self.init(status: failure.status, json: failure.envelope)
        }
        headers += failure.headers
    }
}

/// JSON as the server writes it: sorted keys, one line.
enum JSONText {
    static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The server's values hold no number that JSON cannot express.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }
}
