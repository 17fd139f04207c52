/// The checks of a request's head. A value: head in, refusal out.
///
/// Any web page that is open in a browser can send requests to this machine. Such requests are refused by their `Host`
/// (which stops DNS rebinding), by their `Origin`, by `Sec-Fetch-Site`, and by requiring a body type that a form cannot
/// send.
package struct RequestRules: Sendable {
    /// Accepted values of `Host`, including the port.
    package var hosts: Set<String>
    var token: BearerToken?
    package var limits: ServerLimits
    /// The endpoint of a path; nil for a path under which there is nothing.
    private let endpoint: @Sendable (String) -> Endpoint?

    package init(
        hosts: Set<String>, token: BearerToken? = nil, limits: ServerLimits,
        endpoint: @escaping @Sendable (String) -> Endpoint? = { Endpoint(path: $0) }
    ) {
        self.hosts = hosts
        self.token = token
        self.limits = limits
        self.endpoint = endpoint
    }

    /// The requested endpoint, and why the request is refused, if it is.
    package func judge(_ head: RequestHead) -> (Endpoint?, HTTPFailure?) {
        let endpoint = endpoint(head.path)
        let failure =
            size(head) ?? host(head) ?? origin(head) ?? site(head, endpoint) ?? place(head, endpoint)
            ?? secret(head, endpoint) ?? body(head, endpoint)
        return (endpoint, failure)
    }

    static func tooLarge(_ limit: Int) -> HTTPFailure {
        HTTPFailure(413, "body_too_large", "The body is too large. Send at most \(limit) bytes.")
    }

    static func headersTooLarge(_ allowed: String) -> HTTPFailure {
        HTTPFailure(431, "headers_too_large", "The headers are too large. Send \(allowed).")
    }

    // MARK: - Checks, in this order

    private func size(_ head: RequestHead) -> HTTPFailure? {
        // What the parser kept counts if it is larger than the number of bytes it reports.
        let kept = head.headers.reduce(head.method.utf8.count + head.path.utf8.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
        guard max(head.headerBytes, kept) > limits.headerBytes else { return nil }
        return Self.headersTooLarge("at most \(limits.headerBytes) bytes of them")
    }

    private func host(_ head: RequestHead) -> HTTPFailure? {
        let values = head.values("host")
        guard values.count == 1 else {
            return HTTPFailure(400, "bad_host", "A request has exactly one Host header. Send one, with the port.")
        }
        // An absolute target names a host too (RFC 9112, section 3.2.2): both have to be accepted.
        guard ([head.authority].compactMap(\.self) + values).allSatisfy({ hosts.contains($0.lowercased()) }) else {
            return HTTPFailure(
                403, "unknown_host",
                "This server does not go by that name. Use the address that it prints when it starts.")
        }
        return nil
    }

    private func origin(_ head: RequestHead) -> HTTPFailure? {
        let values = head.values("origin")
        if values.isEmpty { return nil }
        // The server's own page, under the host name of this request.
        guard values.count == 1, let host = head.authority ?? head.only("host"),
            values[0].lowercased() == "http://" + host.lowercased()
        else {
            return HTTPFailure(
                403, "foreign_origin", "Pages of other origins are not answered. Use the server's own page.")
        }
        return nil
    }

    private func site(_ head: RequestHead, _ endpoint: Endpoint?) -> HTTPFailure? {
        let sites = head.values("sec-fetch-site").map { $0.lowercased() }
        if sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) { return nil }
        // Links from other sites to the page are allowed.
        let isVisit =
            head.values("sec-fetch-mode") == ["navigate"] && head.values("sec-fetch-dest") == ["document"]
            && (endpoint?.isPublic ?? false) && head.method == "GET"
        return isVisit
            ? nil
            : HTTPFailure(403, "foreign_site", "Pages of other sites are not answered. Use the server's own page.")
    }

    private func place(_ head: RequestHead, _ endpoint: Endpoint?) -> HTTPFailure? {
        guard let endpoint else { return .notFound }
        if head.method == endpoint.method || head.method == "HEAD" && endpoint.method == "GET" { return nil }
        // CORS preflights are refused here too: no origin is allowed anything.
        var failure = HTTPFailure(405, "wrong_method", "This path answers \(endpoint.method) only.")
        failure.headers = [("Allow", endpoint.method == "GET" ? "GET, HEAD" : endpoint.method)]
        return failure
    }

    private func secret(_ head: RequestHead, _ endpoint: Endpoint?) -> HTTPFailure? {
        guard let token, endpoint?.isPublic != true else { return nil }
        let values = head.values("authorization")
        if values.count <= 1, token.isShown(by: values.first) { return nil }
        var failure = HTTPFailure(
            401, "invalid_api_key", "This server wants its token. Send 'Authorization: Bearer TOKEN'.")
        failure.headers = [("WWW-Authenticate", "Bearer")]
        return failure
    }

    private func body(_ head: RequestHead, _ endpoint: Endpoint?) -> HTTPFailure? {
        let framing: BodyFraming
        do { framing = try BodyFraming(head) } catch { return error }
        guard head.method == "POST" else {
            if framing == .none { return nil }
            return HTTPFailure(400, "unexpected_body", "This request has no body. Leave it out.")
        }
        guard head.values("content-encoding").isEmpty, isJSON(head, endpoint) else {
            return HTTPFailure(415, "wrong_type", "The body must be JSON. Send 'Content-Type: application/json'.")
        }
        if case .length(let length) = framing, length > limits.bodyBytes { return Self.tooLarge(limits.bodyBytes) }
        return nil
    }

    /// Some of Ollama's clients send no content type. A web page can omit it too, but not its `Origin` or
    /// `Sec-Fetch-Site`.
    private func isJSON(_ head: RequestHead, _ endpoint: Endpoint?) -> Bool {
        if let type = head.only("content-type") { return Self.isJSON(type) }
        return endpoint?.isOllama == true && !head.has("content-type") && !head.has("origin")
            && !head.has("sec-fetch-site")
    }

    /// Whether a content type is JSON, in UTF-8 if it names a charset.
    static func isJSON(_ type: String) -> Bool {
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false).map {
            $0.filter { !$0.isWhitespace && $0 != "\"" }
        }
        return parts.first == "application/json" && parts.dropFirst().allSatisfy { $0.isEmpty || $0 == "charset=utf-8" }
    }
}
