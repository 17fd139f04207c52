/// What a request's head has to be. A value: head in, refusal out.
///
/// A page of the web that somebody has open in a browser can send requests to this machine. It is kept out by the names under
/// which the server may be asked for (a name that was rebound to this machine is none of them), by the origin that the browser
/// puts on such requests, by `Sec-Fetch-Site`, and by a body type that a form cannot send.
package struct RequestRules: Sendable {
    /// Values of `Host` that are this server, port included.
    package var hosts: Set<String>
    var token: BearerToken?
    package var limits: ServerLimits

    package init(hosts: Set<String>, token: BearerToken? = nil, limits: ServerLimits) {
        self.hosts = hosts
        self.token = token
        self.limits = limits
    }

    /// What the head asks for, and why it does not get it.
    package func judge(_ head: RequestHead) -> (Endpoint?, HTTPFailure?) {
        let endpoint = Endpoint(path: head.path)
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

    // MARK: - In this order

    private func size(_ head: RequestHead) -> HTTPFailure? {
        // What the parser kept counts where it is more than what it says that it read.
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
        // A target that is a whole address names the server as well (RFC 9112, section 3.2.2): neither may name another one.
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
        // Its own page, under the very name that the request came for.
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
        // A link to the page may be followed from anywhere.
        let isVisit =
            head.values("sec-fetch-mode") == ["navigate"] && head.values("sec-fetch-dest") == ["document"]
            && (endpoint?.isPublic ?? false) && head.method == "GET"
        return isVisit
            ? nil
            : HTTPFailure(403, "foreign_site", "Pages of other sites are not answered. Use the server's own page.")
    }

    private func place(_ head: RequestHead, _ endpoint: Endpoint?) -> HTTPFailure? {
        guard let endpoint else {
            return HTTPFailure(
                404, "not_found", "There is nothing under this path. See 'hearth help serve' for what there is.")
        }
        if head.method == endpoint.method || head.method == "HEAD" && endpoint.method == "GET" { return nil }
        // A preflight ends here as well: nothing is allowed to anybody.
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
            return HTTPFailure(415, "wrong_type", "The body has to be JSON. Send 'Content-Type: application/json'.")
        }
        if case .length(let length) = framing, length > limits.bodyBytes { return Self.tooLarge(limits.bodyBytes) }
        return nil
    }

    /// Some of Ollama's clients send no type. A page can leave it out as well, but not who it is.
    private func isJSON(_ head: RequestHead, _ endpoint: Endpoint?) -> Bool {
        if let type = head.only("content-type") { return Self.isJSON(type) }
        return endpoint?.isOllama == true && !head.has("content-type") && !head.has("origin")
            && !head.has("sec-fetch-site")
    }

    /// `application/json`, in UTF-8 if it says so.
    static func isJSON(_ type: String) -> Bool {
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false).map {
            $0.filter { !$0.isWhitespace && $0 != "\"" }
        }
        return parts.first == "application/json" && parts.dropFirst().allSatisfy { $0.isEmpty || $0 == "charset=utf-8" }
    }
}
