/// Builds HTML and SVG. External text has to pass through `text` or an attribute, both of which escape it.
package enum HTML {
    /// Text between tags or inside quoted attributes (HTML, section 13.1.2.3). Non-printing characters are made
    /// visible, so that a name cannot reverse the text around it.
    package static func text(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                    result += "␛{\(String(scalar.value, radix: 16))}"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
    }

    /// `<name key="value">content</name>`; the content is markup.
    package static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String>, _ content: String
    ) -> String {
        let list = attributes.map { " \($0.key)=\"\(text($0.value))\"" }.joined()
        return content.isEmpty && voids.contains(name) ? "<\(name)\(list)/>" : "<\(name)\(list)>\(content)</\(name)>"
    }

    package static func element(_ name: String, _ content: String) -> String { element(name, [:], content) }

    private static let voids: Set<String> = ["circle", "line", "rect", "path"]

    /// A coordinate, to a tenth of a pixel.
    package static func coordinate(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10)
            ? String(tenths / 10) : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// A self-contained page that loads and runs nothing. `title` is plain text, `body` markup.
    package static func page(title: String, style: String, body: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(text(title))</title>
        <style>\(style)</style>
        </head>
        <body>
        <main>
        \(body)
        </main>
        </body>
        </html>

        """
    }
}
