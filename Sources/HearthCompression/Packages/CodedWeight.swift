/// What became of a weight: its new form, or why it stays as it was.
enum CodedWeight<Form: Sendable>: Sendable {
    case coded(Form)
    case unchanged(String)

    /// The new form where it takes fewer bytes, palettes and scales included: those of a small weight may outweigh what its
    /// codes save.
    static func smaller(_ form: Form, _ bytes: Int, than before: Int) -> CodedWeight {
        bytes < before ? .coded(form) : .unchanged(CompressionReport.Skipped.notSmaller)
    }

    var form: Form? { if case .coded(let form) = self { form } else { nil } }
}
