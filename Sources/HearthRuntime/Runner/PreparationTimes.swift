/// What preparing one model cost, in milliseconds of the monotonic clock: what a runner knows when it says `ready`.
public struct PreparationTimes: Sendable, Equatable, Codable {
    /// Whether an earlier result of compiling was found: a warm path.
    public var reused: Bool
    /// Compiling, or finding that it was done before.
    public var compileMS: Double
    /// Mapping what was compiled.
    public var loadMS: Double
    /// The inference that proved that the model answers, faults of its pages included.
    public var firstInferenceMS: Double

    /// Times in milliseconds.
    public init(reused: Bool, compileMS: Double, loadMS: Double, firstInferenceMS: Double) {
        self.reused = reused
        self.compileMS = compileMS
        self.loadMS = loadMS
        self.firstInferenceMS = firstInferenceMS
    }

    /// From the first step to a model that answers.
    public var totalMS: Double { compileMS + loadMS + firstInferenceMS }
}
