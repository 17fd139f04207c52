internal import Foundation

/// Finds a detector's labels, which are stored in the model's metadata rather than in a classifier's label list.
///
/// | key | form |
/// |---|---|
/// | `classes` | `red,green,blue` (Create ML and coremltools' examples) |
/// | `names` | `{0: 'red', 1: 'green'}` or `["red", "green"]` (YOLO) |
/// | `com.apple.coreml.model.preview.params` | `{"labels": ["red", "green"]}` (Xcode's preview) |
package enum DetectorLabels {
    /// The labels in class order; nil if there are none.
    package static func find(_ metadata: [String: String]) -> [String]? {
        if let text = metadata["classes"], let labels = separated(text) { return labels }
        if let text = metadata["names"], let labels = numbered(text) ?? array(text) { return labels }
        if let text = metadata["com.apple.coreml.model.preview.params"],
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let labels = object["labels"] as? [String], !labels.isEmpty
        {
            return labels
        }
        return nil
    }

    private static func separated(_ text: String) -> [String]? {
        let labels = text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        return labels.allSatisfy(\.isEmpty) ? nil : labels
    }

    private static func array(_ text: String) -> [String]? {
        let labels = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String]
        return labels?.isEmpty == false ? labels : nil
    }

    /// Parses a dictionary as printed by Python; its keys must be 0, 1, 2 … in this order.
    private static func numbered(_ text: String) -> [String]? {
        var rest = Substring(text.trimmingCharacters(in: .whitespaces))
        guard rest.first == "{", rest.last == "}" else { return nil }
        rest = rest.dropFirst().dropLast()
        func skipSpace() { rest = rest.drop { $0 == " " } }
        var labels: [String] = []
        while true {
            skipSpace()
            let number = rest.prefix { $0.isASCII && $0.isNumber }
            guard Int(number) == labels.count else { return nil }
            rest = rest.dropFirst(number.count)
            skipSpace()
            guard rest.popFirst() == ":" else { return nil }
            skipSpace()
            guard let quote = rest.popFirst(), quote == "'" || quote == "\"" else { return nil }
            var label = ""
            while let character = rest.popFirst(), character != quote {
                // An escaped quote, or an escaped backslash.
                label.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
            }
            labels.append(label)
            skipSpace()
            if rest.isEmpty { return labels }
            guard rest.popFirst() == "," else { return nil }
            skipSpace()
            if rest.isEmpty { return labels }
        }
    }
}
