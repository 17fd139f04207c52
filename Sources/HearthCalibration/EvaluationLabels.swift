package import HearthReports

/// The labels that the user passes. What they mean depends on the models.
package enum EvaluationLabels: Sendable {
    /// Classes, or numbers.
    case table(LabelList)
    /// Boxes.
    case objects(ObjectAnnotations)

    /// Reads labels: CSV, or COCO's annotations.
    /// - Parameter file: its name, for errors.
    /// - Throws: `ReportError`.
    package init(_ bytes: [UInt8], file: String) throws(ReportError) {
        self =
            ObjectAnnotations.areIn(bytes)
            ? .objects(try ObjectAnnotations(bytes, file: file)) : .table(try LabelList(bytes, file: file))
    }
}
