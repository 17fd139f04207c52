internal import Foundation

/// The sentence that an error says about itself.
func describe(_ error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
}
