internal import Foundation
internal import HearthSystem

/// Reads the lines of a file that end with a line break.
struct ResultLines {
    /// Maximum line length in bytes. A picture's line has a few hundred, with boxes about 10 kB for each model.
    private static let longestLine = 1 << 23

    private let file: OpenFile
    private let path: String
    private var buffer: [UInt8] = []
    /// Where the next line begins in `buffer`.
    private var begin = 0
    /// Number of bytes read from the file.
    private var read = 0
    /// Number of the last line read, from 1.
    private(set) var number = 0
    /// Number of bytes up to the end of the last line read.
    var position: Int { read - buffer.count + begin }

    /// - Parameter path: for errors.
    init(_ file: OpenFile, path: String) { (self.file, self.path) = (file, path) }

    /// An error in the last line read.
    func failure(_ problem: String) -> ReportError {
        .malformedResults(file: path, line: number, problem: problem)
    }

    /// The next line without its line break; nil at the end, even if an incomplete line is left.
    /// - Throws: `FileFailure`; `ReportError.malformedResults` for a line that is too long.
    mutating func next() throws -> Data? {
        var searched = begin
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                defer { begin = end + 1 }
                return Data(buffer[begin..<end])
            }
            guard buffer.count - begin <= Self.longestLine else {
                number += 1
                throw failure("the line is longer than \(Self.longestLine >> 20) MiB")
            }
            buffer.removeFirst(begin)
            begin = 0
            searched = buffer.count
            guard try fill() else { return nil }
        }
    }

    /// - Returns: false at the end of the file.
    private mutating func fill() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        let count = try piece.withUnsafeMutableBytes { try SystemFiles().read(into: $0, from: file, at: read) }
        buffer += piece[..<count]
        read += count
        return count > 0
    }
}
