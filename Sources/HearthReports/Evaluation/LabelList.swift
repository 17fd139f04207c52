internal import Foundation
internal import HearthSystem

/// A list of image files and their labels, in CSV.
///
/// A header line may name the columns (`file`, `image`, `filename`, `path` or `picture`; `label` or `class`); without
/// one, the first cell of a line is the file and the second its label. Further columns are ignored, except for models that
/// return several numbers: then each column is one of them.
package struct LabelList: Sendable, Equatable {
    /// A picture and its label.
    package struct Row: Sendable, Equatable {
        /// The file as in the list, relative to the folder of the pictures.
        package var file: String
        /// The name of a class, or its index among the model's classes, from 0.
        package var label: String
        /// All cells but the file.
        fileprivate var cells: [String]
        /// Line number, from 1.
        package var line: Int
    }

    /// At least one; no file occurs twice.
    package let rows: [Row]
    /// The names of the columns but that of the file; nil without a header line.
    private let names: [String]?
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
        var names: [String]?
        if let first = rest.first, let named = Self.columns(first.cells, before: rest.dropFirst().first?.cells) {
            columns = named
            names = Self.others(first.cells, than: named.file)
            rest.removeFirst()
        }
        self.names = names
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
            let others = Self.others(row.cells, than: columns.file)
            rows.append(Row(file: name, label: label, cells: others, line: row.line))
        }
        guard !rows.isEmpty else { throw .malformedLabels(file: file, row: 1, problem: "the list names no picture") }
        self.rows = rows
    }

    /// The columns that a header line names; nil if the line is already a picture.
    ///
    /// Columns of numbers may have any name: a line that names the file is a header if numbers are below its other cells.
    private static func columns(_ cells: [String], before next: [String]?) -> (file: Int, label: Int)? {
        let names = cells.map { trimmed($0).lowercased() }
        func place(_ known: [String]) -> Int? { known.lazy.compactMap { names.firstIndex(of: $0) }.first }
        guard let file = place(fileColumns) else { return nil }
        if let label = place(labelColumns) { return (file, label) }
        guard let next, next.count == cells.count, cells.count > 1 else { return nil }
        let (own, below) = (others(cells, than: file), others(next, than: file))
        guard own.allSatisfy({ Double($0) == nil }), below.contains(where: { Double($0) != nil }) else { return nil }
        return (file, file == 0 ? 1 : 0)
    }

    /// The cells but that of the file.
    private static func others(_ cells: [String], than file: Int) -> [String] {
        cells.enumerated().filter { $0.offset != file }.map { trimmed($0.element) }
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

    /// The numbers of each row, and their names, for a model that returns numbers.
    ///
    /// Where the header names all outputs, and each is one number, those columns are taken. Otherwise one number is the
    /// label, and several are all columns but the file, in the order of the outputs.
    /// - Parameter outputs: names of the outputs, and how many numbers each has.
    /// - Throws: `ReportError.malformedNumbers` with the first row that does not fit.
    package func numbers(
        _ outputs: [(name: String, count: Int)]
    ) throws(ReportError) -> (names: [String], values: [[Double]]) {
        let count = outputs.reduce(0) { $0 + $1.count }
        let places = outputs.map { output in output.count == 1 ? names?.firstIndex(of: output.name) : nil }
        let isNamed = !places.contains(nil)
        var values: [[Double]] = []
        for row in rows {
            let cells: [String]
            if isNamed {
                // A missing cell is no number.
                cells = places.compactMap { $0 }.map { row.cells.indices.contains($0) ? row.cells[$0] : "" }
            } else {
                cells = count == 1 ? [row.label] : row.cells
            }
            guard cells.count == count else {
                throw .malformedNumbers(
                    file: source, row: row.line,
                    problem: "the model has no labels, and returns \(count) numbers where the row has \(cells.count)")
            }
            var numbers: [Double] = []
            for cell in cells {
                guard let number = Double(cell), PictureAnswers.numbers.contains(number) else {
                    throw .malformedNumbers(
                        file: source, row: row.line,
                        problem: "'\(cell.prefix(120))' is not a number, and the model has no labels")
                }
                numbers.append(number)
            }
            values.append(numbers)
        }
        let own = outputs.flatMap { output in
            output.count == 1 ? [output.name] : (0..<output.count).map { "\(output.name)[\($0)]" }
        }
        return (isNamed || count == 1 ? own : names ?? own, values)
    }
}
