/// Bytes for people.
enum ByteText {
    /// Three digits in decimal units: 999 B, 1.07 GB, 292 MB.
    static func text(_ bytes: Int) -> String {
        var value = Double(max(0, bytes))
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.5, unit + 1 < units.count {
            value /= 1000
            unit += 1
        }
        let scale = unit == 0 || value >= 99.95 ? 1.0 : value >= 9.995 ? 10.0 : 100.0
        let rounded = (value * scale).rounded() / scale
        let text = rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
        return "\(text) \(units[unit])"
    }
}
