import Foundation
import HearthRuntime
import Testing

/// Reports in the form that Xcode's "Simulate MetricKit Payloads" gives.
@Suite("MetricKit's reports as samples of starts")
struct MetricReportTests {
    private let profile = RuntimeProfile(
        model: "m", modelSHA256: "00", quantization: "Q8_0", contextLength: 2048, computeUnits: "cpu",
        kernelSet: "neon",
        runtimeVersion: "1", osBuild: "22B83", device: "iPhone17,1")

    private func signpost(_ name: String, category: String = "hearth", _ buckets: [(String, String, Int)]) -> String {
        let values = buckets.enumerated().map { index, bucket in
            #""\#(index)":{"bucketCount":\#(bucket.2),"bucketStart":"\#(bucket.0)","bucketEnd":"\#(bucket.1)"}"#
        }
        return #"{"signpostName":"\#(name)","signpostCategory":"\#(category)","totalSignpostCount":30,"#
            + #""signpostIntervalData":{"signpostCumulativeCPUTime":"30,000 ms","histogrammedSignpostDurations":"#
            + #"{"histogramNumBuckets":\#(buckets.count),"histogramValue":{\#(values.joined(separator: ","))}}}}"#
    }

    private func parsed(_ signposts: [String], memory: String = "200,000 kB") -> MetricReport? {
        let json = #"""
            {"appVersion":"1.2.0","timeStampBegin":"2026-11-21 06:59:00 +0000","timeStampEnd":"2026-11-22 06:59:00 +0000",
            "metaData":{"appBuildVersion":"7","osVersion":"iPhone OS 18.1 (22B83)","regionFormat":"US","deviceType":"iPhone17,1"},
            "memoryMetrics":{"peakMemoryUsage":"\#(memory)","averageSuspendedMemory":{"averageValue":"100,000 kB"}},
            "applicationLaunchMetrics":{"histogrammedTimeToFirstDrawKey":{"histogramNumBuckets":2,"histogramValue":{
            "0":{"bucketCount":50,"bucketStart":"1,000 ms","bucketEnd":"1,010 ms"},
            "1":{"bucketCount":60,"bucketStart":"2,000 ms","bucketEnd":"2,010 ms"}}}},
            "signpostMetrics":[\#(signposts.joined(separator: ","))]}
            """#
        return MetricReport(json: Data(json.utf8))
    }

    @Test("The medians of the day's starts")
    func sample() throws {
        let report = try #require(
            parsed([
                signpost("load", [("0 ms", "100 ms", 3), ("100 ms", "200 ms", 4)]),
                signpost("first inference", [("1,000 ms", "1,100 ms", 5), ("2 s", "3 s", 4)]),
                signpost("compile", [("0 ms", "10 ms", 6), ("4,000 ms", "5,000 ms", 1)]),
                signpost("load", category: "another", [("9,000 ms", "9,100 ms", 70)]),
            ]))
        #expect(report.firstDraw?.median == 2005 && report.firstDraw?.count == 110)
        let sample = try #require(report.sample(profile))
        #expect([sample.compileMS, sample.loadMS, sample.firstInferenceMS] == [5, 150, 1050])
        #expect(sample.kind == .warm && !sample.isMeasured && sample.peakResidentBytes == 200_000_000)
        #expect(sample.device == "iPhone17,1" && sample.osVersion == "iPhone OS 18.1 (22B83)")
        #expect(sample.processVersion == "1.2.0" && sample.time == Date(timeIntervalSince1970: 1_795_330_740))
    }

    @Test("Numbers as regions write them")
    func regions() {
        for (memory, bytes) in [
            ("200,000 kB", 200_000_000), ("200\u{202F}000 kB", 200_000_000), ("1’500 MB", 1_500_000_000),
        ] {
            #expect(parsed([], memory: memory)?.peakMemory == bytes)
        }
        for memory in ["much", "-5 kB", "kB", "5 parsecs", "1e300 GB", "9e14 GB", ""] {
            #expect(parsed([], memory: memory)?.peakMemory == nil)
        }
    }

    @Test("What is missing or damaged is left out; a day without a whole start is no sample")
    func partial() {
        #expect(parsed([])?.sample(profile) == nil)
        #expect(parsed([signpost("load", [("0 ms", "9 ms", 1)])])?.sample(profile) == nil)
        let odd = parsed([
            signpost("load", [("9 ms", "1 ms", 1), ("0 ms", "2 ms", -4), ("x", "y", 1), ("2 ms", "4 ms", 1)]),
            signpost("first inference", [("2 ms", "4 ms", 1)]),
        ])
        #expect(odd?.sample(profile)?.loadMS == 3)
        #expect(MetricReport(json: Data("{}".utf8)) == nil && MetricReport(json: Data("[".utf8)) == nil)
    }

    @Test("A sample goes into the log of starts as any other")
    func logged() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "hearth-metrics-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let log = StartupLog(path: folder.path + "/startup.sqlite")
        let report = parsed([
            signpost("load", [("0 ms", "10 ms", 1)]), signpost("first inference", [("2 ms", "4 ms", 1)]),
        ])
        let sample = try #require(report?.sample(profile))
        try log.append(sample)
        #expect(try log.samples().samples.map(\.loadMS) == [5])
    }
}
