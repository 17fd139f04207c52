import HearthReports
import Testing

/// Reports as Xcode writes them, and lines that it never wrote.
struct ThinningReportTests {
    static let text = """
        App Thinning Size Report for All Variants of Runner

        Variant: Runner-7433FC8E-1DF4-4299-A7E8-E00768671BEB.ipa
        Supported variant descriptors: [device: iPhone12,1, os-version: 13.0] and [device: iPhone11,8, os-version: 13.0]
        App + On Demand Resources size: 5.4 MB compressed, 13.7 MB uncompressed
        App size: 5.4 MB compressed, 13.7 MB uncompressed
        On Demand Resources size: Zero KB compressed, Zero KB uncompressed


        Variant: Runner.ipa
        Supported variant descriptors: Universal
        App + On Demand Resources size: 333 KB compressed, 667 KB uncompressed
        App size: 333 KB compressed, 667 KB uncompressed
        On Demand Resources size: 512 bytes compressed, 1,5 KB uncompressed
        """

    @Test func readsVariantsDevicesAndSizes() throws {
        let report = try ThinningReport(Self.text, file: "r.txt")
        #expect(report.variants.count == 2)
        let first = report.variants[0]
        #expect(first.name == "Runner-7433FC8E-1DF4-4299-A7E8-E00768671BEB.ipa")
        #expect(
            first.descriptors == [
                ThinningReport.Descriptor(device: "iPhone12,1", osVersion: "13.0"),
                ThinningReport.Descriptor(device: "iPhone11,8", osVersion: "13.0"),
            ])
        #expect(first.app == ThinningReport.Size(compressed: 5_400_000, uncompressed: 13_700_000))
        #expect(first.total == first.app && first.onDemand == ThinningReport.Size(compressed: 0, uncompressed: 0))
        #expect(report.variants[1].descriptors.isEmpty)
        #expect(report.variants[1].onDemand == ThinningReport.Size(compressed: 512, uncompressed: 1500))
        #expect(try ThinningReport(Self.text.split(separator: "\n").joined(separator: "\r\n"), file: "r") == report)
    }

    @Test func sharesAreOfTheAppAlone() {
        let model = ThinningReport.Size(compressed: 2_000_000, uncompressed: 5_000_000)
        let share = ModelShare(model, of: ThinningReport.Size(compressed: 8_000_000, uncompressed: 20_000_000))
        #expect(share.isPossible && share.download == 0.25 && share.installed == 0.25)
        #expect(share.remaining == ThinningReport.Size(compressed: 6_000_000, uncompressed: 15_000_000))
        let small = ThinningReport.Size(compressed: 8_000_000, uncompressed: 4_000_000)
        #expect(!ModelShare(model, of: small).isPossible && ModelShare(model, of: small).remaining == small)
    }

    @Test(arguments: [
        ("", 1), ("nothing of the kind", 1), ("App size: 1 MB compressed, 2 MB uncompressed", 1),
        ("Variant: a.ipa\nApp size: many MB compressed, 2 MB uncompressed", 2),
        ("Variant: a.ipa\nApp size: 1 MB", 2), ("Variant:", 1),
        ("Variant: a.ipa\nApp size: -1 MB compressed, 2 MB uncompressed", 2),
        ("Variant: a.ipa\nApp size: 1e300 MB compressed, nan GB uncompressed", 2),
        ("Variant: a.ipa\nSupported variant descriptors: [device: iPhone", 2), ("Variant: a.ipa\n", 2),
    ])
    func malformedLinesAreNamed(_ text: String, _ line: Int) {
        #expect {
            try ThinningReport(text, file: "r.txt")
        } throws: { error in
            guard case ReportError.malformedReport("r.txt", let found, _) = error else { return false }
            return found == line
        }
    }
}
