/// Pressure stall information of the kernel (`/proc/pressure/memory`): the share of the last ten seconds, in percent, in
/// which work waited for memory.
package struct PressureStall: Sendable, Equatable {
    /// Some tasks waited.
    package var some: Double
    /// Nothing ran because everything waited.
    package var full: Double

    /// nil if the kernel does not measure it.
    package init?(path: String) {
        guard let text = SmallFile.text(path, limit: 4096), let some = Self.average("some", in: text) else {
            return nil
        }
        self.some = some
        full = Self.average("full", in: text) ?? 0
    }

    /// `some avg10=0.12 avg60=0.05 avg300=0.01 total=123456`
    private static func average(_ kind: String, in text: String) -> Double? {
        for line in text.systemLines {
            let fields = line.systemFields
            guard fields.first == kind[...], let field = fields.first(where: { $0.hasPrefix("avg10=") }) else {
                continue
            }
            return Double(field.dropFirst(6)).flatMap { (0...100).contains($0) ? $0 : nil }
        }
        return nil
    }
}
