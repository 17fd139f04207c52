import HearthCoreML
import Testing

/// Expects two lists of tensors to be the same numbers, up to `tolerance` of the largest.
func expectSame(
    _ left: [CoreMLTensor], _ right: [CoreMLTensor], tolerance: Float = 2e-6, _ comment: Comment? = nil,
    location: SourceLocation = #_sourceLocation
) {
    #expect(left.map(\.shape) == right.map(\.shape), comment, sourceLocation: location)
    for (left, right) in zip(left, right) {
        let largest = max(1, right.values.map(abs).max() ?? 1)
        var worst: Float = 0
        for (a, b) in zip(left.values, right.values) {
            worst = max(worst, (a - b).isFinite ? abs(a - b) : .infinity)
        }
        #expect(worst <= tolerance * largest, comment, sourceLocation: location)
    }
}
