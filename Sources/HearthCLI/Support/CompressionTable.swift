import HearthCalibration
import HearthCompression
import HearthSystem

/// The text output of `hearth compress`.
struct CompressionTable {
    let report: CompressionReport
    var calibration: CalibrationSummary?
    let seconds: Double

    var text: String {
        var lines: [String] = []
        if !report.tensors.isEmpty {
            let width = min(44, report.tensors.map(\.name.count).max() ?? 0)
            let encodings = report.tensors.map(\.encoding.count).max() ?? 0
            for tensor in report.tensors {
                lines.append(
                    [
                        tensor.name.withVisibleControls.padded(to: width), tensor.encoding.padded(to: encodings),
                        "\(ByteSize.text(tensor.bytesBefore)) → \(ByteSize.text(tensor.bytes))".padded(to: 18),
                        Self.quality(tensor.snrDB),
                    ].joined(separator: "  ") + (calibration?.tensors[tensor.name].map(Self.output) ?? "")
                        + (tensor.sparsity.map { "  " + Self.reason($0) } ?? ""))
            }
        }
        lines += notes
        for (reason, names) in grouped {
            let shown = names.prefix(3).map(\.withVisibleControls).joined(separator: ", ")
            lines.append("left alone: \(shown)\(names.count > 3 ? " and \(names.count - 3) more" : ""): \(reason)")
        }
        let version = report.version.map { ", version \($0) of the format" } ?? ""
        lines.append(
            "\(ByteSize.text(report.inputBytes)) → \(ByteSize.text(report.outputBytes)), "
                + "\(Self.percent(report.outputBytes, report.inputBytes)) of the size\(version), "
                + "in \((seconds * 100).rounded() / 100) s")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The error of a layer's output, and why its weight has its bit width.
    private static func output(_ tensor: CalibrationSummary.Tensor) -> String {
        let reason = tensor.reason.map { "  \($0)" } ?? ""
        return "  output \(quality(tensor.outputDB))" + (tensor.correctsBias ? ", bias corrected" : "") + reason
    }

    /// Why a weight is stored sparsely.
    static func reason(_ sparsity: CompressionReport.Sparsity) -> String {
        "\(percent(Int((sparsity.share * 1e6).rounded()), 1_000_000)) zeros left out, "
            + "\(ByteSize.text(sparsity.savedBytes)) saved"
    }

    private var notes: [String] {
        guard let calibration else { return [] }
        let unused = calibration.unused > 0 ? " of \(calibration.images + calibration.unused)" : ""
        let drop = calibration.drop.map { ", of which \(Self.percent(Int(($0 * 1e6).rounded()), 1_000_000)) are lost" }
        let activations = calibration.activations.map { ["\($0) activations are rounded to int8"] } ?? []
        return ["calibrated with \(calibration.images)\(unused) pictures\(drop ?? "")"] + activations
    }

    /// The skipped tensors by reason, in order of first occurrence.
    private var grouped: [(reason: String, names: [String])] {
        report.skipped.reduce(into: []) { groups, skipped in
            if let index = groups.firstIndex(where: { $0.reason == skipped.reason }) {
                groups[index].names.append(skipped.name)
            } else {
                groups.append((skipped.reason, [skipped.name]))
            }
        }
    }

    private static func quality(_ decibels: Double) -> String {
        decibels >= SignalRatio.lossless ? "nothing lost" : "\((decibels * 10).rounded() / 10) dB"
    }

    private static func percent(_ part: Int, _ whole: Int) -> String {
        "\((Double(part) / Double(max(whole, 1)) * 1000).rounded() / 10) %"
    }
}
