import Foundation

/// Reads files and standard input named by the user, with a size limit.
enum InputFile {
    /// Maximum size of a text or list of ids: far above any context length, far below the memory.
    static let byteLimit = 64 << 20

    /// All bytes of a file, or of standard input for "-".
    static func bytes(_ path: String, option: String) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .invalidInput, "cannot read the file: \(String(cString: strerror(errno)))", at: "\(path): \(option)",
                todo: "Check the path and its permissions.")
        }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = Foundation.poll(&poll, 1, 1000)
                continue
            }
            guard count >= 0 else {
                throw CommandFailure(
                    .invalidInput, "cannot read the file: \(String(cString: strerror(errno)))",
                    at: "\(path): \(option)", todo: "Check that it is a file and not a folder.")
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= byteLimit else {
                throw CommandFailure(
                    .invalidInput, "the file is larger than \(byteLimit >> 20) MiB", at: "\(path): \(option)",
                    todo: "Pass a smaller file.")
            }
        }
    }

    /// The file as text, which must be UTF-8.
    static func text(_ path: String, option: String) throws -> String {
        guard let text = String(validating: try bytes(path, option: option), as: UTF8.self) else {
            throw CommandFailure(
                .invalidInput, "the text is not UTF-8", at: "\(path): \(option)", todo: "Convert the file to UTF-8.")
        }
        return text
    }
}

/// Lines of standard input, read as they arrive.
package struct InputLines {
    /// Maximum line length; a longer line is skipped and reported.
    static let byteLimit = 16 << 20

    package enum Line: Equatable, Sendable {
        case text(String)
        case problem(String)
    }

    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private let descriptor: Int32

    package init(descriptor: Int32 = STDIN_FILENO) { self.descriptor = descriptor }

    /// The next line without its line break; nil at the end.
    /// - Throws: `CommandFailure` if the descriptor cannot be read, for example because it is closed or a folder.
    package mutating func next() throws -> Line? {
        var searched = start
        var skipped = false
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                let line = buffer[start..<end]
                start = end + 1
                return skipped ? .problem("the line is longer than \(Self.byteLimit >> 20) MiB") : Self.decoded(line)
            }
            if isAtEnd {
                guard start < buffer.count || skipped else { return nil }
                let line = buffer[start...]
                start = buffer.count
                return skipped ? .problem("the line is longer than \(Self.byteLimit >> 20) MiB") : Self.decoded(line)
            }
            buffer.removeFirst(start)
            start = 0
            if buffer.count > Self.byteLimit {
                buffer.removeAll()
                skipped = true
            }
            searched = buffer.count
            try fill()
        }
    }

    /// The next line if it has arrived completely; otherwise, or at the end, nil. Never blocks.
    package mutating func nextArrived() throws -> Line? {
        while !buffer[start...].contains(0x0A) {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard !isAtEnd, buffer.count - start <= Self.byteLimit, Foundation.poll(&poll, 1, 0) > 0 else { return nil }
            buffer.removeFirst(start)
            start = 0
            try fill()
        }
        return try next()
    }

    private mutating func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 {
            buffer += chunk[..<count]
        } else if count == 0 {
            isAtEnd = true
        } else if errno == EAGAIN {
            // The pipe is non-blocking: wait for more data.
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = Foundation.poll(&poll, 1, 1000)
        } else if errno != EINTR {
            throw CommandFailure(
                .invalidInput, "cannot read the lines: \(String(cString: strerror(errno)))", at: "standard input",
                todo: "Pass them on a pipe, or from a file.")
        }
    }

    private static func decoded(_ line: ArraySlice<UInt8>) -> Line {
        let line = line.last == 0x0D ? line.dropLast() : line
        guard let text = String(validating: line, as: UTF8.self) else { return .problem("the line is not UTF-8") }
        return .text(text)
    }
}
