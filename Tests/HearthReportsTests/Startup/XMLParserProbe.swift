import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Says whether a text is well-formed XML.
final class XMLParserProbe: NSObject, XMLParserDelegate {
    private(set) var problem: String?

    func accepts(_ text: String) -> Bool {
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        guard parser.parse() else {
            problem = "line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "")"
            return false
        }
        return true
    }
}
