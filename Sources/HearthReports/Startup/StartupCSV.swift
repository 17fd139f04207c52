internal import Foundation
package import HearthRuntime

/// All starts as CSV (RFC 4180): a header, then a line for each start.
package enum StartupCSV {
    /// - Parameter samples: in the order logged.
    package static func text(_ samples: [StartupSample]) -> String {
        let profileNames = StartupSample.profileFieldNames
        let header =
            [
                "time", "kind", "measured", "compileMS", "loadMS", "firstInferenceMS", "steadyMS", "peakResidentBytes",
                "dirtyBytes", "device", "osVersion", "processVersion", "profile",
            ] + profileNames.map { "profile." + $0 }
        let lines = samples.map { sample in
            let own = [
                Figures.timestamp(sample.time), sample.kind.rawValue, sample.isMeasured ? "true" : "false",
                number(sample.compileMS), number(sample.loadMS), number(sample.firstInferenceMS),
                sample.steadyMS.map(number) ?? "", String(sample.peakResidentBytes), String(sample.dirtyBytes),
                cell(sample.device), cell(sample.osVersion), cell(sample.processVersion), sample.profile.digest,
            ]
            return (own + sample.profile.fields.map { cell($0.value) }).joined(separator: ",")
        }
        return ([header.joined(separator: ",")] + lines).joined(separator: "\r\n") + "\r\n"
    }

    private static func number(_ value: Double) -> String { String(format: "%.3f", value) }

    /// A cell, quoted if needed. Text that a spreadsheet would take for a formula gets an apostrophe (OWASP, "CSV
    /// Injection").
    package static func cell(_ text: String) -> String {
        var text = text
        if let first = text.first, "=+-@\t\r".contains(first) { text = "'" + text }
        return CSVText.quoted(text)
    }
}

extension StartupSample {
    fileprivate static var profileFieldNames: [String] {
        RuntimeProfile(
            model: "", modelSHA256: "", quantization: "", contextLength: 0, computeUnits: "", kernelSet: "",
            runtimeVersion: "", osBuild: "", device: ""
        ).fields.map(\.name)
    }
}
