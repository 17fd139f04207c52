/// How long preparing one model took, in milliseconds of the monotonic clock, measured up to `ready`.
package struct PreparationTimes: Sendable, Equatable, Codable {
    /// Whether an earlier result of compiling was found: a warm path.
    package var reused: Bool
    /// Compiling, or finding that it was done before.
    package var compileMS: Double
    /// Mapping what was compiled.
    package var loadMS: Double
    /// The inference that proved that the model answers, faults of its pages included.
    package var firstInferenceMS: Double

    /// Times in milliseconds.
    package init(reused: Bool, compileMS: Double, loadMS: Double, firstInferenceMS: Double) {
        self.reused = reused
        self.compileMS = compileMS
        self.loadMS = loadMS
        self.firstInferenceMS = firstInferenceMS
    }

    /// From the first step to a model that answers.
    package var totalMS: Double { compileMS + loadMS + firstInferenceMS }
}
