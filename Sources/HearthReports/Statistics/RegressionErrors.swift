/// How far a model's numbers are from the labelled ones. With several columns, each figure is the mean over the columns.
package struct RegressionErrors: Sendable, Equatable {
    /// The errors of one column.
    package struct Column: Sendable, Equatable {
        /// Mean absolute error.
        package var mae: Double
        /// Root mean squared error.
        package var rmse: Double
        /// Coefficient of determination, 1 at best; nil if all labels are equal.
        package var r2: Double?
    }

    package let columns: [Column]
    package let mae: Double
    package let rmse: Double
    /// nil if that of a column is.
    package let r2: Double?

    /// - Parameters:
    ///   - labels: for each picture one number for each column; at least one picture.
    ///   - answers: of the same size.
    package init(labels: [[Double]], answers: [[Double]]) {
        let columns = (labels.first ?? []).indices.map { column in
            Column(labels.map { $0[column] }, answers.map { $0[column] })
        }
        self.columns = columns
        mae = Self.mean(columns.map(\.mae))
        rmse = Self.mean(columns.map(\.rmse))
        let shares = columns.compactMap(\.r2)
        r2 = shares.count == columns.count ? Self.mean(shares) : nil
    }

    static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
}

extension RegressionErrors.Column {
    fileprivate init(_ labels: [Double], _ answers: [Double]) {
        let errors = zip(labels, answers).map { $1 - $0 }
        let centre = RegressionErrors.mean(labels)
        let squares = errors.map { $0 * $0 }
        let isConstant = labels.allSatisfy { $0 == labels[0] }
        let spread = labels.reduce(0) { $0 + ($1 - centre) * ($1 - centre) }
        self.init(
            mae: RegressionErrors.mean(errors.map(abs)), rmse: RegressionErrors.mean(squares).squareRoot(),
            r2: isConstant || spread == 0 ? nil : 1 - squares.reduce(0, +) / spread)
    }
}
