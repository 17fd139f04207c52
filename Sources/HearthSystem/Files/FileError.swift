public import Foundation

/// An error in a file that a model or an artifact is read from, or in writing one.
///
/// Every case has a location: the file, and the field in it (a header field, a metadata key, a tensor name, or the path of a
/// message such as `mlProgram.functions[main]`). `errorDescription` is one line: `WHAT (FILE: FIELD). WHAT TO DO.`
public enum FileError: Error, Equatable, Sendable {
    /// A place in a file.
    public struct Location: Equatable, Sendable {
        /// Path of the file, as it was given.
        public let file: String
        /// Header field, metadata key, tensor name or path of a message; empty for the file as a whole.
        public let field: String

        /// A location in a file.
        package init(file: String, field: String) {
            self.file = file
            self.field = field
        }
    }

    /// The file cannot be opened, is not a regular file, or cannot be mapped.
    case unreadable(Location, reason: String)
    /// The file was changed or truncated while it was mapped; nothing that was read from it can be trusted.
    case changed(Location)
    /// The file ends inside a field of fixed size; `needed` and `available` are bytes.
    case truncated(Location, needed: Int, available: Int)
    /// The file does not begin with `GGUF`.
    case badMagic(Location, found: [UInt8])
    /// An unsupported version of the container format (0, 1, and above 3).
    case unsupportedVersion(Location, version: UInt32)
    /// The file was written for big-endian machines.
    case byteSwapped(Location)
    /// A length in bytes, or a count of items at their smallest size, that exceeds the rest of the file.
    case beyondFile(Location, claimed: UInt64, available: Int)
    /// A length or count above a limit of Hearth.
    case limitExceeded(Location, claimed: UInt64, limit: Int)
    /// An empty metadata key.
    case emptyKey(Location)
    /// An empty tensor name.
    case emptyTensorName(Location)
    /// A key or tensor name that is not UTF-8.
    case invalidUTF8(Location)
    /// A metadata key that occurs twice.
    case duplicateKey(Location)
    /// A tensor name that occurs twice.
    case duplicateTensor(Location)
    /// A metadata value type that does not exist.
    case unknownValueType(Location, id: UInt32)
    /// A boolean that is neither 0 nor 1.
    case invalidBool(Location, value: UInt8)
    /// Arrays or messages that are nested too deeply.
    case nestingTooDeep(Location, limit: Int)
    /// `general.alignment` has the wrong type, is not a power of two, or is out of range.
    case badAlignment(Location, found: String)
    /// A tensor with no dimensions, or with more than four.
    case badDimensionCount(Location, count: UInt32)
    /// A dimension that is zero or too large.
    case badDimension(Location, value: UInt64)
    /// Dimensions or sizes whose product or sum overflows.
    case sizeOverflow(Location)
    /// A tensor type that does not exist.
    case unknownTensorType(Location, id: UInt32)
    /// A row whose length is not a multiple of the block size of its type.
    case partialBlock(Location, row: Int, block: Int)
    /// A tensor offset that is not a multiple of the alignment.
    case misaligned(Location, offset: UInt64, alignment: Int)
    /// A tensor that lies outside the file, wholly or partly.
    case tensorBeyondFile(Location, offset: UInt64, byteCount: Int, available: Int)
    /// Two tensors that share bytes.
    case overlappingTensors(Location, other: String)
    /// A value of an unexpected type.
    case wrongType(Location, expected: String, found: String)
    /// A value of the right type that is out of range.
    case outOfRange(Location, value: String)
    /// The file cannot be written.
    case unwritable(Location, reason: String)
    /// A folder that cannot be created.
    case noFolder(Location, reason: String)
    /// A name of something in a file that cannot be the name of a file of its own.
    case badFileName(Location)
    /// A section file whose header or table is damaged or unknown.
    case damagedTable(Location, problem: String)
    /// Content that does not make a valid file, given to a writer.
    case invalidContent(Location, reason: String)
    /// A part that violates its format.
    case malformed(Location, problem: String)
    /// A required part that is missing: a file of a package, a field, or a parameter.
    case missing(Location, what: String)
    /// A path that points outside the package, directly or through a link.
    case leavesPackage(Location, path: String)
    /// A name that is defined twice.
    case duplicateName(Location, name: String)
    /// A name that is used before it is defined, or never defined.
    case undefinedName(Location, name: String)
    /// A valid part of a kind that Hearth does not support.
    case unsupported(Location, what: String)
    /// Operations that Core ML does not define, each with its type and place.
    case unknownOperations(Location, operations: [String])
}

extension FileError {
    /// Where the error is.
    public var location: Location {
        switch self {
        case .unreadable(let at, _), .changed(let at), .truncated(let at, _, _), .badMagic(let at, _),
            .unsupportedVersion(let at, _),
            .byteSwapped(let at), .beyondFile(let at, _, _), .limitExceeded(let at, _, _), .emptyKey(let at),
            .emptyTensorName(let at), .invalidUTF8(let at), .duplicateKey(let at), .duplicateTensor(let at),
            .unknownValueType(let at, _), .invalidBool(let at, _), .nestingTooDeep(let at, _),
            .badAlignment(let at, _), .badDimensionCount(let at, _), .badDimension(let at, _),
            .sizeOverflow(let at), .unknownTensorType(let at, _), .partialBlock(let at, _, _),
            .misaligned(let at, _, _), .tensorBeyondFile(let at, _, _, _), .overlappingTensors(let at, _),
            .wrongType(let at, _, _), .outOfRange(let at, _), .unwritable(let at, _), .invalidContent(let at, _),
            .damagedTable(let at, _), .malformed(let at, _), .missing(let at, _), .leavesPackage(let at, _),
            .duplicateName(let at, _), .undefinedName(let at, _), .unsupported(let at, _),
            .unknownOperations(let at, _), .noFolder(let at, _), .badFileName(let at):
            at
        }
    }
}

extension FileError: LocalizedError {
    /// `WHAT (FILE: FIELD). WHAT TO DO.`, always in one line.
    public var errorDescription: String? {
        let (what, advice) = sentence
        let at = location
        // A list of places is shown in full.
        var limit = Self.shownCharacters
        if case .unknownOperations = self { limit *= 16 }
        return
            "\(Self.shown(what, limit)) (\(Self.shown(at.file))\(at.field.isEmpty ? "" : ": " + Self.shown(at.field))). \(advice)"
    }

    private static let damaged = "The file is damaged or incomplete: download it again."
    private static let incomplete = "Copy or download the whole model again."
    private static let malformed = "The file is malformed: use another copy or another converter."

    private var sentence: (what: String, advice: String) {
        switch self {
        case .unreadable(_, let reason):
            ("cannot read the file: \(reason)", "Check the path and its permissions.")
        case .changed:
            ("the file was changed while it was in use", "Wait until it is complete, or restore it, and try again.")
        case .truncated(_, let needed, let available):
            ("the file ends too early: \(needed) bytes needed, \(available) left", Self.damaged)
        case .badMagic(_, let found):
            ("not a GGUF file: it begins with \(found)", "Pass a file that begins with the letters GGUF.")
        case .unsupportedVersion(_, let version):
            ("GGUF version \(version) is not supported", "Convert the file to version 2 or 3.")
        case .byteSwapped:
            ("the file is big-endian", "Convert it to little-endian.")
        case .beyondFile(_, let claimed, let available):
            ("claims \(claimed), more than the \(available) bytes left can hold", Self.damaged)
        case .limitExceeded(_, let claimed, let limit):
            ("claims \(claimed), over the limit of \(limit)", Self.malformed)
        case .emptyKey:
            ("a metadata key is empty", Self.malformed)
        case .emptyTensorName:
            ("a tensor name is empty", Self.malformed)
        case .invalidUTF8:
            ("a name is not UTF-8", Self.malformed)
        case .duplicateKey:
            ("a metadata key occurs twice", Self.malformed)
        case .duplicateTensor:
            ("a tensor name occurs twice", Self.malformed)
        case .unknownValueType(_, let id):
            ("unknown metadata type \(id)", Self.malformed)
        case .invalidBool(_, let value):
            ("a boolean is \(value), neither 0 nor 1", Self.malformed)
        case .nestingTooDeep(_, let limit):
            ("nested deeper than \(limit) levels", Self.malformed)
        case .badAlignment(_, let found):
            ("the alignment is \(found), not a UINT32 power of two up to 1048576", Self.malformed)
        case .badDimensionCount(_, let count):
            ("a tensor has \(count) dimensions, not 1 to 4", Self.malformed)
        case .badDimension(_, let value):
            ("a dimension is \(value)", Self.malformed)
        case .sizeOverflow:
            ("sizes overflow", Self.malformed)
        case .unknownTensorType(_, let id):
            ("unknown tensor type \(id)", "Convert the weights to a type that this build supports.")
        case .partialBlock(_, let row, let block):
            ("a row of \(row) values is not a whole number of blocks of \(block)", Self.malformed)
        case .misaligned(_, let offset, let alignment):
            ("the offset \(offset) is not a multiple of the alignment \(alignment)", Self.malformed)
        case .tensorBeyondFile(_, let offset, let byteCount, let available):
            ("\(byteCount) bytes at offset \(offset) do not fit into \(available) bytes of data", Self.damaged)
        case .overlappingTensors(_, let other):
            ("the tensor shares bytes with \(other)", Self.malformed)
        case .wrongType(_, let expected, let found):
            ("\(expected) expected, \(found) found", Self.malformed)
        case .outOfRange(_, let value):
            ("the value \(value) is out of range", Self.malformed)
        case .unwritable(_, let reason):
            ("cannot write the file: \(reason)", "Check the folder, its permissions and the free space.")
        case .noFolder(_, let reason):
            ("cannot create the folder: \(reason)", "Check the path, its permissions and the free space.")
        case .badFileName:
            ("an output has a name that is not a valid file name", "Rename the model's output.")
        case .damagedTable(_, let problem):
            ("the table is damaged: \(problem)", "Delete the file; it is rebuilt from the model.")
        case .invalidContent(_, let reason):
            ("cannot be written: \(reason)", "Correct the content and write again.")
        case .malformed(_, let problem):
            (problem, Self.malformed)
        case .missing(_, let what):
            ("\(what) is missing", Self.incomplete)
        case .leavesPackage(_, let path):
            ("the path '\(path)' leaves the package", "Do not use this package: it points at files outside it.")
        case .duplicateName(_, let name):
            ("the name '\(name)' is used twice", Self.malformed)
        case .undefinedName(_, let name):
            ("'\(name)' is used before it is defined", Self.malformed)
        case .unsupported(_, let what):
            ("\(what) is not supported", "Convert the model to an ML Program for iOS 15 to 18.")
        case .unknownOperations(_, let operations):
            (
                "\(operations.count == 1 ? "an operation" : "\(operations.count) operations") that Core ML does not define: "
                    + operations.prefix(32).joined(separator: ", ")
                    + (operations.count > 32 ? " and \(operations.count - 32) more" : ""),
                "Convert the model again with a current converter."
            )
        }
    }

    /// Characters of a path, key or name that a message repeats.
    private static let shownCharacters = 200

    /// Text from a file, made fit for one line of a terminal: no control characters, no endless names.
    private static func shown(_ text: String, _ limit: Int = Self.shownCharacters) -> String {
        var result = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit { return result + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension FileError: ChangedFileError {
    package var changedFile: String? { if case .changed(let location) = self { location.file } else { nil } }
}

extension FileError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .unwritable, .noFolder: .failed
        default: .invalidInput
        }
    }
}
