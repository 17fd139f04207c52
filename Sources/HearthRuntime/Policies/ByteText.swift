/// Numbers of bytes as text.
package enum ByteText {
    /// About three digits in binary units: 999 B, 1.25 GiB, 292 MiB.
    package static func text(_ bytes: Int) -> String {
        var value = Double(max(0, bytes))
        var unit = 0
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        while value >= 1023.5, unit + 1 < units.count {
            value /= 1024
            unit += 1
        }
        let scale = unit == 0 || value >= 99.95 ? 1.0 : value >= 9.995 ? 10.0 : 100.0
        let rounded = (value * scale).rounded() / scale
        let text = rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
        return "\(text) \(units[unit])"
    }
}
