import Foundation
import HearthCompression
import HearthCoreMLFormat
import HearthTestSupport
import Testing

/// Recurrent layers of programs: input and recurrent weights take every form, biases and initial states none.
struct RecurrentCompressionTests {
    private static func fixture(_ name: String) -> String { TestFixtures.url("coreml/\(name)").path }

    /// The weights that recurrent operations take, by the operation that makes each.
    private func makers(_ path: String) throws -> [String: String] {
        let operations = try CoreMLPackage(path: path).body?.operations ?? []
        let types = Dictionary(
            operations.compactMap { operation in operation.outputs.last.map { ($0.name, operation.type) } },
            uniquingKeysWith: { first, _ in first })
        var makers: [String: String] = [:]
        for operation in operations where ["gru", "rnn", "lstm"].contains(operation.type) {
            for input in operation.inputs where input.key.hasPrefix("weight_") {
                for case .name(let name) in input.value.bindings.map(\.kind) { makers[name] = types[name] }
            }
        }
        return makers
    }

    /// Two layers of LSTM in both directions, as PyTorch's are converted.
    @Test func bothDirectionsTakeEveryForm() throws {
        let folder = try TemporaryFolder()
        let source = Self.fixture("flow/lstm.mlpackage")
        let names = Set(try makers(source).keys)
        #expect(names.count == 8)
        for (index, (label, form)) in PackageCompressorTests.forms.enumerated() {
            let path = folder["\(index).mlpackage"]
            let report = try PackageCompressor(form).compress(source, to: path)
            let comment: Comment = "\(label)"
            let changed = Set(report.tensors.map(\.name))
            // Two have 204 numbers each, fewer than a palette of 256 levels.
            #expect(changed.union(report.unchangedBySize) == names && changed.count >= 4, comment)
            #expect(report.outputBytes < report.inputBytes, comment)
            let makers = try makers(path)
            #expect(Set(makers.keys) == names, comment)
            #expect(makers.allSatisfy { $0.value.hasPrefix("constexpr_") == changed.contains($0.key) }, comment)
        }
    }

    /// One program of gru, rnn and an lstm that reads one number a step; all begin with one state of 256 numbers, which
    /// coremltools names so.
    @Test func statesStayAndColumnsAreWeights() throws {
        let folder = try TemporaryFolder()
        let source = Self.fixture("recurrent/program.mlpackage")
        for (index, (label, form)) in PackageCompressorTests.forms.enumerated() {
            var compressor = PackageCompressor(form)
            compressor.minimumElements = 31
            let report = try compressor.compress(source, to: folder["\(index).mlpackage"])
            // What is stored of columns of 32 numbers is no larger than they were.
            #expect(report.tensors.allSatisfy { $0.bytes < $0.bytesBefore }, "\(label)")
            let names = Set(report.tensors.map(\.name) + report.unchangedBySize)
            #expect(names == ["gru_ih", "gru_hh", "rnn_ih", "rnn_hh", "lstm_ih", "lstm_hh"], "\(label)")
            let state = report.skipped.first { $0.name == "state_workaround" }
            #expect(state?.reason == "it is the initial state of a recurrent layer", "\(label)")
        }
    }
}
