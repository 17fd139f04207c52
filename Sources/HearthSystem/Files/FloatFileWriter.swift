internal import Synchronization

/// Writes little-endian float32 values to a file that appears under its name when it is complete, or not at all (``AtomicFile``).
package final class FloatFileWriter: Sendable {
    private final class State {
        /// nil after `finish`.
        var file: AtomicFile?
        var bytes: [UInt8] = []

        init(_ file: consuming AtomicFile) { self.file = consume file }

        /// Removes the temporary file if that fails: whoever still holds the writer may do so until the process ends.
        func flush() throws(FileError) {
            let bytes = bytes
            do throws(FileError) {
                try file?.write(bytes)
            } catch {
                file = nil
                throw error
            }
            self.bytes.removeAll(keepingCapacity: true)
        }
    }

    private let state: Mutex<State>
    private let temporaryPath: String
    private let unfinished: UnfinishedFiles?

    /// - Parameters:
    ///   - path: of the complete file.
    ///   - unfinished: keeps track of the temporary file while it exists.
    /// - Throws: `FileError.unwritable`.
    package init(path: String, unfinished: UnfinishedFiles? = nil) throws(FileError) {
        let file = try AtomicFile(path: path) { unfinished?.begin($0) }
        temporaryPath = file.temporaryPath
        self.unfinished = unfinished
        state = Mutex(State(file))
    }

    /// Removes the temporary file if `finish` was not called, or failed.
    deinit {
        state.withLock { $0.file = nil }
        unfinished?.end(temporaryPath)
    }

    /// Adds values.
    /// - Throws: `FileError.unwritable`.
    package func append(_ values: [Float]) throws {
        let words = values.map(\.bitPattern.littleEndian)
        try state.withLock { state in
            words.withUnsafeBytes { state.bytes.append(contentsOf: $0) }
            if state.bytes.count >= Self.flushedBytes { try state.flush() }
        }
    }

    /// Gives the complete file its name. Nothing may be added after that.
    /// - Throws: `FileError.unwritable`.
    package func finish() throws {
        try state.withLock { state in
            defer { state.file = nil }
            try state.flush()
            try state.file?.publish()
        }
        unfinished?.end(temporaryPath)
    }

    private static let flushedBytes = 1 << 20
}
