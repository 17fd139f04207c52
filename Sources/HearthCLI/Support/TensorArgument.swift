import Foundation
import HearthCoreML
import HearthSystem

/// `NAME=FILE.f32[:SHAPE]`: a model's input and the file with its elements, or an audio file.
struct TensorArgument: Equatable {
    var name: String
    var path: String
    /// The dimensions, if given: `1x3x224x224` or `1,3,224,224`.
    var shape: [Int]?

    init(_ text: String) throws {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw Self.usage("'\(text)' does not name an input")
        }
        name = String(text[..<equals])
        path = String(text[text.index(after: equals)...])
        if let colon = path.lastIndex(of: ":"), let shape = Self.shape(path[path.index(after: colon)...]) {
            self.shape = shape
            path = String(path[..<colon])
        }
        guard !path.isEmpty else { throw Self.usage("'\(text)' does not name a file") }
    }

    /// Parses dimensions; nil if the text is not a shape, and thus part of the file's name.
    static func shape(_ text: Substring) -> [Int]? {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
        let parts = inner.split(whereSeparator: { "x,×".contains($0) }).map { $0.trimmingCharacters(in: .whitespaces) }
        guard !parts.isEmpty, inner.allSatisfy({ $0.isASCII && $0.isNumber || "x,× ".contains($0) }) else { return nil }
        let sizes = parts.compactMap { Int($0) }
        return sizes.count == parts.count && sizes.allSatisfy { $0 > 0 } ? sizes : nil
    }

    private static func usage(_ what: String) -> UsageError {
        UsageError(what, command: "predict", suggestion: "Pass --input NAME=FILE.f32, or NAME=FILE.f32:1x3x224x224.")
    }

    /// Reads as many elements from the file as `shape` has.
    func read(shape: [Int]) throws -> CoreMLTensor {
        var count = 1
        for size in shape { count = count.multipliedReportingOverflow(by: size).partialValue }
        let bytes = try InputFile.bytes(path, option: "--input \(name)")
        guard bytes.count == count * 4 else {
            throw CommandFailure(
                .invalidInput,
                "the file has \(bytes.count) bytes, but \(count) float32 values of shape \(shape) have \(count * 4)",
                at: "\(path): --input \(name)", todo: "Pass a file with exactly these little-endian float32 values.")
        }
        let values = [Float](littleEndianBytes: bytes)
        if let index = values.firstIndex(where: { !$0.isFinite }) {
            throw CommandFailure(
                .invalidInput, "element \(index) is not a finite number", at: "\(path): --input \(name)",
                todo: "Check how the file was made.")
        }
        return CoreMLTensor(shape: shape, values: values)
    }
}
