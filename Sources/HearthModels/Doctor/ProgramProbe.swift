internal import Foundation
internal import Synchronization

/// Runs a program to see whether it works.
package enum ProgramProbe {
    /// The first line that a program prints; nil if it cannot be run, prints nothing, or takes longer than `limit`
    /// seconds.
    package static func firstLine(_ path: String, _ arguments: [String], limit: Double) -> String? {
        #if os(Linux) || os(macOS)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let answer = Mutex<Data?>(nil)
        let done = DispatchSemaphore(value: 0)
        guard (try? process.run()) != nil else { return nil }
        let reader = output.fileHandleForReading
        Thread.detachNewThread {
            // Not to the end of the pipe, whose write end a process started at the same time may have inherited.
            var data = Data()
            while !data.contains(UInt8(ascii: "\n")), data.count < 4096 {
                let part = reader.availableData
                if part.isEmpty { break }
                data.append(part)
            }
            answer.withLock { [data] in $0 = data }
            done.signal()
        }
        let isLate = done.wait(timeout: .now() + limit) == .timedOut
        if isLate || process.isRunning { process.terminate() }
        guard let data = answer.withLock({ $0 }) else { return nil }
        let line = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).first
        return line.map { $0.trimmingCharacters(in: .whitespaces) }.flatMap { $0.isEmpty ? nil : $0 }
        #else
        // Apps cannot start programs on this platform.
        return nil
        #endif
    }
}
