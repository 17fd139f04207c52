#if !canImport(Darwin)
internal import CCurl
internal import Foundation

/// HTTP exchanges over libcurl, any number at a time, all on the thread that calls `run`.
///
/// Redirects are not followed here: the policy decides where they may lead. Certificates are always verified; `CURL_CA_BUNDLE`
/// and `SSL_CERT_FILE` name other authorities, `https_proxy` and `no_proxy` a proxy, as they do for curl.
final class HTTPTransfers {
    private let library: CurlLibrary
    private let multi: OpaquePointer
    private var exchanges: [TransferID: Exchange] = [:]
    private var nextID = 0
    private let environment: [String: String]
    private let connectSeconds: Double

    /// - Throws: `libraryMissing` where there is no libcurl.
    init(environment: [String: String], connectSeconds: Double) throws(DeliveryError) {
        library = try .shared()
        guard let multi = library.multiInit() else {
            throw .unreachable(url: "libcurl", reason: "it cannot be started")
        }
        self.multi = OpaquePointer(multi)
        self.environment = environment
        self.connectSeconds = connectSeconds
    }

    deinit {
        for exchange in exchanges.values { remove(exchange) }
        _ = library.multiCleanup(UnsafeMutableRawPointer(multi))
    }

    /// Wakes `run` from another thread; must not be called after this object is gone.
    var wakeUp: @Sendable () -> Void {
        let address = UInt(bitPattern: multi)
        let wakeUp = library.multiWakeUp
        return { _ = wakeUp(UnsafeMutableRawPointer(bitPattern: address)) }
    }

    func start(_ request: TransferRequest) throws(DeliveryError) -> TransferID {
        guard let curl = library.easyInit() else {
            throw .unreachable(url: request.address.shown, reason: "libcurl has no memory")
        }
        nextID += 1
        let exchange = Exchange(
            id: nextID, curl: curl, library: library, request: request, isProxied: isProxied(request.address))
        exchanges[nextID] = exchange
        configure(exchange)
        _ = library.multiAdd(UnsafeMutableRawPointer(multi), curl)
        return nextID
    }

    func cancel(_ id: TransferID) {
        if let exchange = exchanges.removeValue(forKey: id) { remove(exchange) }
    }

    /// Waits for events, at most `seconds`, and passes them to the handler.
    func run(for seconds: Double, handler: any TransferHandler) {
        let multi = UnsafeMutableRawPointer(multi)
        _ = library.multiPoll(multi, nil, 0, Int32(seconds * 1000), nil)
        var running: Int32 = 0
        for exchange in exchanges.values { exchange.handler = handler }
        _ = library.multiPerform(multi, &running)
        var result = CURLE_OK
        var ended: [(Exchange, CURLcode)] = []
        while let curl = hearth_curl_next_finished(library.messageReader, multi, &result) {
            if let exchange = exchanges.values.first(where: { $0.curl == curl }) { ended.append((exchange, result)) }
        }
        for (exchange, result) in ended {
            exchanges[exchange.id] = nil
            let end = exchange.end(result)
            remove(exchange)
            handler.transfer(exchange.id, ended: end)
        }
        for exchange in exchanges.values { exchange.handler = nil }
    }

    private func remove(_ exchange: Exchange) {
        _ = library.multiRemove(UnsafeMutableRawPointer(multi), exchange.curl)
        library.easyCleanup(exchange.curl)
        library.listFree(exchange.fields)
        exchange.fields = nil
    }

    /// Whether a proxy may be in use: then the address that is connected to says nothing about the server.
    private func isProxied(_ address: DownloadAddress) -> Bool {
        address.scheme == .https
            && ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains { !(environment[$0] ?? "").isEmpty }
    }

    private func configure(_ exchange: Exchange) {
        let curl = exchange.curl
        let request = exchange.request
        let setter = library.setter
        func set(_ option: CURLoption, _ value: Int) { _ = hearth_curl_set_long(setter, curl, option, value) }
        _ = hearth_curl_set_string(setter, curl, CURLOPT_URL, request.address.text)
        _ = hearth_curl_allow_http_only(setter, curl)
        hearth_curl_leave_quickly(setter, curl)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(connectSeconds * 1000))
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_BUFFERSIZE, 1 << 18)
        // One connection per range: several ranges in one HTTP/2 connection would share a flow-control window.
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        // This machine's own servers are never reached through a proxy.
        if request.address.scheme == .http { _ = hearth_curl_set_string(setter, curl, CURLOPT_PROXY, "") }
        if let authorities = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].lazy.compactMap({ self.environment[$0] }).first {
            _ = hearth_curl_set_string(setter, curl, CURLOPT_CAINFO, authorities)
        }
        var fields = library.listAppend(nil, "Accept-Encoding: identity")
        fields = library.listAppend(fields, "User-Agent: hearth")
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) {
            fields = library.listAppend(fields, "\(name): \(value)")
        }
        exchange.fields = fields
        _ = hearth_curl_set_list(setter, curl, CURLOPT_HTTPHEADER, fields)
        _ = hearth_curl_set_pointer(setter, curl, CURLOPT_ERRORBUFFER, exchange.errorText)
        // The exchange must outlive its handle: it is released after curl_easy_cleanup.
        let pointer = Unmanaged.passUnretained(exchange).toOpaque()
        _ = hearth_curl_set_pointer(setter, curl, CURLOPT_HEADERDATA, pointer)
        _ = hearth_curl_set_pointer(setter, curl, CURLOPT_WRITEDATA, pointer)
        _ = hearth_curl_set_pointer(setter, curl, CURLOPT_OPENSOCKETDATA, pointer)
        _ = hearth_curl_set_data_function(setter, curl, CURLOPT_HEADERFUNCTION) { data, size, count, pointer in
            guard let data, let pointer else { return 0 }
            let line = UnsafeRawBufferPointer(start: data, count: size * count)
            return Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue().receive(headerLine: line)
                ? size * count : 0
        }
        _ = hearth_curl_set_data_function(setter, curl, CURLOPT_WRITEFUNCTION) { data, size, count, pointer in
            guard let data, let pointer else { return 0 }
            let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
            return Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue().receive(bytes) ? size * count : 0
        }
        _ = hearth_curl_set_open_socket(setter, curl) { pointer, _, address in
            guard let pointer, let address else { return -1 }
            return Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue().openSocket(address)
        }
    }
}

/// One request and the state of its response.
private final class Exchange {
    private static let mostHeaderBytes = 64 << 10

    let id: TransferID
    let curl: UnsafeMutableRawPointer
    private let library: CurlLibrary
    let request: TransferRequest
    let isProxied: Bool
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    var fields: UnsafeMutablePointer<curl_slist>?
    weak var handler: (any TransferHandler)?
    private var status = 0
    private var headers: [String: String] = [:]
    private var headerBytes = 0
    private var isAnnounced = false
    private var isStopped = false
    private var refusal: String?

    init(
        id: TransferID, curl: UnsafeMutableRawPointer, library: CurlLibrary, request: TransferRequest, isProxied: Bool
    ) {
        self.id = id
        self.curl = curl
        self.library = library
        self.request = request
        self.isProxied = isProxied
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    /// A status line begins a new head (after a 100 or 103), an empty line ends it.
    func receive(headerLine bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.mostHeaderBytes else {
            refusal = "the server's answer has more than 64 KiB of headers"
            return false
        }
        // Trailer fields are ignored.
        if isAnnounced { return true }
        let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if line.hasPrefix("HTTP/") {
            headers = [:]
            status = line.split(separator: " ").dropFirst().first.flatMap { TransferResponse.natural($0) } ?? 0
        } else if line.isEmpty {
            return status >= 200 ? announce() : true
        } else if let colon = line.firstIndex(of: ":") {
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
        return true
    }

    private func announce() -> Bool {
        isAnnounced = true
        let location = headers["location"].flatMap { URL(string: $0, relativeTo: URL(string: request.address.text)) }
        var peer: UnsafeMutablePointer<CChar>?
        if !isProxied { _ = hearth_curl_get_string(library.getter, curl, CURLINFO_PRIMARY_IP, &peer) }
        let response = TransferResponse(
            status: status, headers: headers, location: location?.absoluteString,
            peer: peer.flatMap { RemoteAddress.Kind(literal: String(cString: $0)) })
        let isWanted = handler?.transfer(id, received: response) ?? false
        isStopped = !isWanted
        return isWanted
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isWanted = handler?.transfer(id, received: bytes) ?? false
        isStopped = !isWanted
        return isWanted
    }

    /// The final check of where a connection may go: by now names have been resolved.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let family = address.pointee.family
        if !isProxied, family == AF_INET || family == AF_INET6 {
            let offset = family == AF_INET ? 4 : 8
            let size = family == AF_INET ? 4 : 16
            let bytes = withUnsafeBytes(of: &address.pointee.addr) { start in
                // curl passes the whole address, although only its first 16 bytes are declared.
                Array(UnsafeRawBufferPointer(start: start.baseAddress.map { $0 + offset }, count: size))
            }
            guard let kind = RemoteAddress(bytes: bytes)?.kind, request.rule.allows(kind) else {
                refusal = "its name leads to an address in a private network"
                return -1
            }
        }
        return socket(family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    }

    func end(_ result: CURLcode) -> TransferEnd {
        if let refusal { return .refused(reason: refusal) }
        if isStopped { return .stopped }
        if result == CURLE_OK { return isAnnounced ? .complete : .failed(reason: "the server did not answer") }
        let detail = String(cString: errorText)
        let reason =
            detail.isEmpty
            ? library.easyError(result).map { String(cString: $0) } ?? "error \(result.rawValue)" : detail
        switch result {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_URL_MALFORMAT,
            CURLE_UNSUPPORTED_PROTOCOL, CURLE_SSL_ISSUER_ERROR:
            return .refused(reason: reason)
        // The error for a header line of more than 100 kB.
        case CURLE_OUT_OF_MEMORY where !isAnnounced:
            return .refused(reason: "the head of the server's answer is too long")
        default: return .failed(reason: reason)
        }
    }
}
#endif
