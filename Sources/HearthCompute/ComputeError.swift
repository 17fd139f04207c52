internal import Foundation
package import HearthSystem

/// What can go wrong before any arithmetic starts. Shapes are checked once, when weights and buffers are made.
package enum ComputeError: Error, LocalizedError, Equatable, Sendable {
    /// A kernel set that this build or this processor does not have.
    case unknownKernelSet(name: String, available: [String])
    /// A weight matrix whose bytes, rows and columns do not fit together.
    case shapeMismatch(what: String, expected: Int, found: Int)
    /// The system gave no memory for a buffer.
    case outOfMemory(bytes: Int)
    /// A worker thread could not be started.
    case threadsUnavailable(code: Int32)

    /// What happened, where, and what to do about it.
    package var errorDescription: String? {
        switch self {
        case .unknownKernelSet(let name, let available):
            "unknown kernel set (\(name)). This machine has: \(available.joined(separator: ", "))."
        case .shapeMismatch(let what, let expected, let found):
            "wrong size (\(what): \(found), expected \(expected)). The file was probably written by another tool version."
        case .outOfMemory(let bytes):
            "not enough memory (\(bytes) bytes wanted). Use a shorter context or a smaller model."
        case .threadsUnavailable(let code):
            "worker threads could not be started (error \(code)). Use --threads 1."
        }
    }
}

extension ComputeError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .unknownKernelSet: .invalidOption
        case .shapeMismatch: .invalidInput
        case .outOfMemory, .threadsUnavailable: .unavailable
        }
    }
}
