/// Xcode's App Thinning Size Report: the size of an app on each kind of device.
///
/// Sizes are in Xcode's format, `5.4 MB compressed, 13.7 MB uncompressed` or `Zero KB`, in decimal units.
package struct ThinningReport: Sendable, Equatable {
    /// Download size and installed size.
    package struct Size: Sendable, Equatable {
        /// Download size in bytes.
        package var compressed: Int
        /// Installed size in bytes.
        package var uncompressed: Int

        package init(compressed: Int, uncompressed: Int) {
            self.compressed = compressed
            self.uncompressed = uncompressed
        }
    }

    /// A device that a variant is for.
    package struct Descriptor: Sendable, Equatable {
        /// Model identifier, such as `iPhone12,1`.
        package var device: String
        /// Minimum system version.
        package var osVersion: String?

        package init(device: String, osVersion: String? = nil) {
            self.device = device
            self.osVersion = osVersion
        }
    }

    /// The app as built for some devices.
    package struct Variant: Sendable, Equatable {
        /// The archive's name.
        package var name: String
        /// The devices; empty for the universal variant.
        package var descriptors: [Descriptor] = []
        /// The app including on-demand resources.
        package var total: Size?
        /// The app without on-demand resources.
        package var app: Size?
        /// The on-demand resources.
        package var onDemand: Size?
    }

    /// The variants, in the report's order.
    package private(set) var variants: [Variant] = []

    /// Parses a report.
    /// - Parameter file: its name, for errors.
    /// - Throws: `ReportError.malformedReport` with the line number.
    package init(_ text: String, file: String) throws(ReportError) {
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            func failure(_ problem: String) -> ReportError {
                .malformedReport(file: file, line: number, problem: problem)
            }
            guard let (key, value) = Self.field(line) else { continue }
            if key == "Variant" {
                guard !value.isEmpty else { throw failure("a variant has no name") }
                variants.append(Variant(name: value))
                continue
            }
            guard let keyPath = Self.sizes[key] else {
                if key == "Supported variant descriptors" {
                    guard !variants.isEmpty else { throw failure("devices stand before any variant") }
                    guard let found = Self.descriptors(value) else { throw failure("the devices cannot be read") }
                    variants[variants.count - 1].descriptors = found
                }
                continue
            }
            guard !variants.isEmpty else { throw failure("a size comes before any variant") }
            guard let size = Self.size(value) else { throw failure("the size '\(value.prefix(60))' cannot be read") }
            variants[variants.count - 1][keyPath: keyPath] = size
        }
        guard !variants.isEmpty else {
            throw .malformedReport(file: file, line: max(number, 1), problem: "the report names no variant")
        }
        if let empty = variants.first(where: { $0.app == nil }) {
            throw .malformedReport(
                file: file, line: number, problem: "the variant '\(empty.name.prefix(60))' has no line 'App size'")
        }
    }

    private static var sizes: [String: WritableKeyPath<Variant, Size?>] {
        [
            "App + On Demand Resources size": \.total, "App size": \.app, "On Demand Resources size": \.onDemand,
        ]
    }

    /// `KEY: VALUE`; nil for anything else, such as the title.
    private static func field(_ line: Substring) -> (key: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (trimmed(line[..<colon]), trimmed(line[line.index(after: colon)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        let rest = text.drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }

    /// `[device: iPhone12,1, os-version: 13.0] and [device: iPhone11,8, os-version: 13.0]`, or `Universal`.
    private static func descriptors(_ text: String) -> [Descriptor]? {
        if text == "Universal" || text.isEmpty { return [] }
        var result: [Descriptor] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "[") {
            guard let close = rest[open...].firstIndex(of: "]") else { return nil }
            let inner = rest[rest.index(after: open)..<close]
            guard let device = value("device:", in: inner), !device.isEmpty else { return nil }
            result.append(Descriptor(device: device, osVersion: value("os-version:", in: inner)))
            rest = rest[rest.index(after: close)...]
        }
        return result.isEmpty ? nil : result
    }

    /// The value after a key, up to the next key, since device identifiers contain commas.
    private static func value(_ key: String, in text: Substring) -> String? {
        guard let start = text.firstRange(of: key)?.upperBound else { return nil }
        var value = text[start...]
        for other in ["device:", "os-version:"] {
            if let end = value.firstRange(of: other)?.lowerBound { value = value[..<end] }
        }
        let found = trimmed(value)
        return found.hasSuffix(",") ? String(found.dropLast()) : found
    }

    /// `5.4 MB compressed, 13.7 MB uncompressed`
    private static func size(_ text: String) -> Size? {
        guard let end = text.firstRange(of: " compressed")?.lowerBound, let compressed = bytes(text[..<end]),
            let comma = text[end...].firstIndex(of: ","), let last = text.firstRange(of: " uncompressed")?.lowerBound,
            comma < last, let uncompressed = bytes(text[text.index(after: comma)..<last])
        else { return nil }
        return Size(compressed: compressed, uncompressed: uncompressed)
    }

    /// Reads a size such as `13.7 MB`, `Zero KB` or `512 bytes`; also with a decimal comma.
    private static func bytes(_ text: Substring) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2 else { return nil }
        let units: [String: Double] = ["byte": 1, "bytes": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12]
        let number = words[0] == "Zero" ? 0 : Double(words[0].split(separator: ",").joined(separator: "."))
        guard let number, let unit = units[words[1].lowercased()], number.isFinite, (0...1e15).contains(number * unit)
        else { return nil }
        return Int((number * unit).rounded())
    }
}

/// A model's share of an app variant, and the app's size without it.
package struct ModelShare: Sendable, Equatable {
    /// Whether the app can contain the model at all.
    package let isPossible: Bool
    /// Share of the download size, 0 to 1.
    package let download: Double
    /// Share of the installed size, 0 to 1.
    package let installed: Double
    /// Size of the app without the model.
    package let remaining: ThinningReport.Size

    /// - Parameters:
    ///   - model: the model's size, compressed as in app archives.
    ///   - app: the app including the model.
    package init(_ model: ThinningReport.Size, of app: ThinningReport.Size) {
        // Printed sizes are rounded: a model that is 1 % too large still fits.
        isPossible =
            Double(model.uncompressed) <= Double(app.uncompressed) * 1.01
            && Double(model.compressed) <= Double(app.compressed) * 1.01 && app.uncompressed > 0
        download = isPossible && app.compressed > 0 ? min(1, Double(model.compressed) / Double(app.compressed)) : 0
        installed = isPossible ? min(1, Double(model.uncompressed) / Double(app.uncompressed)) : 0
        remaining =
            isPossible
            ? ThinningReport.Size(
                compressed: max(0, app.compressed - model.compressed),
                uncompressed: max(0, app.uncompressed - model.uncompressed)) : app
    }
}
