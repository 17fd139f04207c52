/// A number of bytes as text.
package struct ByteSize: Equatable, Sendable {
    package var bytes: Int

    package init(bytes: Int) { self.bytes = bytes }

    /// Three digits and a unit of thousands: `291 MB`, `8.91 MB`, `12 B`.
    package static func text(_ bytes: Int) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var value = Double(max(0, bytes))
        var unit = 0
        while value >= 999.5, unit + 1 < units.count {
            value /= 1000
            unit += 1
        }
        guard unit > 0 else { return "\(Int(value)) B" }
        let scale = value < 9.995 ? 100.0 : value < 99.95 ? 10 : 1
        let rounded = (value * scale).rounded() / scale
        return (scale == 1 ? "\(Int(rounded))" : "\(rounded)") + " " + units[unit]
    }

    /// One digit after the point and a unit of 1024: `8.5 MiB`.
    package static func binary(_ bytes: Int) -> String {
        var value = Double(bytes)
        for unit in ["B", "KiB", "MiB", "GiB"] {
            if value < 1024 || unit == "GiB" {
                return unit == "B" ? "\(bytes) B" : "\((value * 10).rounded() / 10) \(unit)"
            }
            value /= 1024
        }
        return "\(bytes) B"
    }
}
