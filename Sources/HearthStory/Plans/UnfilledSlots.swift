internal import Foundation
package import HearthSystem

/// A model's text has slots that its plan cannot fill.
package struct UnfilledSlots: Error, Equatable {}

extension UnfilledSlots: HearthError {
    package var errorDescription: String? {
        "the model's story has slots that its plan cannot fill (hearth.story.format). Try another seed, or use another model."
    }
    package var category: ErrorCategory { .failed }
}
