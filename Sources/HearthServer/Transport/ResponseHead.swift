internal import Foundation

/// The head of a response.
enum ResponseHead {
    /// The length of the body.
    enum Length { case known(Int), chunked, untilTheEnd }

    /// - Parameters:
    ///   - common: headers of every response.
    ///   - closes: whether the connection is closed after this response.
    static func bytes(
        _ response: ServerResponse, _ length: Length, common: [(name: String, value: String)], closes: Bool
    ) -> [UInt8] {
        var text = "HTTP/1.1 \(response.status) \(reason(response.status))\r\nDate: \(date())\r\n"
        for (name, value) in response.headers + common where name != "Connection" { text += "\(name): \(value)\r\n" }
        switch length {
        // A status without a body has no Content-Length (RFC 9110, section 8.6).
        case .known where response.status == 204: break
        case .known(let count): text += "Content-Length: \(count)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .untilTheEnd: break
        }
        if closes { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Tells the client to send the body.
    static let proceed = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Answer"
        }
    }

    /// RFC 9110, section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
