import Foundation
import HearthFormats
import Testing

/// Opens `bytes` as a file and in memory, and returns the error, which must be the same, name file and field in one
/// line, and come within the memory that a bad file may cost.
func refusal(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws -> GGUFError {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, "bad.gguf")
    var found: GGUFError?
    let peak = PeakMemory.added(upTo: 2 * bytes.count + 8 << 20) {
        do throws(GGUFError) {
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
    #expect(throws: GGUFError.self, sourceLocation: sourceLocation) {
        try GGUFFile(MappedFile(copying: bytes, path: path))
    }
    return error
}

extension GGUFError {
    /// The name of the case, for tables of expectations.
    var kind: String { Mirror(reflecting: self).children.first?.label ?? "" }
}

/// Resident memory of the process, from the kernel's accounts.
enum PeakMemory {
    /// Bytes that `body` adds to the process's peak.
    ///
    /// Other tests run beside it and can only add, so the smallest of several tries is an upper bound of what `body`
    /// needs; a try that stays within `limit` ends the search.
    static func added(upTo limit: Int, _ body: () -> Void) -> Int {
        if isSanitized {
            body()
            return 0
        }
        var smallest = Int.max
        for _ in 0..<5 where smallest > limit {
            try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
            let before = status("VmHWM")
            body()
            smallest = min(smallest, status("VmHWM") - before)
        }
        return smallest
    }

    /// The address sanitizer pads, shadows and keeps what is freed: figures under it say nothing.
    static var isSanitized: Bool { dlsym(nil, "__asan_init") != nil }

    /// Bytes resident now.
    static var resident: Int { status("VmRSS") }

    /// A figure of `/proc/self/status` in bytes; 0 where there is none.
    private static func status(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
            let kilobytes = Int(line.filter(\.isNumber))
        else { return 0 }
        return kilobytes << 10
    }
}
