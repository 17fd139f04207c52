internal import Dispatch
internal import Foundation
internal import HearthSystem
internal import Synchronization

/// Runs a program to see whether it works.
package enum ProgramProbe {
    /// The first line that a program prints; nil if it cannot be run, prints nothing, or takes longer than `limit`
    /// seconds. The program is killed then, with all that it has started.
    package static func firstLine(_ path: String, _ arguments: [String], limit: Double) -> String? {
        #if os(Linux) || os(macOS)
        guard let process = try? ChildProcess(path, arguments, input: .file([])) else { return nil }
        let answer = Mutex<ArraySlice<UInt8>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            var count = 0
            while !bytes[..<count].contains(UInt8(ascii: "\n")) {
                let added = process.read(into: &bytes, from: count)
                if added == 0 { break }
                count += added
            }
            answer.withLock { [bytes, count] in $0 = bytes[..<count] }
            done.signal()
        }
        _ = done.wait(timeout: .now() + limit)
        let bytes = answer.withLock { $0 }
        process.kill()
        let line = bytes.map { String(decoding: $0, as: UTF8.self) }?.split(whereSeparator: \.isNewline).first
        return line.map { $0.trimmingCharacters(in: .whitespaces) }.flatMap { $0.isEmpty ? nil : $0 }
        #else
        // Apps cannot start programs on this platform.
        return nil
        #endif
    }
}
