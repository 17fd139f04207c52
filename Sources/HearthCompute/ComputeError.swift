internal import Foundation
package import HearthSystem

/// Errors in setting up a computation. Shapes are checked once, when weights and buffers are created.
package enum ComputeError: Error, LocalizedError, Equatable, Sendable {
    /// The kernel set is not available in this build or on this processor.
    case unknownKernelSet(name: String, available: [String])
    /// Sizes are inconsistent, such as the bytes, rows and columns of a weight matrix.
    case shapeMismatch(what: String, expected: Int, found: Int)
    /// Memory for a buffer could not be allocated.
    case outOfMemory(bytes: Int)
    /// A worker thread could not be started.
    case threadsUnavailable(code: Int32)

    /// What happened, where, and what to do about it.
    package var errorDescription: String? {
        switch self {
        case .unknownKernelSet(let name, let available):
            "this machine has no kernel set '\(name)' (HEARTH_KERNELS). Use one of: \(available.joined(separator: ", "))."
        case .shapeMismatch(let what, let expected, let found):
            "wrong size (\(what): \(found), expected \(expected)). The file was probably written by another tool version."
        case .outOfMemory(let bytes):
            "not enough memory (\(bytes) bytes needed). Use a shorter context or a smaller model."
        case .threadsUnavailable(let code):
            "worker threads could not be started (error \(code)). Use one thread."
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

extension [Int] {
    /// The product of sizes, each of which is at least 1.
    /// - Throws: `ComputeError.shapeMismatch`, of `what`, for a smaller size or a product that is no `Int`.
    func product(_ what: String) throws(ComputeError) -> Int {
        var product = 1
        for size in self {
            let (next, overflow) = product.multipliedReportingOverflow(by: size)
            guard size > 0, !overflow else { throw .shapeMismatch(what: what, expected: 1, found: size) }
            product = next
        }
        return product
    }
}
