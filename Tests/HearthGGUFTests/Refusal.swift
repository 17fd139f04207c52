import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import Testing

/// Opens `bytes` as a file and in memory, and returns the error, which must be the same, name file and field in one
/// line, and come within the memory that a bad file may cost.
func refusal(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws -> FileError {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, "bad.gguf")
    var found: FileError?
    let peak = PeakMemory.added(upTo: 2 * bytes.count + 8 << 20) {
        do throws(FileError) {
            _ = try GGUFFile(path: path)
        } catch {
            found = error
        }
    }
    let error = try #require(found, "the file was accepted", sourceLocation: sourceLocation)
    #expect(peak <= 2 * bytes.count + 8 << 20, "peak memory", sourceLocation: sourceLocation)
    #expect(error.location.file == path, sourceLocation: sourceLocation)
    #expect(!error.location.field.isEmpty, sourceLocation: sourceLocation)
    let text = error.localizedDescription
    #expect(text.contains("bad.gguf: "), sourceLocation: sourceLocation)
    #expect(text.hasSuffix("."), sourceLocation: sourceLocation)
    #expect(!text.contains { $0.isNewline }, sourceLocation: sourceLocation)
    #expect(throws: FileError.self, sourceLocation: sourceLocation) {
        try GGUFFile(MappedFile(copying: bytes, path: path))
    }
    return error
}
