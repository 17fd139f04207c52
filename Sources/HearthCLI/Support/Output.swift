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
        Self.abandon(
            CommandFailure(
                .failure, "cannot write the results: \(reason)", at: "standard output",
                todo: "Check where the output goes, and its free space."))
    }

    /// Ends the process because results would be missing.
    private static func abandon(_ failure: CommandFailure) -> Never {
        Output.error.write(failure.line + "\n")
        Interruption.shared.abandon(failure.status)
    }

    func writeLine(_ text: String) { write(text + "\n") }

    /// Prints one JSON object on a line.
    func writeJSON(_ value: some Encodable) throws { writeLine(try jsonText(value)) }

    /// Prints the one JSON object of a command that has ended, where nobody is left to catch an error: a report that cannot be
    /// encoded ends the process with status 1.
    func writeReport(_ value: some Encodable) {
        do {
            writeLine(try reportText(value))
        } catch {
            Self.abandon(error)
        }
    }

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

/// JSON as printed by every command: sorted keys, unescaped slashes, one line. Not generic: each report would have a copy.
package func jsonText(_ value: any Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// The JSON of a report, or an error that names the field that cannot be encoded.
package func reportText(_ value: any Encodable) throws(CommandFailure) -> String {
    do {
        return try jsonText(value)
    } catch {
        var reason = error.localizedDescription
        if case EncodingError.invalidValue(_, let context) = error {
            let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            reason = "\(path.joined(separator: ".")): \(context.debugDescription)"
        }
        while reason.hasSuffix(".") { reason.removeLast() }
        throw CommandFailure(
            .failure, "the report cannot be written as JSON: \(reason)", at: "--json",
            todo: "Leave out --json to see it as text.")
    }
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
