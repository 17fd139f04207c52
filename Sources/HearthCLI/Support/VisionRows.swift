import Foundation
import HearthImages
import HearthSystem
package import HearthVision

/// A label with its confidence, as JSON.
struct ClassificationRow: Encodable, Equatable {
    var label: String
    var confidence: Float

    init(_ result: Classification) { (label, confidence) = (result.label, result.confidence) }
}

/// A box with its label, as JSON: fractions of the image's sides, from the top left corner.
struct DetectionRow: Encodable, Equatable {
    struct Box: Encodable, Equatable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
    }

    var label: String
    var confidence: Float
    var box: Box

    init(_ result: Detection) {
        (label, confidence) = (result.label, result.confidence)
        box = Box(x: result.box.x, y: result.box.y, width: result.box.width, height: result.box.height)
    }
}

/// A row of either kind, for commands that support both kinds of models.
enum SeenRow: Encodable {
    case classification(ClassificationRow)
    case detection(DetectionRow)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .classification(let row): try row.encode(to: encoder)
        case .detection(let row): try row.encode(to: encoder)
        }
    }
}

/// Results for images as text. Pure.
package enum SeenText {
    /// Width of the longest bar in columns.
    static let barWidth = 20

    /// A bar in eighths of a column, for a share from 0 to 1.
    package static func bar(_ share: Float, width: Int = barWidth) -> String {
        let eighths = Int((Float(width * 8) * min(max(share, 0), 1)).rounded())
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let text = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
        return text.padded(to: width)
    }

    /// A right-aligned percentage such as `99.8 %`; `1e+32 %` for a model that returns scores instead of probabilities.
    package static func percent(_ share: Float) -> String {
        let tenths = (share * 1000).rounded()
        let text =
            abs(tenths) < 1e7
            ? "\(Int(tenths) / 10).\(Int(tenths) % 10) %" : String(format: "%.4g %%", Double(share) * 100)
        return text.leftPadded(to: 7)
    }

    /// Lines for one image: its name, then label, confidence and bar in columns.
    /// - Parameter dim: formats less important text on a terminal.
    package static func lines(_ name: String, _ results: [Classification], bars: Bool, dim: (String) -> String)
        -> [String]
    {
        guard !results.isEmpty else { return ["\(name)  \(dim("nothing above the threshold"))"] }
        let width = results.map { $0.label.withVisibleControls.count }.max() ?? 0
        return [name]
            + results.map { result in
                let label = result.label.withVisibleControls.padded(to: width)
                let line = "  \(label)  \(percent(result.confidence))" + (bars ? "  \(bar(result.confidence))" : "")
                return line.withoutTrailingSpaces
            }
    }

    /// Lines for one image: its name, then label, confidence and box in pixels.
    package static func lines(
        _ name: String, _ results: [Detection], width: Int, height: Int, dim: (String) -> String
    ) -> [String] {
        guard !results.isEmpty else { return ["\(name)  \(dim("nothing above the threshold"))"] }
        let column = results.map { $0.label.withVisibleControls.count }.max() ?? 0
        return [name]
            + results.map { result in
                let box = result.box
                func pixels(_ share: Double, _ size: Int) -> Int { Int((share * Double(size)).rounded()) }
                let place =
                    "\(pixels(box.width, width)) × \(pixels(box.height, height)) "
                    + "at \(pixels(box.x, width)), \(pixels(box.y, height))"
                let label = result.label.withVisibleControls.padded(to: column)
                return "  \(label)  \(percent(result.confidence))  \(dim(place))"
            }
    }

    /// The result of one frame on a single line.
    static func brief(_ results: [Classification]) -> String {
        results.map { "\($0.label.withVisibleControls) \(trimmedFront(percent($0.confidence)))" }
            .joined(separator: ", ")
    }

    private static func trimmedFront(_ text: String) -> String { String(text.drop { $0 == " " }) }
}
