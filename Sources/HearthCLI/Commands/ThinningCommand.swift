import Foundation
import HearthCompression
import HearthModels
import HearthReports
import HearthSystem

/// `hearth thinning`: a model's share of an app's size, for each kind of device.
struct ThinningCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thinning",
        abstract: "Shows a model's share of an app's download and installed size.",
        discussion: """
            Reads the 'App Thinning Size Report.txt' that Xcode writes when an app is exported for all device
            variants. For each variant it gives the model's share, and what remains if the model is
            downloaded later instead of being part of the app. The model's size in the download is measured with
            gzip, because app archives use the same method. Sizes in the report have two digits, and so do the
            results.
            """,
        examples: [
            (
                "thinning \"App Thinning Size Report.txt\" --model Digits.mlpackage",
                "Prints one line per device variant."
            ),
            ("thinning report.txt --model Digits.mlpackage --json", "The same, as JSON."),
        ])

    @Argument(valueName: "REPORT", help: "App Thinning Size Report.txt.")
    var report: String
    @Option(
        valueName: "M", help: "The model in the app: .mlpackage, .mlmodelc or GGUF file, or an installed model.")
    var model: String
    @Option(valueName: "N", help: "Size of the model in the download, in bytes; default: measured.")
    var compressedBytes: ByteSize?
    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Sizes: Encodable {
        var compressedBytes: Int
        var uncompressedBytes: Int

        init(_ size: ThinningReport.Size) {
            compressedBytes = size.compressed
            uncompressedBytes = size.uncompressed
        }
    }

    private struct Row: Encodable {
        struct Device: Encodable {
            var device: String
            @ExplicitNull var osVersion: String?
        }

        var variant: String
        var devices: [Device]
        var universal: Bool
        var app: Sizes
        var onDemand: Sizes
        var holdsModel: Bool
        var downloadShare: Double
        var installedShare: Double
        var withoutModel: Sizes
    }

    private struct Result: Encodable {
        var model: Sizes
        var variants: [Row]
    }

    mutating func run() async throws {
        let text = try InputFile.text(report, option: "REPORT")
        let parsed = try ThinningReport(text, file: report)
        let path = try ModelLocator.current.path(of: model)
        let known = compressedBytes?.bytes
        let size = try await OwnThread.run { _ in
            if let known {
                return ThinningReport.Size(compressed: known, uncompressed: try PackageCompressor.byteCount(of: path))
            }
            return try DeflatedSize.measure(path)
        }
        let rows = parsed.variants.map { Self.row($0, size) }
        if json {
            try Output.standard.writeJSON(Result(model: Sizes(size), variants: rows))
        } else {
            Output.standard.write(Self.table(rows, size))
        }
    }

    private static func row(_ variant: ThinningReport.Variant, _ model: ThinningReport.Size) -> Row {
        let nothing = ThinningReport.Size(compressed: 0, uncompressed: 0)
        let app = variant.app ?? nothing
        let share = ModelShare(model, of: app)
        return Row(
            variant: variant.name,
            devices: variant.descriptors.map { Row.Device(device: $0.device, osVersion: $0.osVersion) },
            universal: variant.descriptors.isEmpty, app: Sizes(app), onDemand: Sizes(variant.onDemand ?? nothing),
            holdsModel: share.isPossible, downloadShare: share.download, installedShare: share.installed,
            withoutModel: Sizes(share.remaining))
    }

    private static func table(_ rows: [Row], _ model: ThinningReport.Size) -> String {
        func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }
        var lines = [
            "model: \(ByteSize.text(model.compressed)) to download, \(ByteSize.text(model.uncompressed)) installed"
        ]
        let names = rows.map { row in
            guard let first = row.devices.first else { return "universal" }
            let more = row.devices.count > 1 ? " and \(row.devices.count - 1) more" : ""
            return "\(first.device)\(first.osVersion.map { " (\($0))" } ?? "")\(more)".withVisibleControls
        }
        let width = min(40, names.map(\.count).max() ?? 0)
        for (name, row) in zip(names, rows) {
            guard row.holdsModel else {
                lines.append(
                    "\(name.padded(to: width))  the app (\(ByteSize.text(row.app.uncompressedBytes))) is smaller than the "
                        + "model: it does not hold it")
                continue
            }
            lines.append(
                "\(name.padded(to: width))  download \(ByteSize.text(row.app.compressedBytes)), model \(percent(row.downloadShare))"
                    + ", without it \(ByteSize.text(row.withoutModel.compressedBytes))"
                    + "; installed \(ByteSize.text(row.app.uncompressedBytes)), model \(percent(row.installedShare))"
                    + ", without it \(ByteSize.text(row.withoutModel.uncompressedBytes))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
