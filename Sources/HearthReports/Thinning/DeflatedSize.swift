internal import Foundation
internal import HearthSystem

/// The size of a model, and its compressed size: each file deflated by gzip, with the method that app archives use.
package enum DeflatedSize {
    /// - Parameter path: a file or a folder. Blocks; do not call it on Swift's concurrency threads.
    /// - Throws: `ReportError.missingModel`, `ReportError.noCompressor`, `FileFailure`.
    package static func measure(_ path: String) throws -> ThinningReport.Size {
        var size = ThinningReport.Size(compressed: 0, uncompressed: 0)
        for file in try files(path, depth: 0) {
            size.uncompressed += try SystemFiles().status(file)?.size ?? 0
            size.compressed += try deflated(file)
        }
        return size
    }

    private static func files(_ path: String, depth: Int) throws -> [String] {
        let system = SystemFiles()
        let real = depth == 0 ? RealPath.of(path) ?? path : path
        guard let status = try system.status(real) else {
            throw ReportError.missingModel(file: path)
        }
        switch status.kind {
        case .file: return [real]
        case .folder where depth < 16:
            return try system.list(real).flatMap { try files("\(real)/\($0)", depth: depth + 1) }
        default: return []
        }
    }

    private static func deflated(_ path: String) throws -> Int {
        #if os(Linux) || os(macOS)
        guard let process = try? ChildProcess("/usr/bin/env", ["gzip", "-6", "-c", "--", path], input: .file([])) else {
            throw ReportError.noCompressor(file: path)
        }
        var (buffer, count) = ([UInt8](repeating: 0, count: 1 << 16), 0)
        while case let piece = process.read(into: &buffer, from: 0), piece > 0 { count += piece }
        guard process.finish().status == 0 else { throw ReportError.noCompressor(file: path) }
        return count
        #else
        throw ReportError.noCompressor(file: path)
        #endif
    }
}
