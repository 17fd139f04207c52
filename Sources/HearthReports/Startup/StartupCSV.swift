internal import Foundation
package import HearthRuntime

/// All starts as comma-separated values (RFC 4180): a header, then one start a line.
package enum StartupCSV {
    /// - Parameter samples: in the order in which they were logged.
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

    /// Text with what would end a cell in quotes. A beginning that a spreadsheet takes for a formula gets an apostrophe
    /// (OWASP, "CSV Injection").
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
