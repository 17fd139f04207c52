extension Duration {
    /// Milliseconds, with their fractions.
    package var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}
