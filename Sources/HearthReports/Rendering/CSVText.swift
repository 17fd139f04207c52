/// A parser for CSV (RFC 4180): quoted cells may contain commas, quotes and line breaks; lines end with LF, CRLF or CR;
/// an initial byte order mark is skipped.
package struct CSVText {
    /// The cells of a line.
    package struct Row: Equatable {
        /// Number of the line on which it begins, from 1.
        package var line: Int
        package var cells: [String]
    }

    /// A violation of the format.
    package struct Failure: Error, Equatable {
        package var line: Int
        package var problem: String
    }

    /// Rows that are not empty.
    package private(set) var rows: [Row] = []

    /// A cell as written to a file, quoted if needed.
    package static func quoted(_ cell: String) -> String {
        guard cell.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var wasQuoted = false
    private var begin = 1

    package init(_ bytes: [UInt8]) throws(Failure) {
        var place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var line = 1
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "\"") where cell.isEmpty && !wasQuoted:
                try quoted(bytes, &place, &line)
                continue
            case UInt8(ascii: ","):
                try endCell()
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if byte == UInt8(ascii: "\r"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "\n") {
                    place += 1
                }
                try endRow()
                line += 1
                begin = line
            default:
                guard !wasQuoted || byte == UInt8(ascii: " ") else {
                    throw Failure(line: line, problem: "a cell continues after its closing quote")
                }
                if !wasQuoted { cell.append(byte) }
            }
            place += 1
        }
        try endRow()
    }

    /// Reads a quoted string, from the opening quote to after the closing one.
    private mutating func quoted(_ bytes: [UInt8], _ place: inout Int, _ line: inout Int) throws(Failure) {
        let quote = UInt8(ascii: "\"")
        let opened = line
        place += 1
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == quote {
                guard place < bytes.count, bytes[place] == quote else {
                    wasQuoted = true
                    return
                }
                place += 1
            } else if byte == UInt8(ascii: "\n") {
                line += 1
            }
            cell.append(byte)
        }
        throw Failure(line: opened, problem: "a quote is not closed")
    }

    private mutating func endCell() throws(Failure) {
        guard let text = String(validating: cell, as: UTF8.self) else {
            throw Failure(line: begin, problem: "the text is not UTF-8")
        }
        cells.append(text)
        cell.removeAll(keepingCapacity: true)
        wasQuoted = false
    }

    private mutating func endRow() throws(Failure) {
        if cells.isEmpty, cell.isEmpty, !wasQuoted { return }
        try endCell()
        rows.append(Row(line: begin, cells: cells))
        cells = []
    }
}
