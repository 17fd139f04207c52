/// What the models of an evaluation are for, and so what is compared.
package enum EvaluationTask: String, Sendable, Codable {
    /// Classes: accuracy.
    case classification
    /// Boxes: average precision.
    case detection
    /// Numbers: mean absolute error.
    case regression
}
