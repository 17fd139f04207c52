/// Rows of cells as aligned columns, each as wide as its longest cell, two spaces apart.
package struct TextTable {
    /// The cells, line by line; every row has as many.
    package var rows: [[String]]
    /// The columns that are aligned at their right ends, such as numbers.
    package var rightAligned: Set<Int>

    package init(_ rows: [[String]], rightAligned: Set<Int> = []) {
        (self.rows, self.rightAligned) = (rows, rightAligned)
    }

    /// The lines, without line breaks and trailing spaces.
    package var lines: [String] {
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = columns.map { column in
                rightAligned.contains(column)
                    ? row[column].leftPadded(to: widths[column]) : row[column].padded(to: widths[column])
            }
            return cells.joined(separator: "  ").withoutTrailingSpaces
        }
    }

    /// The lines, each with a line break.
    package var text: String { lines.map { $0 + "\n" }.joined() }
}

extension String {
    /// The text, followed by spaces up to this width.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text, preceded by spaces up to this width.
    package func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

    package var withoutTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
