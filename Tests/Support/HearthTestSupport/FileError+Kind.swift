package import HearthSystem

extension FileError {
    /// The name of the case, for tables of expectations.
    package var kind: String { Mirror(reflecting: self).children.first?.label ?? "" }
}
