internal import CHearthPage

/// An embedded file of the page.
package struct PageFile: Sendable, Equatable {
    /// Its name in `CHearthPage`.
    let name: String

    /// The names of all files.
    static let names: Set<String> = Set(
        (0..<hearth_page_count()).compactMap { hearth_page_name($0).map { String(cString: $0) } })
    private static let index = "index.html"
    private static let worker = "worker.js"

    /// - Parameters:
    ///   - path: `/` for the page, `/page/NAME` for its resources; nil for anything else.
    ///   - folder: the folder of the page's files; empty for the story page.
    init?(path: String, in folder: String = "") {
        let name = path == "/" ? Self.index : path.hasPrefix("/page/") ? String(path.dropFirst(6)) : ""
        // The page has one address only, so that it has one history.
        guard Self.names.contains(folder + name), !name.contains("/"), name != Self.index || path == "/" else {
            return nil
        }
        self.name = folder + name
    }

    private var type: String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "webmanifest": "application/manifest+json; charset=utf-8"
        case "svg": "image/svg+xml; charset=utf-8"
        case "woff2": "font/woff2"
        default: "application/octet-stream"
        }
    }

    /// Only this server's own resources; no frames, no forms, no requests to other hosts.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
        + "media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    func response() -> ServerResponse {
        let file = hearth_page(name)
        let bytes = file.start.map { Array(UnsafeBufferPointer(start: $0, count: file.count)) } ?? []
        // The style sheet asks for a font with its digest as the query: another font has another address.
        let isFont = name.hasSuffix(".woff2")
        var headers = [("Cache-Control", isFont ? "max-age=31536000, immutable" : "no-cache")]
        // The service worker controls `/`, which is above its own folder.
        if name == Self.worker { headers.append(("Service-Worker-Allowed", "/")) }
        return ServerResponse(type: type, headers: headers, body: bytes)
    }
}
