public import Foundation

/// What can go wrong between a URL and an installed, compiled model.
public enum DeliveryError: Error, Equatable, Sendable {
    /// A file of the store cannot be read or written.
    case storage(path: String, reason: String)
}

extension DeliveryError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .storage(let path, let reason):
            "the file cannot be read or written: \(reason) (\(path)). Check the folder, its permissions and the free space."
        }
    }
}
