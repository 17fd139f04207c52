import Foundation
import Synchronization

/// Standard output or standard error, unbuffered, so that printed text is not lost however the process ends.
final class Output: Sendable {
    static let standard = Output(descriptor: STDOUT_FILENO)
    static let error = Output(descriptor: STDERR_FILENO)

    private let descriptor: Int32
    private let lock = Mutex(())

    private init(descriptor: Int32) { self.descriptor = descriptor }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes all of the text. If the reader has closed the pipe (`| head -1`), the process ends silently with status
    /// 0; any other error on standard output ends it with status 1, because results would be missing. Neither leaves
    /// unfinished files.
    func write(_ text: String) {
        guard !text.isEmpty else { return }
        let failure = lock.withLock { _ in Self.write(Array(text.utf8), to: descriptor) }
        guard let failure, descriptor == STDOUT_FILENO else { return }
        if failure == EPIPE { Interruption.shared.abandon(.success) }
        let reason = String(cString: strerror(failure))
        let error = CommandFailure(
            .failure, "cannot write the results: \(reason)", at: "standard output",
            todo: "Check where the output goes, and its free space.")
        Output.error.write(error.line + "\n")
        Interruption.shared.abandon(.failure)
    }

    func writeLine(_ text: String) { write(text + "\n") }

    /// Prints one JSON object on a line.
    func writeJSON(_ value: some Encodable) throws { writeLine(try jsonText(value)) }

    /// Returns nil, or the system's error number.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                guard let start = buffer.baseAddress else { return nil }
                let count = Foundation.write(descriptor, start + done, buffer.count - done)
                if count < 0 {
                    if errno == EINTR { continue }
                    guard errno == EAGAIN else { return errno }
                    // The pipe is non-blocking: wait until it accepts more.
                    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = Foundation.poll(&poll, 1, 1000)
                } else {
                    done += count
                }
            }
            return nil
        }
    }
}

/// JSON as printed by every command: sorted keys, unescaped slashes, one line.
package func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// A field that is encoded as `null` if it has no value, instead of being omitted.
@propertyWrapper package struct ExplicitNull<Wrapped: Encodable & Sendable>: Encodable, Sendable {
    package var wrappedValue: Wrapped?

    package init(wrappedValue: Wrapped?) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}
