internal import Foundation
internal import HearthSystem

/// A list of image files and their labels, in CSV.
///
/// A header line may name the columns (`file`, `image`, `filename`, `path` or `picture`; `label` or `class`); without
/// one, the first cell of a line is the file and the second its label. Further columns are ignored.
package struct LabelList: Sendable, Equatable {
    /// A picture and its label.
    package struct Row: Sendable, Equatable {
        /// The file as in the list, relative to the folder of the pictures.
        package var file: String
        /// The name of a class, or its index among the model's classes, from 0.
        package var label: String
        /// Line number, from 1.
        package var line: Int
    }

    /// At least one; no file occurs twice.
    package let rows: [Row]
    private let source: String

    private static let fileColumns = ["file", "image", "filename", "path", "picture"]
    private static let labelColumns = ["label", "class"]

    /// Reads a list.
    /// - Parameter file: its name, for errors.
    /// - Throws: `ReportError.malformedLabels`, which names the row.
    package init(_ bytes: [UInt8], file: String) throws(ReportError) {
        source = file
        let text: CSVText
        do throws(CSVText.Failure) {
            text = try CSVText(bytes)
        } catch {
            throw .malformedLabels(file: file, row: error.line, problem: error.problem)
        }
        var rest = text.rows[...]
        var columns = (file: 0, label: 1)
        if let first = rest.first, let named = Self.columns(first.cells) {
            columns = named
            rest.removeFirst()
        }
        var rows: [Row] = []
        var lines: [String: Int] = [:]
        for row in rest {
            func failure(_ problem: String) -> ReportError {
                .malformedLabels(file: file, row: row.line, problem: problem)
            }
            guard row.cells.indices.contains(columns.file), row.cells.indices.contains(columns.label) else {
                throw failure(
                    "the line has \(row.cells.count == 1 ? "one cell" : "\(row.cells.count) cells") where a file and a label are needed"
                )
            }
            let name = Self.trimmed(row.cells[columns.file])
            let label = Self.trimmed(row.cells[columns.label])
            if name.isEmpty { throw failure("the line names no file") }
            if name.utf8.contains(0) { throw failure("a file's name has a NUL in it") }
            if label.isEmpty { throw failure("'\(name.prefix(120))' has no label") }
            if let earlier = lines.updateValue(row.line, forKey: Self.plain(name)) {
                throw failure("'\(name.prefix(120))' is in row \(earlier) already")
            }
            rows.append(Row(file: name, label: label, line: row.line))
        }
        guard !rows.isEmpty else { throw .malformedLabels(file: file, row: 1, problem: "the list names no picture") }
        self.rows = rows
    }

    /// The columns that a header line names; nil if the line is already a picture.
    private static func columns(_ cells: [String]) -> (file: Int, label: Int)? {
        let names = cells.map { trimmed($0).lowercased() }
        func place(_ known: [String]) -> Int? { known.lazy.compactMap { names.firstIndex(of: $0) }.first }
        guard let file = place(fileColumns), let label = place(labelColumns) else { return nil }
        return (file, label)
    }

    private static func trimmed(_ text: String) -> String {
        guard text.first?.isWhitespace == true || text.last?.isWhitespace == true else { return text }
        return text.trimmingCharacters(in: .whitespaces)
    }

    /// Normalizes a path: `./a//b.png` and `a/b.png` are one file.
    private static func plain(_ name: String) -> String {
        guard name.contains("/") else { return name }
        let parts = name.split(separator: "/").filter { $0 != "." }
        return (name.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// The index of each row's class among the model's classes.
    ///
    /// The labels of a list are either all names or all indices: they are taken as indices only if not all of them are
    /// names, so that numeric labels are names for a model whose class names are numbers.
    /// - Throws: `ReportError.malformedLabels` with the first row whose label is neither.
    package func classes(_ names: [String]) throws(ReportError) -> [Int] {
        var places: [String: Int] = [:]
        var ambiguous: Set<String> = []
        for (place, name) in names.enumerated() where places.updateValue(place, forKey: name) != nil {
            ambiguous.insert(name)
        }
        let found = rows.map { places[$0.label] }
        guard let stranger = found.firstIndex(of: nil) else {
            if let row = rows.first(where: { ambiguous.contains($0.label) }) {
                throw failure(row, "the model has several classes '\(row.label.prefix(120))': use their places, from 0")
            }
            return found.compactMap { $0 }
        }
        let numbers = rows.map { row in Int(row.label).flatMap { names.indices.contains($0) ? $0 : nil } }
        guard let wrong = numbers.firstIndex(of: nil) else { return numbers.compactMap { $0 } }
        // If names and indices are mixed, reports the first row that is neither, otherwise the first that is not a
        // name.
        let row = rows.indices.first { found[$0] == nil && numbers[$0] == nil } ?? min(stranger, max(wrong, stranger))
        let near = names.prefix(6).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
        throw failure(
            rows[row],
            "'\(rows[row].label.prefix(120))' is not a class of the model (\(names.count) classes: \(near)\(names.count > 6 ? ", …" : ""))"
        )
    }

    private func failure(_ row: Row, _ problem: String) -> ReportError {
        .malformedLabels(file: source, row: row.line, problem: problem)
    }

    /// SHA-256 over files and classes in order: lists that are equivalent have the same digest.
    package func sha256(_ classes: [Int]) -> String {
        var hash = SHA256()
        for (row, place) in zip(rows, classes) { hash.update("\(row.file.utf8.count):\(row.file)=\(place)\n".utf8) }
        return hash.finalize()
    }
}
